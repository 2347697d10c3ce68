// The ports of a machine: opening them, finding them, reaping their children.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "vm/port/port.h"
#include "vm/port/port_table.h"
#include "vm/port/reaper.h"
#include "vm/port/terminal_mode.h"

namespace wb {

class Lockstep;
class NativeSockets;
class PortTracer;
class Distribution;

class Ports {
 public:
  static constexpr size_t kUsualLimit = 65536;
  size_t limit() const { return limit_; }
  void set_limit(size_t limit) { limit_ = limit; }  ///< before there are any

  explicit Ports(Vm& vm);
  ~Ports();

  /// A port of `owner`, linked to it; or an atom: why not.
  Term open(Process& owner, const PortOptions& options);

  /// Another port as `like`, that nobody knows yet; and known, linked to its owner. False: that is
  /// gone.
  std::shared_ptr<Port> make_like(Port& like, Term owner, std::string name,
                                  std::shared_ptr<Port::Lock> lock = nullptr);
  /// One for a driver, in the table and linked to its owner; and taken back, if it does not start.
  std::shared_ptr<Port> make_linked(Process& owner, const PortOptions& options,
                                    std::shared_ptr<Port::Lock> lock);
  void discard_linked(Process& owner, Port& port);
  bool publish(const std::shared_ptr<Port>& port);

  std::shared_ptr<Port> find(Term port);
  /// By port or registered name.
  std::shared_ptr<Port> find_named(Term port);
  /// Is it there, and can it be a tracer? Takes no port's lock, nor a share: tracing's is held.
  bool takes_traces(Term port);
  void remove(Term port);
  std::vector<Term> all();
  size_t count();

  /// False: it is gone. `s` is the port's or freed.
  bool push(Term port, Signal* s);
  /// Gives what is queued to those who read, for a while: the machine ends.
  void flush();

  /// The break menu reads standard input itself: until resume no port does, and a terminal's mode
  /// is what it was.
  void hold_standard_input();
  void resume_standard_input();
  bool standard_input_held() const { return standard_input_held_.load(std::memory_order_relaxed); }
  /// Until it is not; for a dirty thread.
  void await_standard_input() const { standard_input_held_.wait(true); }
  /// Of prim_tty, which is no port (vm/nif/prim_tty.cc).
  TerminalMode terminal_mode;

  Vm& vm() { return vm_; }
  /// Those that are no ports (vm/socket/).
  NativeSockets* sockets = nullptr;
  /// Some carry what goes to other nodes (vm/dist/).
  Distribution* distribution = nullptr;
  LinkedDrivers* drivers = nullptr;  ///< vm/driver/
  PortTracer* tracer = nullptr;      ///< vm/trace/

  /// As of the scheduler, of the descriptors of a program outside, and of the program itself.
  int watch_program(FdWatch& watch, uint32_t events);
  void unwatch_program(FdWatch& watch);
  /// In a seeded run programs and the machine run by turns; else null.
  Lockstep* lockstep() { return lockstep_.get(); }

  /// The number the next port gets, if it is free.
  uint64_t next_number();
  uint64_t set_next_number(uint64_t number);

 private:
  Term add(Process& owner, const PortOptions& options, std::string name, int in, int out, int pid);
  Term open_child(Process& owner, const PortOptions& options);
  Term open_descriptors(Process& owner, const PortOptions& options);
  Term open_terminal(Process& owner, const PortOptions& options);
  Term open_file(Process& owner, const PortOptions& o);
  Term open_trace_file(Process& owner, const PortOptions& o);
  Term free_identifier();

  Vm& vm_;
  std::atomic<uint64_t> next_;
  size_t limit_ = kUsualLimit;
  PortTable ports_;
  std::atomic<bool> standard_input_held_{false};
  std::unique_ptr<Lockstep> lockstep_;
  Reaper reaper_;
};

}  // namespace wb
