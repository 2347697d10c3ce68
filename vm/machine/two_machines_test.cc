// Two machines in one program: each has its own settings, and the end of one is not the other's.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>

#include "base/out_of_memory.h"
#include "gc/fragment.h"
#include "loader/code_table.h"
#include "term/atom.h"
#include "term/external.h"
#include "term/print.h"
#include "vm/machine/machine.h"
#include "vm/process/run.h"
#include "vm/process/spawn.h"

namespace wb {
namespace {

VmOptions small_machine() {
  VmOptions options;
  options.schedulers = 1;
  options.otp_root = "/usr/lib/erlang";
  return options;
}

/// The main process of a machine that starts now.
void spawn_main(Machine& vm, Term module, const char* function, Term args) {
  vm.main_pid = spawn_process(vm, nullptr, module, intern(function), args);
  vm.start();
}

/// Spawns lists:seq(1, N), with whose end the machine ends.
void spawn_sequence(Machine& vm, int64_t n) {
  InstanceScope scope(vm.instance);
  REQUIRE(vm.code->load_from_path(am::lists));
  FragmentHeap h(64);
  spawn_main(vm, am::lists, "seq", cons(h, make_small(1), cons(h, make_small(n), kNil)));
}

std::atomic<Vm*> failed{nullptr};
std::string why;

}  // namespace

TEST_CASE("two machines: each has a name, references and settings of its own", "[two_machines]") {
  VmOptions stressed = small_machine();
  stressed.gc_stress = true;
  MachinePtr a(new Machine(stressed)), b(new Machine(small_machine()));
  FragmentHeap h(64);
  std::vector<uint8_t> bytes;
  {
    InstanceScope scope(a->instance);
    set_local_node({intern("a@here"), 3});
    CHECK(poisons_freed);
    encode_term(make_pid(5, 0), {}, &bytes);
    CHECK(decode_term(h, bytes.data(), bytes.size()) == make_pid(5, 0));
  }
  {
    InstanceScope scope(b->instance);
    CHECK(local_node().name == am::nonode_at_nohost);
    CHECK(!poisons_freed);
    CHECK(is_kind(decode_term(h, bytes.data(), bytes.size()), Kind::ext_pid));
    InstanceScope inner(a->instance);
    CHECK(local_node().name == intern("a@here"));
  }
  Export *in_a = a->code->export_entry(am::lists, intern("seq"), 2), *in_b = nullptr;
  {
    InstanceScope scope(b->instance);
    in_b = static_cast<Export*>(fun_resolver().export_entry(am::lists, intern("seq"), 2));
  }
  CHECK(in_a != in_b);
  CHECK(in_b == b->code->export_entry(am::lists, intern("seq"), 2));
}

TEST_CASE("two machines: one under stress, one without memory, one goes on", "[two_machines]") {
  constexpr size_t kFew = size_t{96} << 20;
  VmOptions poor = small_machine(), stressed = small_machine();
  poor.max_memory = kFew + live_bytes(Live::heaps);
  poor.on_fatal = [](Vm& vm, int, const char* message) {
    why = message;
    failed = &vm;
  };
  stressed.gc_stress = true;
  MachinePtr a(new Machine(stressed)), b(new Machine(poor)), c(new Machine(small_machine()));
  spawn_sequence(*a, 20'000);
  spawn_sequence(*b, 1'000'000'000);
  CHECK(b->wait() == kExitOutOfMemory);
  CHECK(b->failed());
  CHECK(failed == b.get());
  CHECK(why.find("--max-memory") != std::string::npos);
  CHECK(a->wait() == 0);
  spawn_sequence(*c, 100'000);  // and starts, after the end of another
  CHECK(c->wait() == 0);
  CHECK(!a->failed());
}

TEST_CASE("two machines: one aborts, one goes on", "[two_machines]") {
  static std::atomic<int> code;
  VmOptions aborting = small_machine();
  aborting.on_fatal = [](Vm&, int exit_code, const char*) { code = exit_code; };
  MachinePtr a(new Machine(aborting)), b(new Machine(small_machine()));
  spawn_sequence(*b, 1'000'000);
  {
    InstanceScope scope(a->instance);
    FragmentHeap h(8);
    spawn_main(*a, am::erlang, "halt", cons(h, am::abort, kNil));
  }
  CHECK(a->wait() == kExitAborted);
  CHECK(code == kExitAborted);
  CHECK(a->failed());
  CHECK(b->wait() == 0);
}

}  // namespace wb
