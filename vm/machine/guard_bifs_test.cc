// The BIFs that instructions name directly (bytecode/guard_bifs.def): what the validator believes
// of them is true of the machine.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bytecode/guard_bif.h"
#include "bytecode/test_assembler.h"
#include "bytecode/validate.h"
#include "loader/code_table.h"
#include "loader/emit.h"
#include "term/binary.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/machine/machine.h"
#include "vm/process/exec.h"

using namespace wb;

namespace {

constexpr GuardBif kTable[] = {
#define GUARD_BIF(identifier, name, arity, gc, fails, result, argument, learnt) \
  {name, arity, gc, BifFails::fails, kinds::result, argument, kinds::learnt},
#include "bytecode/guard_bifs.def"
#undef GUARD_BIF
};

/// A function that calls it by the instruction for it.
std::string caller(const GuardBif& b) {
  std::string code = "function f/3\n";
  std::string named = " erlang:" + std::string(b.name) + "/" + std::to_string(b.arity);
  if (b.gc || b.arity == 3)
    code += "gc_bif" + std::to_string(b.arity) + " -, 3," + named;
  else if (b.arity)
    code += "bif" + std::to_string(b.arity) + " -," + named;
  else
    code += "bif0" + named;
  for (int k = 0; k < b.arity; k++) code += ", x" + std::to_string(k);
  return code + ", x0\nreturn";
}

bool loads(Machine& vm, const GuardBif& b, std::string* why) {
  TestModule m(caller(b));
  if (auto error = validate(&m.unit)) {
    *why = error->message();
    return false;
  }
  return emit_module(*vm.code, *m.unit.file, m.unit, why) != nullptr;
}

Kinds kind_of(Term t) {
  if (is_atom(t)) return kinds::atom;
  if (is_nil(t)) return kinds::nil;
  if (is_cons(t)) return kinds::cons;
  if (is_float(t)) return kinds::flo;
  if (is_integer(t)) return kinds::integer;
  if (is_map(t)) return kinds::map;
  if (is_bitstring(t)) return kinds::bitstring;
  if (is_tuple(t)) return kinds::tuple;
  return is_local_pid(t) ? kinds::pid : kinds::none;
}

}  // namespace

TEST_CASE("guard BIFs: each loads, and with a body that the machine has") {
  Machine vm{VmOptions{}};
  InstanceScope scope(vm.instance);
  for (const GuardBif& b : kTable) {
    INFO(b.name << "/" << int{b.arity});
    std::string why;
    CHECK(loads(vm, b, &why));
    CHECK(why == "");
  }
}

TEST_CASE("guard BIFs: a module that names one without a body does not load") {
  Machine vm{VmOptions{}};
  InstanceScope scope(vm.instance);
  for (const GuardBif& b : kTable) {
    if (b.name != "length" && b.name != "node" && b.name != "is_record" && b.name != "max")
      continue;
    Export* e = vm.code->export_entry(am::erlang, intern(std::string(b.name)), b.arity);
    e->guard = nullptr;
    std::string why;
    CHECK(!loads(vm, b, &why));
    CHECK(why.find("erlang:" + std::string(b.name) + "/") != why.npos);
  }
}

TEST_CASE("guard BIFs: they fail only when the table says so, and give what it says") {
  Machine vm{VmOptions{}};
  InstanceScope scope(vm.instance);
  Process p;
  auto exec = std::make_unique<Exec>();
  p.exec = exec.get();
  p.vm_ = &vm;
  exec->p = &p;
  exec->vm = &vm;
  p.heap.init(233);
  Heap& h = p.heap;
  Term three[] = {am::ok, make_small(1), kNil};
  Term pairs[] = {am::ok, make_small(1)};
  const Term values[] = {am::ok,
                         am::true_,
                         kNil,
                         make_small(0),
                         make_small(3),
                         make_small(-1),
                         make_float(h, 1.5),
                         make_integer(h, int64_t{1} << 62),
                         cons(h, make_small(1), kNil),
                         cons(h, am::ok, am::ok),
                         tuple(h, am::ok, am::ok),
                         tuple(h),
                         map_from_pairs(h, pairs, 1),
                         make_binary(h, "abc", 3),
                         tuple(h, three[0], three[1], three[2])};
  constexpr size_t kValues = sizeof values / sizeof values[0];
  size_t calls = 0;
  for (const GuardBif& b : kTable) {
    const Export* e = vm.code->export_entry(am::erlang, intern(std::string(b.name)), b.arity);
    if (!e->guard || b.arity == 0) continue;
    INFO(std::string(b.name) << "/" << int{b.arity});
    size_t combinations = 1;
    for (int k = 0; k < b.arity; k++) combinations *= kValues;
    for (size_t i = 0; i < combinations; i++, calls++) {
      Term args[3];
      size_t rest = i;
      for (int k = 0; k < b.arity; k++, rest /= kValues) args[k] = values[rest % kValues];
      Term r = reinterpret_cast<GuardFn>(e->guard)(p, args);
      bool right_kind = b.argument >= 0 && (kind_of(args[b.argument]) & b.learnt);
      if (b.fails == BifFails::never || (b.fails == BifFails::otherwise && right_kind)) {
        if (!is_value(r)) FAIL("fails");
      }
      if (!is_value(r)) continue;
      if (!(kind_of(r) & b.result)) FAIL("gives something else");
      if (b.argument >= 0 && !right_kind) FAIL("succeeds with something else");
    }
  }
  CHECK(calls > 10000);
}
