#include "vm/explore/runner.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/out_of_memory.h"
#include "gc/fragment.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "vm/core/settings.h"
#include "vm/ets/persistent_terms.h"
#include "vm/explore/story.h"
#include "vm/interp/interpreter.h"
#include "vm/io/file_names.h"
#include "vm/io/services.h"
#include "vm/machine/machine.h"
#include "vm/machine/program.h"
#include "vm/process/literal_collector.h"
#include "vm/process/spawn.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr size_t kSharedBytes = size_t{8} << 20;
constexpr size_t kMostTold = kSharedBytes - (size_t{2} << 20);
constexpr unsigned kMostSeconds = 20;  // of the system's time, for one run
constexpr int kWarmRuns = 12;

/// Strings one after the other, each with its length.
class Writer {
 public:
  Writer(char* at, size_t room) : begin_(at), at_(at), end_(at + room) {}
  void number(uint64_t n) { raw(&n, sizeof n); }
  void text(std::string_view s) {
    const size_t most = static_cast<size_t>(end_ - at_);
    if (most < sizeof(uint64_t)) return;
    s = s.substr(0, std::min(s.size(), most - sizeof(uint64_t)));
    number(s.size());
    raw(s.data(), s.size());
  }
  size_t size() const { return static_cast<size_t>(at_ - begin_); }

 private:
  void raw(const void* from, size_t n) {
    if (static_cast<size_t>(end_ - at_) < n) return;
    memcpy(at_, from, n);
    at_ += n;
  }
  char *begin_, *at_, *end_;
};

class Reader {
 public:
  Reader(const char* at, size_t size) : at_(at), end_(at + size) {}
  uint64_t number() {
    uint64_t n = 0;
    if (static_cast<size_t>(end_ - at_) < sizeof n) return 0;
    memcpy(&n, at_, sizeof n);
    at_ += sizeof n;
    return n;
  }
  std::string text() {
    const uint64_t n = number();
    if (static_cast<size_t>(end_ - at_) < n) return {};
    std::string s(at_, n);
    at_ += n;
    return s;
  }

 private:
  const char *at_, *end_;
};

void write_finding(Writer& w, const Finding& f) {
  w.number(static_cast<uint64_t>(f.kind)), w.number(f.signature), w.text(f.text);
}
Finding read_finding(Reader& r) {
  Finding f;
  f.kind = static_cast<EndingKind>(std::min<uint64_t>(r.number(), kEndingKinds - 1));
  f.signature = r.number(), f.text = r.text();
  return f;
}

void write_switch(Writer& w, const Switch& s) {
  w.text(s.at.who), w.number(s.at.operation), w.number(s.at.turn), w.text(s.to);
}
Switch read_switch(Reader& r) {
  Switch s;
  s.at.who = r.text(), s.at.operation = static_cast<uint32_t>(r.number());
  s.at.turn = static_cast<uint32_t>(r.number()), s.to = r.text();
  return s;
}

constexpr const char* kServices[] = {
#define SERVICE(name) #name,
#include "vm/io/services.def"
};

}  // namespace

struct Runner::Shared {
  std::atomic<uint64_t> size;  ///< of what the run has said; 0: it has said nothing
  char bytes[kSharedBytes - sizeof(uint64_t)];
};

Runner::Runner(const RunOptions& options, const ExploreRules& rules)
    : options_(options), rules_(rules) {}

Runner::~Runner() {
  if (shared_) munmap(shared_, sizeof(Shared));
  if (out_ >= 0) close(out_);
  if (nothing_ >= 0) close(nothing_);
  explorer_.reset();
}

Runner::Made Runner::make(const RunOptions& options, const ExploreRules& rules,
                          const Schedule* prepared) {
  std::unique_ptr<Runner> runner(new Runner(options, rules));
  if (std::string error = runner->load(prepared); !error.empty()) return error;
  return runner;
}

std::string Runner::load(const Schedule* prepared) {
  install_new_handler();
  if (options_.max_atoms) set_atom_limit(options_.max_atoms);
  options_.seed = 0, options_.jit = "off", options_.image = false, options_.event_log.clear();
  vm_ = std::make_unique<Machine>(machine_options(options_), make_handler_table_with_points());
  InstanceScope scope(vm_->instance);
  vm_->settings->file_names.latin1 = !locale_is_utf8();
  explorer_ = std::make_unique<Explorer>(*vm_);
  if (std::string error = find_program(); !error.empty()) return error;
  name_ = atom_text(module_);
  Services& services = vm_->start_services(options_.args, options_.nostick);
  if (is_elixir(module_) || !rules_.preparation.empty()) services.set_elixir_io();
  vm_->literals->start();
  if (!make_channels()) return fmt::format("no memory to share: {}", strerror(errno));
  settle();
  if (!rules_.preparation.empty()) return run_preparation();
  if (prepared)
    prepare(prepared->modules, prepared->services);
  else
    warm_up();
  return {};
}

/// Loads what is called. What is wrong with it, or empty.
std::string Runner::find_program() {
  bool checks = false;
  if (rules_.preparation.empty()) {
    CodeTable::Loaded loaded = load_program(*vm_, options_.program, &module_);
    if (!loaded && loaded.error().reason != am::on_load)
      return fmt::format("cannot load {}: {}", options_.program, loaded.error().message);
    checks = loaded.ok();
  }
  if (!rules_.entry.empty()) {
    module_ = intern(rules_.entry);
    if (!vm_->code->load_from_path(module_))
      return fmt::format("there is no module {}", rules_.entry);
  }
  if (!checks) return {};
  for (uint32_t arity : {0u, 1u}) {
    Export* e = vm_->code->find_export(module_, intern(options_.function), arity);
    if (e && e->loaded) return {};
  }
  return fmt::format("{} has no function {}/1 or {}/0", atom_text(module_), options_.function,
                     options_.function);
}

std::string Runner::run_preparation() {
  FragmentHeap h(64);
  const Term args = cons(h, argument_list(h, rules_.preparation, false), kNil);
  const Term pid = spawn_process(*vm_, nullptr, module_, intern("prepare"), args);
  if (!is_value(pid)) return "no process for the preparation";
  settle(pid);
  take_part();
  return vm_->halting() ? "the preparation has ended the machine" : "";
}

/// Those of the project's own application, as its preparation says.
void Runner::take_part() {
  FragmentHeap h(8);
  Term list = vm_->persistent_terms->get(tuple(h, module_, am::processes));
  std::vector<Term> pids;
  for (; is_cons(list); list = tail(list)) pids.push_back(head(list));
  explorer_->takes_part(pids);
}

void Runner::aim(const std::string& function, const std::vector<std::string>& args) {
  InstanceScope scope(vm_->instance);
  options_.function = function, options_.args = args;
  judges_ = false, usual_.clear(), choices_ = 0, changes_files_ = false;
  warm_up();
}

std::string Runner::ask(const std::string& function) {
  options_.function = function, options_.args.clear();
  const Switches none;
  return run({.switches = &none, .quotes = true}).output;
}

/// Until everybody waits, `awaited` having ended.
void Runner::settle(Term awaited) {
  explorer_->settles(awaited);
  vm_->scheduler->run();
}

void Runner::prepare(const std::vector<std::string>& modules,
                     const std::vector<std::string>& services) {
  for (const std::string& name : modules) {
    modules_.push_back(name);
    const Term module = intern(name);
    if (!vm_->code->find_module(module)) (void)vm_->code->load_from_path(module).ok();
  }
  for (const std::string& name : services) {
    services_.push_back(name);
    vm_->services->start(intern(name));
    settle();
  }
}

void Runner::warm_up() {
  const Switches none;
  for (int k = 0; k < kWarmRuns; ++k) {
    Outcome o =
        k < 2 ? run({.switches = &none}) : run({.seed = static_cast<uint64_t>(k) + 0x100000000u});
    choices_ = std::max(choices_, o.choices);
    changes_files_ |= o.changes_files;
    auto known = [](const std::vector<std::string>& all) {
      return [&all](const std::string& name) { return std::ranges::count(all, name) != 0; };
    };
    std::erase_if(wanted_modules_, known(modules_));
    std::erase_if(wanted_services_, known(services_));
    prepare(wanted_modules_, wanted_services_);
  }
  run({.switches = &none});  // leaves usual_
  judges_ = true;
}

bool Runner::make_channels() {
  if (shared_) munmap(shared_, sizeof(Shared));
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared_ = memory == MAP_FAILED ? nullptr : static_cast<Shared*>(memory);
  if (out_ >= 0) close(out_);
  out_ = memfd_create("output", MFD_CLOEXEC);
  if (nothing_ < 0) nothing_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return shared_ && out_ >= 0 && nothing_ >= 0;
}

Outcome Runner::run(const Plan& plan) {
  Outcome o;
  shared_->size.store(0, std::memory_order_relaxed);
  if (ftruncate(out_, 0) < 0 || lseek(out_, 0, SEEK_SET) < 0) {
    o.ending = {EndingKind::machine, 1, strerror(errno)};
    return o;
  }
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) run_here(plan);
  if (child < 0) {
    o.ending = {EndingKind::machine, 2, fmt::format("fork: {}", strerror(errno))};
    return o;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) break;
  }
  const size_t size = shared_->size.load(std::memory_order_acquire);
  if (!size) {
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    std::string why = signal == SIGALRM
                          ? fmt::format("it computed or waited for {} s", kMostSeconds)
                      : signal ? fmt::format("signal {}", signal)
                               : fmt::format("exit code {}", WEXITSTATUS(status));
    o.ending = {EndingKind::machine, 3 + static_cast<uint64_t>(signal), std::move(why)};
    return o;
  }
  Reader r(shared_->bytes, size);
  o.ending = read_finding(r);
  o.steps = r.number(), o.choices = r.number(), o.changes_files = r.number();
  o.story = r.text(), o.telling = r.text(), o.output = r.text();
  for (uint64_t n = r.number(); n; --n) {
    o.switches.push_back(read_switch(r));
  }
  o.trace = r.number();
  for (uint64_t n = r.number(); n; --n) {
    const size_t before = r.number();
    o.reversals.push_back({before, read_switch(r)});
  }
  if (judges_) return o;
  usual_.clear(), wanted_modules_.clear(), wanted_services_.clear();
  for (uint64_t n = r.number(); n; --n) usual_.push_back(read_finding(r));
  for (uint64_t n = r.number(); n; --n) wanted_modules_.push_back(r.text());
  for (uint64_t n = r.number(); n; --n) wanted_services_.push_back(r.text());
  code_.clear();
  for (uint64_t n = r.number(); n; --n) {
    const uint64_t begin = r.number();
    code_.push_back({begin, r.number()});
  }
  return o;
}

void Runner::run_here(const Plan& plan) {
  signal(SIGALRM, SIG_DFL), signal(SIGPIPE, SIG_IGN);
  alarm(kMostSeconds);
  dup2(nothing_, 0);
  if (!plan.prints) dup2(out_, 1), dup2(out_, 2);
  InstanceScope scope(vm_->instance);
  std::unique_ptr<Strategy> strategy =
      plan.switches
          ? follow(*plan.switches)
          : make_strategy(rules_.strategy, plan.seed, rules_.depth, choices_ + choices_ / 2);
  Story story(*vm_, *explorer_);
  Races races;
  explorer_->inject(rules_.faults);
  explorer_->begin(*strategy, rules_.limits, plan.story ? &story : nullptr,
                   plan.races ? &races : nullptr, plan.records || plan.races);
  if (!spawn_main(*vm_, options_, module_)) _exit(2);
  explorer_->started(vm_->main_pid);
  vm_->scheduler->run();
  fflush(nullptr);
  std::string output;
  if (!plan.prints) {
    constexpr size_t kMostOutput = 1 << 20;
    output.resize(
        std::min(static_cast<size_t>(std::max<off_t>(lseek(out_, 0, SEEK_END), 0)), kMostOutput));
    const ssize_t n = pread(out_, output.data(), output.size(), 0);
    output.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  tell(plan, *explorer_, output, &story, races);
  _exit(0);
}

void Runner::tell(const Plan& plan, const Explorer& run, const std::string& output, Story* story,
                  Races& races) {
  Writer w(shared_->bytes, sizeof shared_->bytes);
  const std::vector<Finding> findings = findings_of(*vm_, run, output);
  write_finding(w, class_of(findings, usual_));
  w.number(run.steps()), w.number(run.choices()), w.number(run.changes_files);
  const Telling told = plan.story ? story->told() : Telling();
  w.text(text_of(told)), w.text(plan.events ? to_json(told, kMostTold) : "");
  w.text(plan.quotes ? output : "");
  w.number(run.switches().size());
  for (const Switch& s : run.switches()) write_switch(w, s);
  const std::vector<Races::Reversal> reversals = races.reversals();
  w.number(races.trace()), w.number(reversals.size());
  for (const Races::Reversal& r : reversals) w.number(r.before), write_switch(w, r.instead);
  if (!judges_) {
    w.number(findings.size());
    for (const Finding& f : findings) write_finding(w, f);
    const std::vector<Term> modules = vm_->code->loaded_modules();
    w.number(modules.size());
    for (Term m : modules) w.text(atom_text(m));
    std::vector<const char*> services;
    for (const char* name : kServices) {
      if (is_value(vm_->processes->registered(intern(name)))) services.push_back(name);
    }
    w.number(services.size());
    for (const char* name : services) w.text(name);
    const std::vector<CodeRange> code = code_used();
    w.number(code.size());
    for (const CodeRange& c : code) w.number(c.begin), w.number(c.end);
  }
  shared_->size.store(w.size(), std::memory_order_release);
}

Schedule Runner::heading() const {
  Schedule s;
  const Module* m = vm_->code->find_module(module_);
  s.program = name_, s.function = options_.function, s.args = options_.args;
  for (size_t k = 0; m && k < sizeof m->md5; ++k) s.code += fmt::format("{:02x}", m->md5[k]);
  s.patience_ms = rules_.limits.patience_ns / 1'000'000;
  s.modules = modules_, s.services = services_;
  return s;
}

}  // namespace wb
