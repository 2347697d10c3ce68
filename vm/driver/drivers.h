// The drivers that programs have loaded into one machine (erl_ddll).
//
// A driver is loaded once and counts who uses it: processes that have loaded it (so often), ports
// that are open on it, driver_async jobs under way. When no process uses it any more it is
// *unloading*: no port is opened on it, and when the last use ends its `finish` is called and its
// library closed. Asked to be loaded anew it is *reloading* until then. Whoever loads it while it
// unloads takes that back. The end of a process is the same as if it had unloaded all that it has
// loaded; its monitor is a resource's (vm/nif/nifs.h).
//
// Who has asked (erl_ddll:monitor, option `monitor`) hears of it by {'UP' or 'DOWN', Ref, driver,
// Name, What}.
//
// Locks: one, of this object, a leaf: no callback of a driver's runs under it, and no port's lock
// is taken. Callbacks `init` and `finish` run where nothing is held.
#pragma once

#include <erl_driver.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "term/fault.h"
#include "vm/driver/linked_port.h"
#include "vm/driver/loaded.h"

namespace wb {

class Drivers;
struct AsyncLanes;

struct LoadedDriver {
  enum class State : uint8_t { loaded, unloading, reloading, gone };

  LoadedDriver(Drivers& t, std::string n, std::string p)
      : table(t), name(std::move(n)), path(std::move(p)) {}
  unsigned flags() const {
    return entry->extended_marker == static_cast<int>(ERL_DRV_EXTENDED_MARKER)
               ? static_cast<unsigned>(entry->driver_flags)
               : 0;
  }

  Drivers& table;
  const std::string name, path;
  void* handle = nullptr;
  const ErlDrvEntry* entry = nullptr;
  std::shared_ptr<Port::Lock> lock;  ///< of all its ports; null: each has its own

  // --- under Drivers::lock_ ---
  State state = State::loaded;
  bool permanent = false;          ///< driver_lock_driver
  bool linked_in = false;          ///< add_driver_entry
  bool kill_ports = false;         ///< its option
  std::string next_path;           ///< while it is reloading
  std::map<Term, uint32_t> users;  ///< how often each has loaded it
  size_t ports = 0, jobs = 0;

  uint64_t loads() const {
    uint64_t all = 0;
    for (auto& [pid, count] : users) all += count;
    return all;
  }
};

class Drivers final : public LinkedDrivers {
 public:
  explicit Drivers(Vm& vm);
  ~Drivers() override;

  bool knows(const std::string& command) override;
  Term open(Process& owner, const PortOptions& options) override;

  // --- erl_ddll ---------------------------------------------------------------------------------
  enum class Pending : uint8_t { none, driver, any };
  struct Request {
    std::string name, path;
    bool kill_ports = false;
    Pending monitor = Pending::none, reload = Pending::none;
  };
  enum class When : uint8_t { loaded, unloaded, unloaded_only };
  /// What try_load/3 and try_unload/2 give.
  Term load(Process& p, const Request& r);
  Term unload(Process& p, const Request& r);
  /// The reference.
  /// `given`: the name, as the program has written it.
  Term monitor(Process& p, const std::string& name, Term given, When when);
  void demonitor(uint64_t ref);
  std::vector<std::string> names();
  /// No value: there is no such driver or item.
  Term info(Heap& h, const std::string& name, std::string_view item);
  /// Of {open_error, Code}.
  std::string open_error(int64_t code);

  // --- for ports and the API --------------------------------------------------------------------
  void port_gone(const std::shared_ptr<LoadedDriver>& d) { use_ends(d, &LoadedDriver::ports); }
  void job_begins(LoadedDriver& d);
  void job_ends(const std::shared_ptr<LoadedDriver>& d) { use_ends(d, &LoadedDriver::jobs); }
  void port_made(LoadedDriver& d);
  void make_permanent(LoadedDriver& d);
  void add_entry(ErlDrvEntry* entry);
  bool remove_entry(const ErlDrvEntry* entry);
  /// A process that has loaded drivers has ended.
  void user_gone(Term pid);

  AsyncLanes& async();

  std::vector<SeenDriver> seen();

  Vm& vm() { return vm_; }

 private:
  using Lock = RankedLock<LockRank::drivers>;
  using Driver = std::shared_ptr<LoadedDriver>;
  struct Monitor {
    uint64_t ref;
    Term pid;
    std::string name;
    When when;
  };
  Driver find(std::string_view name);
  Term open_library(const Request& r, LoadedDriver& d);
  void close_library(LoadedDriver& d);
  void add_user(LoadedDriver& d, Term pid);
  Term watched(Process& p, const Request& r, Pending least, Term status, When when);
  Term reload(Process& p, const Driver& d, const Request& r, std::unique_lock<Lock>& lock);
  void use_ends(const Driver& d, size_t LoadedDriver::* count);
  void begin_end(const Driver& d, LoadedDriver::State state, bool kill,
                 std::unique_lock<Lock>& lock);
  void end(const Driver& d, std::unique_lock<Lock>& lock);
  void kill_ports(const Driver& d);
  bool remove(const LoadedDriver& d);
  /// All who wait for `name` to be loaded, or unloaded.
  void tell(const std::string& name, bool loads, bool up, std::string_view what,
            Term detail = kNone);
  void send(const Monitor& m, Term name, bool up, std::string_view what, Term detail);

  Vm& vm_;
  void* users_ = nullptr;  ///< the resource whose monitors tell of processes that end
  Lock lock_;
  std::vector<Driver> drivers_;
  std::vector<Monitor> monitors_;
  std::vector<std::string> open_errors_;
  std::shared_ptr<AsyncLanes> async_;
};

/// Those of the machine that this thread works for.
Drivers& drivers_of(Vm& vm);

}  // namespace wb
