// The LLVM tier as the VM sees it, with a compiler that makes no code: what it "compiles" leads to
// the interpreter's own handlers. So installing, invalidating and freeing run without LLVM, also
// under AddressSanitizer and ThreadSanitizer, and what programs compute is what it was.
#include "vm/orc/orc.h"

#include <catch2/catch.hpp>
#include <thread>

#include "gc/fragment.h"
#include "term/atom.h"
#include "vm/interp/interpreter.h"
#include "vm/machine/machine.h"
#include "vm/process/run.h"
#include "vm/process/spawn.h"
#include "vm/trace/tracing.h"

namespace wb {
namespace {

class HandlersAgain final : public OrcCompiler {
 public:
  explicit HandlersAgain(const Word* handlers) : handlers_(handlers) {}
  bool compile(const LoweredFunction& function, bool, Result* out) override {
    callees = function.callees.size();
    for (const LoweredOp& op : function.list) {
      if (op.first) out->entries.push_back({op.at, handlers_[op.whole]});
    }
    out->code = new int(0);
    out->block = &kCode;
    out->bytes = 1;
    ++made;
    return true;
  }
  void release(void* code) override {
    delete static_cast<int*>(code);
    ++released;
  }
  std::atomic<int> made{0}, released{0};
  size_t callees = 0;  ///< of the last one

 private:
  static constexpr uint8_t kCode = 0;
  const Word* const handlers_;
};

/// A machine with lists, every function of which has baseline code.
struct Tier {
  HandlersAgain compiler{make_handler_table(false)};  // code is released when the machine ends
  MachinePtr vm;
  std::optional<InstanceScope> scope;  ///< goes before the machine
  Module& m;

  static VmOptions options(size_t schedulers) {
    VmOptions o;
    o.schedulers = schedulers;
    o.otp_root = "/usr/lib/erlang";
    o.jit = JitMode::full;
    return o;
  }
  static Module& lists(Vm& vm) {
    auto loaded = vm.code->load_from_path(am::lists);
    REQUIRE(loaded);
    return **loaded;
  }
  explicit Tier(size_t schedulers = 1)
      : vm(new Machine(options(schedulers))), scope(std::in_place, vm->instance), m(lists(*vm)) {
    if (!vm->orc) return;
    vm->orc->use_compiler(&compiler);
    vm->baseline->compile_all(m);
  }
  Word* entry(const char* name, uint32_t arity) {
    for (const Module::Function& f : m.functions) {
      if (f.name == intern(name) && f.arity == arity) return m.code + f.entry;
    }
    FAIL("lists has no such function");
    return nullptr;
  }
  bool has(const Word* entry, Layer l) {
    return CodeWords::Edit(vm->code->code_words()).has(m, entry, l);
  }
  bool is_hot(const Word* entry) {
    Orc::Hot hot;
    return vm->orc->find(m, entry, &hot);
  }
  void count_calls(Word* entry, bool on) {
    Breakpoints& all = vm->tracing->breakpoints;
    vm->code->each_module([&](Module& m) {
      if (m.name != am::lists) return;
      auto lock = all.lock();
      CallPatterns patterns;
      patterns.count = on;
      all.set(all.on_code(m, entry, entry_function(entry), entry_arity(entry)), patterns);
    });
  }
};

}  // namespace

TEST_CASE("LLVM tier: its code is a layer, whatever else comes", "[orc]") {
  Tier t;
  if (!t.vm->orc) return;
  Word* entry = t.entry("duplicate", 2);
  const Word native = CodeWords::load(entry);
  t.vm->orc->compile_now(t.m, entry, nullptr);
  REQUIRE(t.is_hot(entry));
  const Word hot = CodeWords::load(entry);
  CHECK(hot != native);
  CHECK(t.vm->code->code_words().is_handler(hot));
  SECTION("a breakpoint goes on with it") {
    t.count_calls(entry, true);
    CHECK(t.vm->tracing->breakpoints.find(entry)->go_on == hot);
    CHECK(t.is_hot(entry));
    t.count_calls(entry, false);
    CHECK(CodeWords::load(entry) == hot);
  }
  SECTION("it is invalidated below a breakpoint") {
    t.count_calls(entry, true);
    t.vm->tracing->breakpoints.invalidate_hot_code(t.m, entry);
    CHECK(t.vm->tracing->breakpoints.find(entry)->go_on == native);
    t.count_calls(entry, false);
    CHECK(CodeWords::load(entry) == native);
    CHECK(entry_count(entry) == 0);
  }
  SECTION("it is installed below a breakpoint") {
    t.vm->tracing->breakpoints.invalidate_hot_code(t.m, entry);
    t.count_calls(entry, true);
    t.vm->orc->compile_now(t.m, entry, nullptr);
    CHECK(t.vm->tracing->breakpoints.find(entry)->go_on == hot);
    t.count_calls(entry, false);
    CHECK(CodeWords::load(entry) == hot);
  }
  SECTION("it is not installed twice") {
    t.vm->orc->compile_now(t.m, entry, nullptr);
    CHECK(t.compiler.made == 2);
    CHECK(t.compiler.released == 1);
    CHECK(t.is_hot(entry));
  }
}

TEST_CASE("LLVM tier: code with a function in line is invalidated for a breakpoint on it",
          "[orc]") {
  Tier t;
  if (!t.vm->orc) return;
  Word *caller = t.entry("duplicate", 2), *callee = t.entry("duplicate", 3);
  t.vm->orc->compile_now(t.m, caller, nullptr);
  REQUIRE(t.compiler.callees == 1);
  REQUIRE(t.is_hot(caller));
  t.count_calls(callee, true);
  CHECK(!t.is_hot(caller));
  CHECK(!t.has(caller, Layer::llvm));
  CHECK(t.vm->orc->counters.left_for_callee == 1);
  // Neither does new code get the function while it has a breakpoint.
  t.vm->orc->compile_now(t.m, caller, nullptr);
  CHECK(t.compiler.callees == 0);
  t.count_calls(callee, false);
}

TEST_CASE("LLVM tier: all code is released", "[orc]") {
  auto t = std::make_unique<Tier>();
  if (!t->vm->orc) return;
  for (auto [name, arity] : {std::pair("duplicate", 2), {"duplicate", 3}, {"nth", 2}}) {
    t->vm->orc->compile_now(t->m, t->entry(name, arity), nullptr);
  }
  t->count_calls(t->entry("duplicate", 3), true);
  CHECK(t->compiler.made == 3);
  t->scope.reset();
  t->vm.reset();
  CHECK(t->compiler.released == 3);
}

// Code is patched while two schedulers run it.
TEST_CASE("LLVM tier: code comes and goes while it runs", "[orc]") {
  constexpr int64_t kElements = 20'000, kProcesses = 40;
  Tier t(2);
  if (!t.vm->orc) return;
  Word *caller = t.entry("duplicate", 2), *callee = t.entry("duplicate", 3);
  {
    FragmentHeap h(64);
    auto spawn = [&](int64_t n) {
      Term args = cons(h, make_small(n), cons(h, am::true_, kNil));
      return spawn_process(*t.vm, nullptr, am::lists, intern("duplicate"), args);
    };
    for (int64_t k = 0; k < kProcesses; ++k) spawn(kElements);
    t.vm->main_pid = spawn(kElements);
  }
  std::atomic<bool> stop{false};
  std::thread patches([&, instance = this_instance] {
    InstanceScope scope(*instance);
    while (!stop) {
      for (Word* entry : {caller, callee}) t.vm->orc->compile_now(t.m, entry, nullptr);
      for (Word* entry : {caller, callee}) t.count_calls(entry, true);
      for (Word* entry : {callee, caller}) t.count_calls(entry, false);
      t.vm->tracing->breakpoints.invalidate_hot_code(t.m, callee);
    }
  });
  t.vm->start();
  CHECK(t.vm->wait() == 0);
  stop = true;
  patches.join();
  CHECK(t.compiler.made > 0);
}

}  // namespace wb
