#include "vm/process/route.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "term/atom.h"
#include "vm/machine/machine.h"

namespace wb {
namespace {

/// A process that is in the table and never runs.
struct Receiver {
  explicit Receiver(Vm& machine) : vm(machine) {
    p->vm_ = &vm;
    REQUIRE(vm.processes->add(*p));
  }
  ~Receiver() {
    vm.processes->remove(*p);
    vm.processes->forget_name(p->id);
    for (Signal* s : take()) free_signal(s);
  }
  /// Newest first.
  std::vector<Signal*> take() {
    std::vector<Signal*> all;
    for (Signal* s = p->inbox.exchange(nullptr); s; s = s->next) all.push_back(s);
    return all;
  }
  Vm& vm;
  std::unique_ptr<Process> p = std::make_unique<Process>();
};

Signal* from(const Receiver& r, SignalKind kind) {
  Signal* s = new_signal(kind);
  s->from = r.p->address();
  s->ref = 7;
  return s;
}

}  // namespace

TEST_CASE("route: to a process here, by address and by name") {
  Machine vm{VmOptions{}};  // never started
  InstanceScope scope(vm.instance);
  Receiver r(vm);
  const Address name = Address::of_local(intern("route_test"));
  CHECK_FALSE(route(vm, name, new_signal(SignalKind::resume)));
  REQUIRE(vm.processes->register_name(name.local_term(), r.p->id) ==
          ProcessTable::Registered::done);
  CHECK(route(vm, r.p->address(), new_signal(SignalKind::suspend)));
  CHECK(route(vm, name, new_signal(SignalKind::resume)));
  auto all = r.take();
  REQUIRE(all.size() == 2);
  CHECK(all[0]->kind == SignalKind::resume);
  for (Signal* s : all) free_signal(s);
  CHECK_FALSE(route(vm, Address(), new_signal(SignalKind::resume)));
  CHECK_FALSE(route(vm, make_pid(pid_slot(r.p->id), pid_serial(r.p->id) + 1),
                    new_signal(SignalKind::resume)));
  CHECK_FALSE(route(vm, make_port(12345), new_signal(SignalKind::link)));
}

TEST_CASE("route: who links to or monitors what cannot be reached is answered, all else is lost") {
  Machine vm{VmOptions{}};
  InstanceScope scope(vm.instance);
  Receiver r(vm);
  {
    const HeldAddress far = vm.instance.remotes.hold({intern("far@x"), 1}, Remote::Kind::pid, 5);
    for (int k = 0; k <= static_cast<int>(SignalKind::work_done); ++k) {
      const auto kind = static_cast<SignalKind>(k);
      CHECK(route(vm, far, from(r, kind)));
      auto all = r.take();
      const bool answered = kind == SignalKind::link || kind == SignalKind::monitor;
      REQUIRE(all.size() == answered);
      if (!answered) continue;
      CHECK(all[0]->kind == (kind == SignalKind::link ? SignalKind::link_exit : SignalKind::down));
      CHECK(all[0]->from == far);
      CHECK(all[0]->term == am::noconnection);
      CHECK((kind == SignalKind::link || all[0]->ref == 7));
      free_signal(all[0]);
    }
  }
  CHECK(vm.instance.remotes.size() == 0);
}

TEST_CASE("route: what this node was before it was started anew is nobody") {
  Machine vm{VmOptions{}};
  InstanceScope scope(vm.instance);
  Receiver r(vm);
  const HeldAddress old = vm.instance.remotes.hold({local_node().name, 77}, Remote::Kind::pid, 5);
  CHECK(is_of_old_incarnation(old));
  CHECK_FALSE(route(vm, old, from(r, SignalKind::link)));
  CHECK_FALSE(route(vm, old, from(r, SignalKind::monitor)));
  CHECK(r.take().empty());
}

}  // namespace wb
