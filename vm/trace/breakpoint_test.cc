// Breakpoints as records and as what calls find, in every tier.
#include "vm/trace/breakpoint.h"
#include "vm/process/spawn.h"

#include <catch2/catch.hpp>

#include "gc/fragment.h"
#include "vm/jit/baseline.h"
#include "vm/machine/machine.h"
#include "vm/process/run.h"
#include "vm/trace/tracing.h"

namespace wb {
namespace {

struct Traced {
  MachinePtr vm;
  InstanceScope scope;
  Module& m;

  static VmOptions options(JitMode jit) {
    VmOptions o;
    o.schedulers = 1;
    o.otp_root = "/usr/lib/erlang";
    o.jit = jit;
    return o;
  }
  static Module& lists(Vm& vm) {
    auto loaded = vm.code->load_from_path(am::lists);
    REQUIRE(loaded);
    return **loaded;
  }
  explicit Traced(JitMode jit = JitMode::off)
      : vm(new Machine(options(jit))), scope(vm->instance), m(lists(*vm)) {}
  Breakpoints& all() { return vm->tracing->breakpoints; }
  Word* entry(const char* name, uint32_t arity) {
    for (const Module::Function& f : m.functions) {
      if (f.name == intern(name) && f.arity == arity) return m.code + f.entry;
    }
    FAIL("lists has no such function");
    return nullptr;
  }
  Breakpoint& on(Word* entry) {
    return all().on_code(m, entry, entry_function(entry), entry_arity(entry));
  }
  static CallPatterns counting() {
    CallPatterns p;
    p.count = true;
    return p;
  }
  /// lists:duplicate(N, true), to its end.
  void run(int64_t n) {
    FragmentHeap h(64);
    Term args = cons(h, make_small(n), cons(h, am::true_, kNil));
    vm->main_pid = spawn_process(*vm, nullptr, am::lists, intern("duplicate"), args);
    vm->start();
    CHECK(vm->wait() == 0);
  }
};

}  // namespace

TEST_CASE("breakpoints: calls are counted in every tier", "[breakpoint]") {
  for (JitMode jit : {JitMode::off, JitMode::baseline, JitMode::baseline_eager}) {
    Traced t(jit);
    Breakpoint &outer = t.on(t.entry("duplicate", 2)), &inner = t.on(t.entry("duplicate", 3));
    {
      auto lock = t.all().lock();
      t.all().set(outer, t.counting());
      t.all().set(inner, t.counting());
    }
    constexpr int64_t kElements = 5000;  // more than a slice
    t.run(kElements);
    INFO("tier " << static_cast<int>(jit));
    CHECK(outer.calls == 1);
    CHECK(inner.calls == kElements + 1);  // it calls itself, which native code would not tell
  }
}

TEST_CASE("breakpoints: the word is there as long as something is set", "[breakpoint]") {
  Traced t(JitMode::baseline);
  Word* entry = t.entry("nth", 2);
  const Word before = CodeWords::load(entry);
  const Word handler = t.vm->code->handler(Instr::breakpoint);
  auto lock = t.all().lock();
  Breakpoint& b = t.on(entry);
  CHECK(CodeWords::load(entry) == before);
  CHECK(!t.all().any());
  t.all().set(b, t.counting());
  CHECK(CodeWords::load(entry) == handler);
  CHECK(t.all().any());
  CallPatterns local = t.counting();
  local.local = true;
  t.all().set(b, local);
  t.all().set(b, t.counting());
  CHECK(CodeWords::load(entry) == handler);
  t.all().set(b, {});
  CHECK(CodeWords::load(entry) == before);
  CHECK(!t.all().any());
  CHECK(t.all().find(entry) == &b);  // the record stays with the code
  CHECK(t.all().at(b.number) == &b);
}

TEST_CASE("breakpoints: many records are found by address", "[breakpoint]") {
  Traced t;
  auto lock = t.all().lock();
  std::vector<std::pair<Word*, Breakpoint*>> made;
  for (const Module::Function& f : t.m.functions) {
    Word* entry = t.m.code + f.entry;
    made.emplace_back(entry, &t.all().on_code(t.m, entry, f.name, f.arity));
  }
  REQUIRE(made.size() > 200);  // several tables
  for (auto [entry, b] : made) {
    CHECK(t.all().find(entry) == b);
    CHECK(b->function == entry_function(entry));
    CHECK(t.all().find(entry + 1) == nullptr);
  }
}

TEST_CASE("breakpoints: on an export and on a native function", "[breakpoint]") {
  Traced t;
  auto lock = t.all().lock();
  CallPatterns global;
  global.global = true;
  Export* e = t.vm->code->find_export(am::lists, intern("nth"), 2);
  REQUIRE(e);
  Word* code = e->entry;
  Breakpoint& b = t.all().on_export(*e);
  t.all().set(b, global);
  CHECK(e->entry == b.via.stub_entry());
  CHECK(b.go_on == reinterpret_cast<Word>(code));
  t.all().set(b, {});
  CHECK(e->entry == code);
  Export* bif = t.vm->code->find_export(am::erlang, intern("self"), 0);
  REQUIRE(bif);
  REQUIRE(bif->bif);
  Breakpoint& n = t.all().on_export(*bif);
  CHECK(n.kind == Breakpoint::bif);
  t.all().set(n, global);
  CHECK(bif->body != bif->bif);
  t.all().set(n, {});
  CHECK(bif->body == bif->bif);
}

}  // namespace wb
