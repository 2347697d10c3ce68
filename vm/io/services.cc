#include "vm/io/services.h"

#include <csignal>

#include "gc/fragment.h"
#include "term/atom.h"
#include "term/binary.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/process/table.h"
#include "vm/vm.h"

namespace wb {

static bool is_service(Term name) {
  switch (atom_index(name)) {
    case am_index::user:
    case am_index::standard_error: return true;
#define SERVICE(id) case am_index::id:
#include "vm/io/services.def"
#undef SERVICE
    return true;
    default: return false;
  }
}

Services::Services(Vm& vm, std::vector<std::string> arguments)
    : vm_(vm),
      descriptors_{Descriptor(vm, 0), Descriptor(vm, 1), Descriptor(vm, 2)},
      arguments_(std::move(arguments)) {
  signal(SIGPIPE, SIG_IGN);
  vm.io_leader = start(am::user);
  start(am::standard_error);
  vm.processes->start_context = this;
  vm.processes->start_missing = [](void* s, Term name) {
    return static_cast<Services*>(s)->start(name);
  };
}

Term Services::spawn(Term module, Term name) {
  FragmentHeap h(8);
  SpawnOptions options;
  options.system = true;
  return spawn_process(vm_, nullptr, module, am::start, cons(h, name, kNil), options);
}

Term Services::start(Term name) {
  if (!is_service(name)) return kNone;
  bool io = name == am::user || name == am::standard_error;
  return vm_.processes->register_new(
      name, [&] { return spawn(io ? am::whitebeam_io : am::whitebeam_service, name); });
}

void Services::halt(int code) {
  FragmentHeap h(8);
  if (!send_message(vm_, vm_.io_leader, tuple(h, am::whitebeam_halt, make_small(code)))) {
    vm_.halt(code);
  }
}

void Services::report_crash(const std::string& header, Term pid, Term exit_value) {
  FragmentHeap h(64);
  Term text = make_binary(h, header.data(), header.size());
  send_message(vm_, vm_.processes->whereis(am::standard_error),
               tuple(h, am::whitebeam_crash, text, pid, exit_value));
}

}  // namespace wb
