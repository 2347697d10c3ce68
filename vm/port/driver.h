// What stands behind a port that is no program: code of ours that answers port_control/3 and takes
// what is sent to the port. (Sockets, files of traces; the file in memory is older and simpler.)
//
// All calls come with the port's lock held, and nothing in them may wait. A driver's descriptors
// and timers therefore end in two steps: it lets go of them under the lock, and the port gives them
// back
// (`release_after_lock`) when the lock is free again, since unwatching a descriptor and cancelling
// a timer wait for callbacks that may want the lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "term/term.h"

namespace wb {

class Heap;
class Port;
class Process;

class PortDriver {
 public:
  virtual ~PortDriver() = default;

  /// port_control/3: the answer's bytes. False: badarg.
  virtual bool control(Process& from, uint64_t operation, const std::string& in,
                       std::string* out) = 0;
  /// Does port_control/3 answer with a binary instead of a list?
  virtual bool answers_binary() const { return false; }
  /// port_call/3: a term in its external form, and the answer's. False: badarg.
  virtual bool call(Process& /*from*/, uint64_t /*operation*/, const std::vector<uint8_t>& /*in*/,
                    std::vector<uint8_t>* /*out*/) {
    return false;
  }
  /// A trace message in its external form, if it takes any: it is the tracer.
  virtual void traced(const uint8_t* /*external*/, size_t /*size*/) {}
  virtual bool takes_traces() const { return false; }
  /// Data for it: `data` is an iolist of `size` bytes.
  virtual void command(Term from, Term data, size_t size) = 0;
  /// The port has another owner, or begins its end: whoever still waits for something is notified.
  virtual void stopped() = 0;
  /// Nothing is left to be sent, and the port is gone.
  virtual void finished() {}
  /// Somebody whom it monitors has ended (the number of the monitor).
  virtual void monitored(uint64_t /*number*/) {}
  virtual std::vector<Term> monitors() const { return {}; }
  /// May port_command/3 force data upon it although it is busy?
  virtual bool takes_force() const { return true; }
  virtual int64_t os_pid() const { return 0; }
  virtual bool shares_lock() const { return false; }  ///< with the other ports of its kind
  /// Does it take data in the pieces that they have?
  virtual bool takes_vectors() const { return false; }
  /// What is left to be sent. The port stays (closing) until it says `drained`.
  virtual size_t queued() const = 0;
  /// It is killed: what is left to be sent is forgotten, if nothing else needs it.
  virtual void drop_queue() {}
  /// Writes what it can before `deadline_ns`: nothing runs any more.
  virtual void flush(uint64_t deadline_ns) = 0;
  virtual size_t memory() const = 0;
  /// What it is doing, for people.
  virtual std::string about() const { return {}; }
  /// The port has a channel (channel.h): fetches from it as much as goes out. False: it takes none.
  virtual bool pull() { return false; }
  virtual bool has_garbage() const = 0;  ///< under the lock: is there anything to give back?
  /// Gives back what it let go of; `all`: also all that it has. Without the lock.
  virtual void release_after_lock(bool all) = 0;
};

/// Drivers in libraries that programs load (vm/driver/).
class LinkedDrivers {
 public:
  virtual ~LinkedDrivers() = default;
  /// Is one loaded that `command` names with its first word?
  virtual bool knows(const std::string& command) = 0;
  /// Opens a port on it: its id, or an atom: why not.
  virtual Term open(Process& owner, const struct PortOptions& options) = 0;
};

}  // namespace wb
