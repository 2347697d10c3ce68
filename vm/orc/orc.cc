#include "vm/orc/orc.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/allocator.h"
#include "base/processor_time.h"
#include "bytecode/instructions.h"
#include "loader/met_floats.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "term/number.h"
#include "vm/orc/callees.h"
#include "vm/process/event_log.h"

namespace wb {

namespace {
constexpr size_t kLongestQueue = 512;
constexpr std::chrono::milliseconds kIdleAfter{200};
constexpr char kPlugin[] = "libwhitebeam-jit.so";
constexpr char kPluginId[] = "libwhitebeam-jit.id";  ///< the first bytes of one that is not there

double ms(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

/// Beside the program, or the library that we are in, or where it is installed. Empty: nowhere.
std::string find_plugin(std::string* why_not, const char* name = kPlugin) {
  std::error_code ignored;
  Dl_info us;
  const bool found = dladdr(reinterpret_cast<const void*>(&find_plugin), &us) && us.dli_fname;
  // Of a program dladdr has what it was called by.
  const bool in_library =
      found && std::filesystem::path(us.dli_fname).filename().string().starts_with("libwhitebeam");
  std::filesystem::path here =
      in_library ? std::filesystem::canonical(us.dli_fname, ignored).parent_path()
                 : std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& candidate :
       {here / name, here / "../lib/whitebeam" / name, here / "whitebeam" / name}) {
    if (std::filesystem::exists(candidate, ignored)) return candidate;
  }
  *why_not = fmt::format("there is no {}", (here / name).string());
  return "";
}
void* open_plugin(std::string* why_not) {
  const std::string file = find_plugin(why_not);
  if (file.empty()) return nullptr;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) *why_not = dlerror();
  return library;
}
/// Gives back the pages of LLVM's code and constants, mapped at `base`: they are a file's,
/// unchanged, and come back when they are wanted. Two thirds of what the plugin takes is this.
void drop_file_pages(const void* base) {
  auto drop = [](dl_phdr_info* library, size_t, void* wanted) {
    if (reinterpret_cast<const void*>(library->dlpi_addr) != wanted) return 0;
    constexpr uintptr_t kPage = 4096;
    for (int k = 0; k < library->dlpi_phnum; ++k) {
      const auto& segment = library->dlpi_phdr[k];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W)) continue;
      uintptr_t from = (library->dlpi_addr + segment.p_vaddr) & -kPage;
      uintptr_t end = library->dlpi_addr + segment.p_vaddr + segment.p_memsz;
      madvise(reinterpret_cast<void*>(from), end - from, MADV_DONTNEED);
    }
    return 1;
  };
  dl_iterate_phdr(drop, const_cast<void*>(base));
}
}  // namespace

/// What is shared with jobs: a module may end before they do.
struct Orc::State {
  explicit State(Module& m) : module(m) {}

  Module& module;  ///< until it has ended
  std::mutex lock;
  bool ended = false;
  bool gone = false;  ///< not current any more
  struct Made {
    void* code;
    CodeOwner* owner;
    Word* entry;
    Hot hot;
    uint64_t* exit_count;
    std::vector<const Word*> in_line;  ///< functions that it has, too
    std::vector<Word*> floats;         ///< instructions that expect them
    uint64_t* no_float;                ///< how often there was none
    uint64_t no_float_before = 0;      ///< at the last look

    /// Has that happened often since the last look?
    bool expects_wrongly() {
      constexpr uint64_t kOften = 8;
      uint64_t now = std::atomic_ref(*no_float).load(std::memory_order_relaxed);
      return now - std::exchange(no_float_before, now) >= kOften;
    }
  };
  std::vector<Made> made;
  /// What a function is called with, until it is compiled and again from then on.
  struct Funs {
    SeenFuns seen;
    uint32_t enough = 32;  ///< to say that they have changed
  };
  std::unordered_map<const Word*, Funs> funs;  ///< by entry
  std::vector<std::weak_ptr<State>> users;     ///< other modules that have functions of it
  Baseline* names = nullptr;  ///< where it was registered
  KeptFunctions kept;
  std::unordered_set<const Word*> unusable;  ///< functions for which what is kept is no good here

  std::vector<std::shared_ptr<State>> all_users() {
    std::vector<std::shared_ptr<State>> all;
    std::lock_guard guard(lock);
    for (const std::weak_ptr<State>& u : users) {
      if (auto user = u.lock()) all.push_back(std::move(user));
    }
    return all;
  }
};

struct Orc::Attached final : AttachedCode {
  explicit Attached(std::shared_ptr<State> s) : state(std::move(s)) {}
  ~Attached() override {
    std::vector<State::Made> made;
    {
      std::lock_guard lock(state->lock);
      state->ended = true;
      made.swap(state->made);
    }
    for (const State::Made& m : made) {
      state->names->forget_name(m.hot.code);
      m.owner->release(m.code);
    }
  }
  const std::shared_ptr<State> state;
};

Orc::Orc(const Word* handlers, const CodeTable& code, Baseline& baseline, bool report,
         std::string show_ir)
    : handlers_(handlers),
      code_(code),
      baseline_(baseline),
      keep_report_(report),
      show_ir_(std::move(show_ir)) {
  simulated_.orc = this;
  simulated_.run = compile_one;
}

Orc::~Orc() { stop(); }

void Orc::stop() {
  note_wanted();
  {
    std::lock_guard lock(lock_);
    stopping_ = true;
    queue_.clear();
  }
  wake_.notify_all();
  thread_.join();
  write_kept();
}

std::shared_ptr<Orc::State> Orc::find_state(const Module& m) {
  std::lock_guard lock(lock_);
  return m.hot ? static_cast<Attached&>(*m.hot).state : nullptr;
}

bool Orc::find(const Module& m, const Word* entry, Hot* out) {
  std::shared_ptr<State> state = find_state(m);
  if (!state) return false;
  std::lock_guard lock(state->lock);
  for (const State::Made& made : state->made) {
    if (made.entry != entry) continue;
    *out = made.hot;
    out->exit_count = std::atomic_ref(*made.exit_count).load(std::memory_order_relaxed);
  }
  return out->code != nullptr;
}

uint64_t Orc::native_exits() {
  uint64_t sum = 0;
  std::lock_guard lock(lock_);
  for (uint64_t& n : exit_counters_) sum += std::atomic_ref(n).load(std::memory_order_relaxed);
  return sum;
}

void Orc::count_unloaded(const Module& m) {
  std::shared_ptr<State> state = find_state(m);
  if (!state) return;
  std::lock_guard lock(state->lock);
  counters.unloaded.fetch_add(state->made.size(), std::memory_order_relaxed);
}

// --- who is compiled -----------------------------------------------------------------------------
std::shared_ptr<Orc::State> Orc::state_of(Module& m) {
  std::lock_guard lock(lock_);
  if (!m.hot) m.hot = std::make_unique<Attached>(std::make_shared<State>(m));
  return static_cast<Attached&>(*m.hot).state;
}

void Orc::note_funs(Module& m, const Word* entry, const Term* x) {
  SeenFuns now;
  now.note(entry, x);
  if (!now.any()) return;
  std::shared_ptr<State> state = state_of(m);
  std::lock_guard lock(state->lock);
  SeenFuns& seen = state->funs[entry].seen;
  for (const SeenFuns::Seen& s : now.list) {
    if (s.fun) seen.add(s.fun);
  }
}

bool Orc::is_stale(const Module& m, const Word* entry, const Term* x) {
  std::shared_ptr<State> state = find_state(m);
  if (!state) return false;
  std::lock_guard lock(state->lock);
  auto made = std::find_if(state->made.begin(), state->made.end(),
                           [&](const State::Made& k) { return k.entry == entry; });
  if (made != state->made.end() && made->expects_wrongly()) {
    for (Word* instruction : made->floats) MetFloats::give_up(instruction);
    return true;
  }
  State::Funs& now = state->funs[entry];
  now.seen.note(entry, x);
  if (now.seen.total < now.enough || made == state->made.end()) return false;
  std::vector<FunEntry*> likely = now.seen.likely();
  now.seen = {};
  bool known = std::any_of(likely.begin(), likely.end(), [&](const FunEntry* fun) {
    const Word* code = fun->entry.load(std::memory_order_acquire);
    return std::find(made->in_line.begin(), made->in_line.end(), code) != made->in_line.end();
  });
  if (known || likely.empty()) return false;
  now.enough *= 2;
  return true;
}

static std::string name_of(const Module& m, const Word* entry) {
  return fmt::format("{}:{}/{}", atom_text(m.name), atom_text(entry_function(entry)),
                     entry_arity(entry));
}

/// `all`: with callees that are not hot, too.
bool Orc::make_job(Module& m, Word* entry, Job* job, bool all) {
  if (!baseline_.lower_function(m, entry, &job->lowered)) return false;
  job->name = name_of(m, entry);
  job->module = state_of(m);
  SeenFuns seen;
  {
    std::lock_guard lock(job->module->lock);
    auto& funs = job->module->funs;
    if (auto at = funs.find(entry); at != funs.end()) seen = at->second.seen;
  }
  CalleeFinder finder(m, code_, baseline_, all);
  finder.find(job->lowered, seen);
  finish_job(m, finder.others, job);
  return true;
}

/// `others`: the other modules of callees.
void Orc::finish_job(Module& m, const std::vector<Module*>& others, Job* job) {
  for (Module* other : others) job->others.push_back(state_of(*other));
  for (const LoweredFunction& f : job->lowered.callees) job->of_others += !m.contains(f.entry);
  std::lock_guard lock(lock_);
  job->lowered.exit_count = &exit_counters_.emplace_back(0);
  job->lowered.no_float = &exit_counters_.emplace_back(0);
}

bool Orc::is_time_for_first(uint32_t samples) const {
  const uint64_t all = samples_.load(std::memory_order_relaxed);
  if (all < kFirstSamples) return false;
  return all >= kAnyShare || samples >= all / kFirstShare;
}

/// Is it hot enough for what it would cost?
void Orc::consider(Module& m, Word* entry, uint32_t samples, bool wanted) {
  if (!wanted && use_kept(m, entry)) return;
  if (unavailable_.load(std::memory_order_relaxed)) return;
  const bool is_first = !counters.queued.load(std::memory_order_relaxed);
  if (is_first && !wanted && !is_time_for_first(samples)) return come_back_to(m, entry, samples);
  Job job;
  if (!make_job(m, entry, &job)) return;
  if (!wanted && samples < (kLeastOps + job.lowered.list.size()) * kSamplesPerOp)
    return come_back_to(m, entry, samples);
  describe(m, &job);
  std::lock_guard lock(lock_);
  if (stopping_ || queue_.size() >= kLongestQueue) return;
  set_entry_count(entry, kQueued);
  queue_.push_back(std::move(job));
  counters.queued.fetch_add(1, std::memory_order_relaxed);
  if (log_) log_->code("queued", entry);
  begin_work();
}

/// Under lock_.
void Orc::begin_work() {
  if (scheduler_->oracle().simulates()) {
    if (!std::exchange(simulated_.submitted, true)) scheduler_->submit_between_slices(simulated_);
  } else if (!thread_.running()) {
    constexpr size_t kStackOfLlvm = size_t{8} << 20;
    thread_.start("orc", [](void* self) { static_cast<Orc*>(self)->work(); }, this, kStackOfLlvm);
  } else {
    wake_.notify_one();
  }
}

/// On the worker of a seeded run, when the oracle chooses.
void Orc::compile_one(DirtyJob& work) {
  Orc& orc = *static_cast<SimulatedWork&>(work).orc;
  Job job;
  {
    std::lock_guard lock(orc.lock_);
    orc.simulated_.submitted = false;
    if (orc.queue_.empty()) return;  // stopped
    job = std::move(orc.queue_.front());
    orc.queue_.pop_front();
    if (!orc.queue_.empty()) orc.begin_work();
  }
  orc.compile(job);
}

void Orc::compile_now(Module& m, Word* entry, const Term* x, std::string* ir) {
  Job job;
  set_entry_count(entry, kQueued);
  if (x) note_funs(m, entry, x);
  if (!make_job(m, entry, &job, true)) return;
  describe(m, &job);
  compile(job, ir);
}

/// Programs come first: the thread is nice.
void Orc::work() {
  constexpr int kNicer = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)),
              getpriority(PRIO_PROCESS, 0) + kNicer);
  bool is_idle = true;
  for (;;) {
    Job job;
    {
      std::unique_lock lock(lock_);
      auto wanted = [&] { return stopping_ || !queue_.empty(); };
      if (!is_idle && !wake_.wait_for(lock, kIdleAfter, wanted)) {
        lock.unlock();
        write_changed();
        if (plugin_base_) drop_file_pages(plugin_base_);
        empty_thread_cache();
        is_idle = true;
        lock.lock();
      }
      wake_.wait(lock, wanted);
      is_idle = false;
      if (stopping_) return;
      job = std::move(queue_.front());
      queue_.pop_front();
      current_ = job.module, current_entry_ = job.lowered.entry;
    }
    busy_.store(true, std::memory_order_relaxed);
    compile(job);
    busy_.store(false, std::memory_order_relaxed);
    std::lock_guard lock(lock_);
    current_.reset();
  }
}

// --- compiling -----------------------------------------------------------------------------------
bool Orc::open() {
  if (opened_) return compiler_;
  opened_ = true;
  void* library = open_plugin(&why_not_);
  if (!library) {
    unavailable_.store(true, std::memory_order_relaxed);
    return false;
  }
  auto make = reinterpret_cast<OpenOrcCompiler>(dlsym(library, WB_OPEN_ORC_COMPILER));
  if (Dl_info info; make && dladdr(reinterpret_cast<const void*>(make), &info)) {
    plugin_base_ = info.dli_fbase;
  }
  compiler_ = make ? make(handlers_, baseline_.names_for_perf(), plugin_layout()) : nullptr;
  if (!compiler_)
    why_not_ =
        make ? "not this program's plugin, or no memory for code" : "not this program's plugin";
  return compiler_;
}

void Orc::compile(Job& job, std::string* ir) {
  std::lock_guard lock(compiling_);
  uint64_t started = processor_time();
  OrcCompiler::Result made;
  bool done = open() && compiler_->compile(job.lowered, ir || show_ir_ == job.name, &made);
  uint64_t spent = processor_time() - started;
  counters.ns.fetch_add(spent, std::memory_order_relaxed);
  if (ir) {
    *ir = std::move(made.ir);
  } else if (!made.ir.empty()) {
    fmt::print(stderr, "{}", made.ir);
  }
  if (!done) {
    counters.refused.fetch_add(1, std::memory_order_relaxed);
    if (keep_report_) {
      fmt::print(stderr, "{}: refused: {}\n", job.name, compiler_ ? made.error : why_not_);
    }
    return;
  }
  counters.functions.fetch_add(1, std::memory_order_relaxed);
  counters.bytes.fetch_add(made.bytes, std::memory_order_relaxed);
  if (keep_report_) {
    fmt::print(stderr,
               "{}: {} operations, {} entries, {} bytes, {:.2f} ms ({:.2f} IR, {:.2f} "
               "optimising, {:.2f} linking)\n",
               job.name, job.lowered.list.size(), made.entries.size(), made.bytes, ms(spent),
               ms(made.building_ns), ms(made.optimising_ns), ms(made.linking_ns));
  }
  job.owner = compiler_;
  if (install(job, made)) keep(job, std::move(made.image));
}

/// Registers it with the modules whose functions it has in line. False: one is not current any
/// more.
bool Orc::join_others(const Job& job) {
  for (const std::shared_ptr<State>& other : job.others) {
    std::lock_guard lock(other->lock);
    if (other->gone) return false;
    auto& users = other->users;
    std::erase_if(users, [&](const auto& u) { return u.expired() || u.lock() == job.module; });
    users.push_back(job.module);
  }
  return true;
}

/// Where this code expects floats.
static void add_floats(const LoweredFunction& f, std::vector<Word*>* to) {
  for (const LoweredOp& p : f.list) {
    if (instr_of(p.handler) == Instr::one_float) to->push_back(const_cast<Word*>(f.entry) + p.at);
  }
}

bool Orc::install(Job& job, OrcCompiler::Result& made) {
  // Before it can be invalidated.
  baseline_.add_name(made.block, made.bytes, job.name + " (hot)");
  bool installed;
  {
    CodeWords::Edit edit(code_.code_words());
    installed = install(edit, job, made);
  }
  if (!installed) {
    baseline_.forget_name(made.block);
    job.owner->release(made.code);
  } else if (log_) {
    log_->code("installed", job.lowered.entry);
  }
  return installed;
}

/// False: the module has ended, or what it has in line is no good any more.
bool Orc::install(CodeWords::Edit& edit, Job& job, OrcCompiler::Result& made) {
  const bool others_are_current = join_others(job);
  State& state = *job.module;
  std::lock_guard lock(state.lock);
  state.names = &baseline_;
  if (state.ended) return false;
  Word* entry = const_cast<Word*>(job.lowered.entry);
  if (!others_are_current || has_breakpoint_in_line(edit, job)) {
    set_entry_count(entry, 0);
    return false;
  }
  if (edit.has(state.module, entry, Layer::llvm)) {  // two asked for it at once
    set_entry_count(entry, kGuessed);
    return false;
  }
  State::Made& now = state.made.emplace_back(
      made.code, job.owner, entry,
      Hot{made.block, made.bytes, made.entries, std::move(made.lines), std::move(made.handlers)},
      job.lowered.exit_count);
  now.no_float = job.lowered.no_float;
  add_floats(job.lowered, &now.floats);
  for (const LoweredFunction& f : job.lowered.callees) {
    now.in_line.push_back(f.entry);
    add_floats(f, &now.floats);
  }
  counters.of_other_modules.fetch_add(job.of_others, std::memory_order_relaxed);
  counters.expect_floats.fetch_add(now.floats.size(), std::memory_order_relaxed);
  if (!job.lowered.funs.empty()) state.funs[entry];  // kept code has seen some
  auto funs = state.funs.find(entry);
  if (funs != state.funs.end()) funs->second.seen = {};
  if (funs != state.funs.end() || !now.floats.empty()) set_entry_count(entry, kGuessed);
  std::vector<Patch> patches;
  for (const OrcCompiler::Entry& e : made.entries) patches.push_back({e.at, e.code});
  std::ranges::sort(patches, {}, &Patch::at);
  counters.entries.fetch_add(patches.size(), std::memory_order_relaxed);
  edit.set_llvm(state.module, entry, std::move(patches));
  return true;
}

/// Was a breakpoint set on one of the callees since they were copied?
bool Orc::has_breakpoint_in_line(const CodeWords::Edit& edit, const Job& job) {
  auto has_one = [&](const LoweredFunction& f) {
    auto is_home = [&](const auto& state) { return state->module.contains(f.entry); };
    auto other = std::ranges::find_if(job.others, is_home);
    const Module& home = other != job.others.end() ? (*other)->module : job.module->module;
    return edit.is_intercepted(home, f.entry);
  };
  return std::ranges::any_of(job.lowered.callees, has_one);
}

// --- code of earlier runs ------------------------------------------------------------------------
void Orc::keep_code() {
  std::string ignored, plugin = find_plugin(&ignored);
  if (plugin.empty()) plugin = find_plugin(&ignored, kPluginId);
  kept_ = std::make_unique<KeptCode>(code_, baseline_, plugin);
  keeps_ = true;
}

/// Which callees there are, while their modules are.
void Orc::describe(const Module& m, Job* job) {
  if (!kept_ || !m.image_key.bytes) return;
  std::vector<const Module*> homes;
  for (const LoweredFunction& callee : job->lowered.callees) {
    auto is_home = [&](const auto& state) { return state->module.contains(callee.entry); };
    auto other = std::ranges::find_if(job->others, is_home);
    homes.push_back(other == job->others.end() ? &m : &(*other)->module);
  }
  job->kept = KeptCode::describe(job->lowered, homes);
}

KeptCode::Found Orc::find_kept(Module& m, Word* entry, const std::shared_ptr<State>& state,
                               Job* job, OrcCompiler::Result* made) {
  using Found = KeptCode::Found;
  std::vector<uint8_t> bytes;
  {
    std::lock_guard lock(state->lock);
    kept_->read(m, &state->kept);
    const auto* item = state->kept.all.find(atom_text(entry_function(entry)), entry_arity(entry));
    if (!item || item->bytes.empty() || state->unusable.contains(entry)) return Found::not_now;
    bytes = item->bytes;
  }
  const std::optional<HotFunction> image = read_hot_function(bytes);
  if (!image) return Found::never;
  std::vector<Module*> homes;
  const Found found = kept_->lower(*image, m, entry, &job->lowered, &homes);
  if (found != Found::yes) return found;
  std::erase(homes, &m);
  std::ranges::sort(homes);
  homes.erase(std::unique(homes.begin(), homes.end()), homes.end());
  job->name = name_of(m, entry);
  job->module = state;
  job->owner = kept_.get();
  finish_job(m, homes, job);
  return kept_->place(*image, job->lowered, made) ? Found::yes : Found::never;
}

bool Orc::use_kept(Module& m, Word* entry) {
  if (!kept_ || !m.image_key.bytes) return false;
  const std::shared_ptr<State> state = state_of(m);
  Job job;
  OrcCompiler::Result made;
  const KeptCode::Found found = find_kept(m, entry, state, &job, &made);
  if (found == KeptCode::Found::never) {
    std::lock_guard lock(state->lock);
    state->unusable.insert(entry);
  }
  if (found != KeptCode::Found::yes) return false;
  const uint32_t samples = entry_count(entry);
  set_entry_count(entry, kQueued);
  if (!install(job, made)) {
    if (entry_count(entry) == kQueued) set_entry_count(entry, samples);
    return false;
  }
  counters.kept.fetch_add(1, std::memory_order_relaxed);
  if (keep_report_) fmt::print(stderr, "{}: {} bytes of an earlier run\n", job.name, made.bytes);
  return true;
}

void Orc::keep(const Job& job, CodeImage code) {
  if (!job.kept || code.bytes.empty()) return;
  HotFunction f = *job.kept;
  f.code = std::move(code);
  const Word* entry = job.lowered.entry;
  std::lock_guard keeping(keeping_);
  if (!keeps_) return;
  std::lock_guard lock(job.module->lock);
  if (job.module->ended) return;
  kept_->read(job.module->module, &job.module->kept);
  job.module->kept.all.put({std::string(atom_text(entry_function(entry))), entry_arity(entry), 0,
                            write_hot_function(f)});
  if (!std::exchange(job.module->kept.changed, true)) changed_.push_back(job.module);
}

void Orc::write_changed() {
  std::lock_guard keeping(keeping_);
  for (const std::shared_ptr<State>& state : std::exchange(changed_, {})) {
    std::unique_lock lock(state->lock);  // not while the disk is waited for
    if (!std::exchange(state->kept.changed, false)) continue;
    const ImageKey key = state->kept.key;
    const std::vector<uint8_t> file = state->kept.all.write();
    lock.unlock();
    kept_->write(key, file);
  }
}

/// It is hot, but would not bring in what it costs: not in this run.
void Orc::come_back_to(Module& m, const Word* entry, uint32_t samples) {
  if (!kept_ || samples < kWantedSamples) return;
  if (samples < samples_.load(std::memory_order_relaxed) / kWantedShare) return;
  std::shared_ptr<State> state = state_of(m);
  std::lock_guard lock(lock_);
  almost_[entry] = std::move(state);
}

/// Did an earlier run begin with it, and not finish?
bool Orc::is_wanted(const Module& m, const Word* entry) {
  const std::shared_ptr<State> state = kept_ ? find_state(m) : nullptr;
  if (!state) return false;
  std::lock_guard lock(state->lock);
  const auto* item = state->kept.all.find(atom_text(entry_function(entry)), entry_arity(entry));
  return item && item->bytes.empty() && item->tries <= HotFunctions::kMostTries;
}

/// The run ends: what is queued, or compiled just now, is not finished; what is not hot enough yet
/// would be in a longer run.
void Orc::note_wanted() {
  std::vector<std::pair<std::shared_ptr<State>, const Word*>> unfinished;
  {
    std::lock_guard lock(lock_);
    if (current_) unfinished.emplace_back(current_, current_entry_);
    for (const Job& job : queue_) unfinished.emplace_back(job.module, job.lowered.entry);
    for (auto& [entry, state] : std::exchange(almost_, {})) unfinished.emplace_back(state, entry);
  }
  std::lock_guard keeping(keeping_);
  if (!keeps_) return;
  for (const auto& [state, entry] : unfinished) {
    std::lock_guard lock(state->lock);
    if (state->ended || !state->module.image_key.bytes) continue;
    kept_->read(state->module, &state->kept);
    HotFunctions::Item wanted{
        std::string(atom_text(entry_function(entry))), entry_arity(entry), 1, {}};
    const auto* before = state->kept.all.find(wanted.name, wanted.arity);
    if (before && !before->bytes.empty()) continue;
    if (before) wanted.tries = before->tries + 1;
    if (wanted.tries > HotFunctions::kMostTries + 1) continue;
    state->kept.all.put(std::move(wanted));
    if (!std::exchange(state->kept.changed, true)) changed_.push_back(state);
  }
}

void Orc::write_kept() {
  note_wanted();
  write_changed();
  std::lock_guard keeping(keeping_);
  keeps_ = false;
}

// --- invalidating code ---------------------------------------------------------------------------
/// Code of one module.
template <class F>
void Orc::invalidate(CodeWords::Edit& edit, State& state, F which, std::atomic<uint64_t>& count,
                     std::vector<Code>* invalidated) {
  std::lock_guard lock(state.lock);
  auto stays = [&](const State::Made& made) { return !which(made); };
  auto from = std::partition(state.made.begin(), state.made.end(), stays);
  for (auto made = from; made != state.made.end(); ++made) {
    edit.remove(state.module, made->entry, Layer::llvm);
    invalidated->push_back({made->owner, state.names, made->code, made->hot.code});
    set_entry_count(made->entry, 0);
    count.fetch_add(1, std::memory_order_relaxed);
    if (log_) log_->code("left", made->entry);
  }
  state.made.erase(from, state.made.end());
}

bool Orc::invalidate_inlined(CodeWords::Edit& edit, const Module& m, const Word* entry) {
  std::shared_ptr<State> state = find_state(m);
  if (!state) return false;
  auto has_it = [&](const State::Made& made) {
    return std::find(made.in_line.begin(), made.in_line.end(), entry) != made.in_line.end();
  };
  std::vector<Code> invalidated;
  invalidate(edit, *state, has_it, counters.left_for_callee, &invalidated);
  for (const auto& user : state->all_users()) {
    invalidate(edit, *user, has_it, counters.left_for_callee, &invalidated);
  }
  return free_code(std::move(invalidated));
}

bool Orc::invalidate_module(CodeWords::Edit& edit, Module& m) {
  std::shared_ptr<State> state = state_of(m);
  auto has_any = [&](const State::Made& made) {
    return std::any_of(made.in_line.begin(), made.in_line.end(),
                       [&](const Word* entry) { return m.contains(entry); });
  };
  std::vector<Code> invalidated;
  for (const auto& user : state->all_users()) {
    invalidate(edit, *user, has_any, counters.left_for_module, &invalidated);
  }
  {
    std::lock_guard lock(state->lock);
    state->gone = true;
    state->users.clear();
  }
  return free_code(std::move(invalidated));
}

bool Orc::invalidate_function(CodeWords::Edit& edit, const Module& m, const Word* entry) {
  auto is_it = [&](const State::Made& made) { return made.entry == entry; };
  std::vector<Code> invalidated;
  if (auto state = find_state(m)) {
    invalidate(edit, *state, is_it, counters.left_for_funs, &invalidated);
    std::lock_guard lock(state->lock);
    state->unusable.insert(entry);  // what is kept of it may be the same
  }
  return free_code(std::move(invalidated));
}

/// When everybody has passed a safe point. False: there is none.
bool Orc::free_code(std::vector<Code> code) {
  struct Freed {
    Orc& orc;
    std::vector<Code> code;
  };
  if (code.empty()) return false;
  scheduler_->retire(new Freed{*this, std::move(code)}, [](void* f) {
    std::unique_ptr<Freed> freed(static_cast<Freed*>(f));
    for (const Code& c : freed->code) {
      c.names->forget_name(c.block);
      c.owner->release(c.code);
      freed->orc.counters.freed.fetch_add(1, std::memory_order_relaxed);
    }
  });
  return true;
}

}  // namespace wb
