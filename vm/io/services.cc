#include "vm/io/services.h"

#include <algorithm>
#include <csignal>

#include "gc/fragment.h"
#include "term/binary.h"
#include "term/socket_atoms.h"
#include "vm/core/vm.h"
#include "vm/ets/tables.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/process/spawn.h"
#include "vm/process/table.h"

namespace wb {

static bool is_service(Term name) {
  switch (atom_index(name)) {
    case am_index::user:
    case am_index::standard_error:
      return true;
#define SERVICE(id) case am_index::id:
#include "vm/io/services.def"
      return true;
    default:
      return false;
  }
}

Services::Services(Vm& vm, std::vector<std::string> arguments, bool nostick)
    : vm_(vm),
      descriptors_{Descriptor(vm, 0), Descriptor(vm, 1), Descriptor(vm, 2)},
      arguments_(std::move(arguments)),
      nostick_(nostick) {
  signal(SIGPIPE, SIG_IGN);
  vm.io_leader = start(am::user);
  start(am::standard_error);
}

Term Services::spawn(Term module, Term name) {
  FragmentHeap h(8);
  SpawnOptions options;
  options.system = true;
  return spawn_process(vm_, nullptr, module, am::start, cons(h, name, kNil), options);
}

/// Services with tables that others read.
struct OwnedTable {
  Term table, owner;
};
static constexpr OwnedTable kOwnedTables[] = {
#define OWNED_TABLE(table, owner) {am::table, am::owner},
#include "vm/io/services.def"
};
static Term owner_of_table(Term table) {
  for (const OwnedTable& t : kOwnedTables)
    if (t.table == table) return t.owner;
  return kNone;
}
static bool owns_table(Term name) {
  for (const OwnedTable& t : kOwnedTables)
    if (t.owner == name) return true;
  return false;
}

Term Services::start(Term name) {
  if (!is_service(name)) return kNone;
  // Elixir's application registers that name itself, soon after it has made the table.
  bool stands_in = name == am::elixir_config;
  if (stands_in && vm_.ets->find_named(name)) return kNone;
  std::lock_guard lock(lock_);
  if (Term pid = vm_.processes->registered(name); is_value(pid)) return pid;  // by now
  auto it = started_.find(name);
  if (it != started_.end() && vm_.is_alive(it->second.pid)) {
    // Who passes on what comes may be called by that name still; from all others it was taken away.
    bool passes_on = stands_in || name == am::application_controller;
    return passes_on ? it->second.pid : kNone;
  }
  bool io = name == am::user || name == am::standard_error;
  Term pid = spawn(io ? am::whitebeam_io : am::whitebeam_service, name);
  if (is_fault(pid)) return kNone;
  if (!stands_in) vm_.processes->register_name(name, pid);
  started_[name] = {pid, !owns_table(name)};
  if (owns_table(name)) starting_.fetch_add(1, std::memory_order_release);
  return pid;
}
void Services::await_registration() { std::lock_guard lock(lock_); }

void Services::ready(Term pid) {
  std::lock_guard lock(lock_);
  for (auto& [name, s] : started_) {
    if (s.pid != pid || s.ready) continue;
    s.ready = true;
    starting_.fetch_sub(1, std::memory_order_release);
  }
}

struct PartOf {
  Term part, service;
};
static constexpr PartOf kParts[] = {
#define PART_OF(part, service) {am::part, am::service},
#include "vm/io/services.def"
};

/// Was `p` started by `ancestor`, or by a process that was, and so on? Parents never change.
static bool descends_from(Vm& vm, const Process& p, Term ancestor) {
  for (const Process* q = &p; q; q = vm.processes->find(q->parent)) {
    if (q->id == ancestor) return true;
  }
  return false;
}

/// Does `p` take part in the start of this service? Under lock_.
bool Services::takes_part(const Process& p, Term service) const {
  auto descends = [&](Term name) {
    auto it = started_.find(name);
    return it != started_.end() && descends_from(vm_, p, it->second.pid);
  };
  return descends(service) || std::ranges::any_of(kParts, [&](const PartOf& known) {
           return known.service == service && descends(known.part);
         });
}

bool Services::awaits_table(Process& p, Term table) {
  Term name = owner_of_table(table);
  if (is_fault(name)) return false;
  bool known;
  {
    std::lock_guard lock(lock_);
    known = started_.count(name) != 0;
  }
  if (!known) start(name);
  std::lock_guard lock(lock_);
  auto it = started_.find(name);
  if (it == started_.end() || it->second.ready) return false;
  // Those who take part in the start must not wait for its end.
  return vm_.is_alive(it->second.pid) && !takes_part(p, name);
}

void Services::set_elixir_io() {
  FragmentHeap h(16);
  Term request = tuple(h, am::setopts, cons(h, am::binary, cons(h, am::unicode, kNil)));
  send_message(vm_, vm_.io_leader, tuple(h, am::io_request, vm_.io_leader, am::undefined, request));
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
