#include "tests/hostile/mutator/victim.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "loader/code_table.h"
#include "term/atom.h"
#include "vm/process/literal_collector.h"
#include "vm/process/route.h"
#include "vm/process/run.h"
#include "vm/process/spawn.h"
#include "vm/process/table.h"

namespace wb::mutator {
namespace {

constexpr uint32_t kMaxArity = 4, kTries = 6, kOthers = 4;
constexpr uint32_t kMaxHeapWords = 200'000;
constexpr useconds_t kGlance = 100;          ///< microseconds between two looks
constexpr unsigned kPatience = 15;           ///< looks until what still runs is killed
constexpr unsigned kDeathMayTake = 200'000;  ///< looks

}  // namespace

Victim::Victim(const VmOptions& options, bool calls)
    : vm_(std::make_unique<Machine>(options)), scope_(vm_->instance), calls_(calls) {
  vm_->start_services({}, true);
  vm_->literals->start();
  vm_->start();
  // Those that begin when they are first asked for are the machine's own from the beginning.
  for (const char* service : {"init", "code_server", "file_server_2", "logger", "user"})
    (void)vm_->processes->whereis(intern(service));
  usleep(20'000);
  vm_->processes->each([&](Process& p) { own_.push_back(p.id); });
}

Victim::~Victim() {
  vm_->halt(0);
  vm_->wait();
}

/// Those of mutants. *busy: is one not just waiting?
std::vector<Term> Victim::strangers(bool* busy) const {
  std::vector<Term> found;
  *busy = false;
  vm_->processes->each([&](Process& p) {
    if (p.system || std::ranges::find(own_, p.id) != own_.end()) return;
    found.push_back(p.id);
    *busy |= p.state.load(std::memory_order_relaxed) != ProcessState::waiting;
  });
  return found;
}

/// Waits until all have ended, or wait themselves; kills what is left after a while, and waits
/// until it is gone.
void Victim::end_all() {
  bool busy;
  std::vector<Term> left = strangers(&busy);
  for (unsigned looks = 0; !left.empty(); left = strangers(&busy), ++looks) {
    if (looks > kDeathMayTake) {
      fprintf(stderr, "mutator: a process does not end when it is killed\n");
      abort();
    }
    if (!busy || looks >= kPatience) {
      for (Term pid : left) {
        Signal* s = new_signal(SignalKind::exit);
        s->from = Address::of_local(make_pid(0, 0));
        s->term = am::kill;
        route(*vm_, pid, s);
      }
    }
    usleep(kGlance);
  }
}

/// The functions that were changed several times, and some of the others.
void Victim::call(Term module, const Mutant& mutant, std::mt19937_64& random, uint64_t* calls) {
  Module* m = vm_->code->find_module(module);
  if (!m || m->exports.empty()) return;
  SpawnOptions options;
  options.max_heap_size = kMaxHeapWords;
  options.max_heap_log = false;
  for (const Module::Exported& e : m->exports) {
    if (e.target->arity > kMaxArity) continue;
    std::pair<Term, uint32_t> who{e.target->function, e.target->arity};
    bool changed = std::ranges::find(mutant.changed, who) != mutant.changed.end();
    uint32_t tries = changed ? kTries : random() % m->exports.size() < kOthers;
    for (; tries > 0; --tries) {
      FragmentHeap h(64);
      spawn_process(*vm_, nullptr, module, e.target->function,
                    arguments_.list(h, e.target->arity, random), options);
      ++*calls;
    }
  }
}

Outcome Victim::run(const Mutant& mutant, uint64_t seed, std::string* why, uint64_t* calls) {
  CodeTable& code = *vm_->code;
  auto prepared = code.prepare(mutant.file, "mutant");
  if (!prepared) {
    *why = prepared.error().message;
    return Outcome::refused;
  }
  Term name = (*prepared)->name;
  CodeTable::Loaded loaded = code.commit(*prepared);
  if (!loaded && loaded.error().reason != am::on_load) {
    *why = loaded.error().message;
    return Outcome::refused;
  }
  code.end_on_load(name, true);
  std::mt19937_64 random(seed);
  if (calls_) {
    call(name, mutant, random, calls);
    end_all();
  }
  code.delete_module(name);
  code.purge_module(name);
  return Outcome::loaded;
}

}  // namespace wb::mutator
