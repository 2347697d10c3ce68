#include "vm/port/ports.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/recording.h"
#include "vm/core/vm.h"
#include "vm/io/environment.h"
#include "vm/io/file_names.h"
#include "vm/io/network.h"
#include "vm/io/signals.h"
#include "vm/port/child.h"
#include "vm/port/lockstep.h"
#include "vm/port/port_tracer.h"
#include "vm/port/terminal.h"
#include "vm/port/trace_file.h"
#include "vm/process/relations.h"
#include "vm/process/route.h"

namespace wb {

/// BEAM's own first ports (its forker, the terminal) have the numbers below; programs take the
/// first of ports() for granted.
constexpr uint64_t kFirstNumber = 5, kLastNumber = (1u << 28) - 1;
/// How long the end of the machine waits for programs to read what is left for them.
constexpr uint64_t kFlushTime = 5'000'000'000;

Ports::Ports(Vm& vm) : vm_(vm), next_(kFirstNumber), reaper_(vm) {
  if (vm.oracle->has_virtual_time()) lockstep_ = std::make_unique<Lockstep>(vm, reaper_);
  Term id = make_port(Port::kOwnNumber);
  Term nobody = make_pid(0, 0);
  ports_.insert(id, std::make_shared<Port>(*this, id, PortOptions(), "forker", nobody, -1, -1, 0));
}
Ports::~Ports() {
  const auto ports = ports_.all();
  for (auto& [id, port] : ports) ports_.take_out(id);
  for (auto& [id, port] : ports) port->abandon();
}

void Ports::flush() {
  uint64_t deadline = vm_.scheduler->now_ns() + kFlushTime;
  for (auto& [id, port] : ports_.all()) port->flush(deadline);
  terminal_mode.restore();
}

int Ports::watch_program(FdWatch& watch, uint32_t events) {
  return lockstep_ ? lockstep_->watch(watch, events) : vm_.scheduler->watch_fd(watch, events);
}
void Ports::unwatch_program(FdWatch& watch) {
  if (lockstep_)
    lockstep_->unwatch(watch);
  else
    vm_.scheduler->unwatch_fd(watch);
}

// --- the table -----------------------------------------------------------------------------------
std::shared_ptr<Port> Ports::find(Term port) { return ports_.find(port); }
std::shared_ptr<Port> Ports::find_named(Term port) {
  return find(is_atom(port) ? vm_.processes->registered(port) : port);
}
bool Ports::takes_traces(Term port) {
  return ports_.has(port, [](const Port& p) { return p.takes_traces(); });
}
void Ports::remove(Term port) { ports_.take_out(port); }
std::vector<Term> Ports::all() {
  std::vector<Term> ids;
  for (auto& [id, port] : ports_.all()) ids.push_back(id);
  return ids;
}
size_t Ports::count() { return ports_.count(); }
Term Ports::free_identifier() {
  Term id;
  do id = make_port(next_++ & kLastNumber);
  while (ports_.contains(id));
  return id;
}

bool Ports::push(Term id, Signal* s) {
  auto port = find(id);
  if (port && port->signal(s)) return true;
  free_signal(s);
  return false;
}

// --- opening -------------------------------------------------------------------------------------
Term Ports::add(Process& owner, const PortOptions& options, std::string name, int in, int out,
                int pid) {
  const Term id = free_identifier();
  auto port = std::make_shared<Port>(*this, id, options, std::move(name), owner.id, in, out, pid);
  ports_.insert(id, port);
  owner.relations().links.try_emplace(Address::of_local(id), 0);
  if (tracer) tracer->made(*port);
  port->tell_opened();
  port->tell_linked();
  if (pid) reaper_.watch(pid, port);
  port->start();
  return id;
}

uint64_t Ports::next_number() { return next_ & kLastNumber; }
uint64_t Ports::set_next_number(uint64_t number) { return next_ = number & kLastNumber; }

std::shared_ptr<Port> Ports::make_linked(Process& owner, const PortOptions& options,
                                         std::shared_ptr<Port::Lock> lock) {
  const Term id = free_identifier();
  auto port = std::make_shared<Port>(*this, id, options, options.command, owner.id, -1, -1, 0,
                                     std::move(lock));
  ports_.insert(id, port);
  owner.relations().links.try_emplace(Address::of_local(port->id), 0);
  if (tracer) tracer->made(*port);
  port->tell_opened();
  return port;
}
void Ports::discard_linked(Process& owner, Port& port) {
  owner.relations().links.erase(Address::of_local(port.id));
  remove(port.id);
}

std::shared_ptr<Port> Ports::make_like(Port& like, Term owner, std::string name,
                                       std::shared_ptr<Port::Lock> lock) {
  PortOptions options = like.options();
  options.binary = false;
  return std::make_shared<Port>(*this, free_identifier(), options, std::move(name), owner, -1, -1,
                                0, std::move(lock));
}
bool Ports::publish(const std::shared_ptr<Port>& port) {
  ports_.insert(port->id, port);
  if (tracer) tracer->made(*port);
  port->tell_opened();
  port->tell_linked();
  Signal* s = new_signal(SignalKind::link);
  s->from = port->address();
  if (route(vm_, port->owner(), s)) return true;
  remove(port->id);
  return false;
}

static void set_variable(std::vector<std::string>* all, const std::string& name,
                         const std::optional<std::string>& value) {
  std::string start = name + '=';
  std::erase_if(*all, [&](const std::string& s) { return s.starts_with(start); });
  if (value) all->push_back(start + *value);
}

/// Why the file cannot be executed, as far as one can tell before; 0: go on.
static int look_at_executable(const std::string& file) {
  struct stat s;
  const auto look = [&] {
    if (stat(file.c_str(), &s) != 0) return errno;
    return access(file.c_str(), X_OK) == 0 ? 0 : errno;
  };
  return static_cast<int>(system_call(look));
}

Term Ports::open_child(Process& owner, const PortOptions& o) {
  ChildSpec spec;
  if (o.kind == PortOptions::Kind::executable) {
    if (int error = look_at_executable(o.command)) return posix_atom(error);
    spec.file = o.command;
    spec.arguments = {o.arg0.value_or(o.command)};
    if (o.args) spec.arguments.insert(spec.arguments.end(), o.args->begin(), o.args->end());
  } else {
    spec.file = "/bin/sh";
    spec.arguments = {"sh", "-c", "exec " + o.command};
  }
  for (auto& [name, value] : vm_.environment->all()) spec.environment.push_back(name + '=' + value);
  for (auto& [name, value] : o.environment) set_variable(&spec.environment, name, value);
  spec.directory = o.directory;
  spec.reads = o.out, spec.writes = o.in;
  spec.use_stdio = o.use_stdio, spec.stderr_to_stdout = o.stderr_to_stdout;
  Child child;
  int error = 0;
  const auto make = [&] {
    error = static_cast<int>(
        system_call([&] { return start_child(spec, &child); }, {{&child, sizeof child}}));
    return child.pid;
  };
  if (vm_.os_signals)
    vm_.os_signals->children.add(make);
  else
    make();
  if (error) return posix_atom(error);
  if (lockstep_) lockstep_->started(spec, child, o.command);
  return add(owner, o, o.command, child.input, child.output, child.pid);
}

/// The port has descriptors of its own for the same files: whoever else waits for these numbers
/// (the terminal's own service) does not notice.
Term Ports::open_descriptors(Process& owner, const PortOptions& o) {
  int in = -1, out = -1;
  if (o.in) in = duplicate(o.fd_in, 3);
  if (o.out) out = duplicate(o.fd_out, 3);
  std::string name = std::to_string(o.fd_in) + "/" + std::to_string(o.fd_out);
  return add(owner, o, std::move(name), in, out, 0);
}

/// A file by its name alone: what is in it arrives at once, what is sent goes over it.
Term Ports::open_file(Process& owner, const PortOptions& o) {
  int how = !o.out ? O_RDONLY : o.in ? O_RDWR | O_CREAT : O_WRONLY | O_CREAT | O_TRUNC;
  const auto fd = static_cast<int>(
      system_call([&] { return ::open(o.command.c_str(), how | O_CLOEXEC | O_NONBLOCK, 0666); }));
  if (fd < 0) return am::einval;
  int out = o.in && o.out ? duplicate(fd, 3) : fd;
  return add(owner, o, o.command, o.in ? fd : -1, o.out ? out : -1, 0);
}

Term Ports::open_trace_file(Process& owner, const PortOptions& o) {
  auto names = TraceFile::parse(o.command);
  if (!names) return am::badarg;
  PortOptions with_file = o;
  with_file.fd_out = TraceFile::open_first(*names);
  if (with_file.fd_out < 0) return posix_atom(errno);
  return add(owner, with_file, o.command, -1, -1, 0);
}

Term Ports::open_terminal(Process& owner, const PortOptions& o) {
  if (!Terminal::is_there()) return am::einval;
  int in = fcntl(Terminal::kInput, F_DUPFD_CLOEXEC, 3);
  int out = fcntl(Terminal::kOutput, F_DUPFD_CLOEXEC, 3);
  return add(owner, o, o.command, in, out, 0);
}

void Ports::hold_standard_input() {
  standard_input_held_.store(true, std::memory_order_relaxed);
  terminal_mode.suspend();
  ReaderGuard reader(vm_.scheduler->progress());
  for (auto& [id, port] : ports_.all()) port->hold_input();
}
void Ports::resume_standard_input() {
  standard_input_held_.store(false, std::memory_order_relaxed);
  terminal_mode.reapply();
  standard_input_held_.notify_all();
  ReaderGuard reader(vm_.scheduler->progress());
  for (auto& [id, port] : ports_.all()) port->resume_input();
}

Term Ports::open(Process& owner, const PortOptions& o) {
  if (count() >= limit_) return am::system_limit;
  const bool by_name = o.kind == PortOptions::Kind::command || o.is_driver();
  if (by_name && drivers && drivers->knows(o.command)) return drivers->open(owner, o);
  switch (o.kind) {
    case PortOptions::Kind::linked:
      return am::badarg;
    case PortOptions::Kind::descriptors:
      return open_descriptors(owner, o);
    case PortOptions::Kind::file:
      return open_file(owner, o);
    case PortOptions::Kind::terminal:
      return open_terminal(owner, o);
    case PortOptions::Kind::trace_file:
      return open_trace_file(owner, o);
    case PortOptions::Kind::ram_file:
    case PortOptions::Kind::tcp:
    case PortOptions::Kind::udp:
      return add(owner, o, o.command, -1, -1, 0);
    case PortOptions::Kind::command:
    case PortOptions::Kind::executable:
      break;
  }
  return open_child(owner, o);
}

}  // namespace wb
