// A port on a driver of a library (erl_driver.h), and what its driver's callbacks need.
//
// Everything of a driver's that belongs to a port is called under the port's lock, by whichever
// thread something happens on: a process that sends or asks, a worker whose poller or timer says
// so, a dirty thread that has done a driver_async. A driver that does not say
// ERL_DRV_FLAG_USE_PORT_LOCKING has one lock for all its ports (Port::Lock is shared). What
// processes send while it is held waits in front of the port (vm/port/front.h); what they ask waits
// for the lock. What a driver tells its owner is there in the order in which it happened.
//
// ErlDrvPort is the port's own term: it may be kept too long without harm. `Call` names the port
// whose callback a thread is in; functions of the API that are given another port of the same
// driver look it up, and its lock is held, too. Those that any thread may call (erl_drv_send_term,
// erl_drv_output_term, port data locks, binaries) need no callback around them.
//
// The end. terminate() asks `flush` if something is queued; when nothing is left `stop` is called,
// under the lock, perhaps in the middle of another callback: of one that has called driver_failure.
// What the driver had selected, its timer and its library go when the lock is free
// (release_after_lock).
//
// A port data lock guards the queue alone. The port takes it where it looks at the queue by itself.
// It is recursive, as callbacks that hold it may end the port.
#pragma once

#include <erl_driver.h>

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "scheduler/io_poller.h"
#include "vm/driver/binaries.h"
#include "vm/port/deadlines.h"
#include "vm/port/port.h"

namespace wb {

struct LoadedDriver;

}  // namespace wb

/// ErlDrvPDL. Whoever has a count of it may lock it, also when the port has gone.
struct erl_drv_port_data_lock {
  std::recursive_mutex lock;
  std::atomic<int64_t> refs{1};
};

namespace wb {

class LinkedPort final : public PortDriver {
 public:
  LinkedPort(Port& port, std::shared_ptr<LoadedDriver> driver);
  ~LinkedPort() override;

  /// Calls `start`: am::ok, or why it is not content.
  Term start();
  /// Instead: driver_create_port.
  void started(ErlDrvData data) { data_ = data, running_ = true; }

  // --- as the port's driver ---------------------------------------------------------------------
  bool control(Process& from, uint64_t operation, const std::string& in, std::string* out) override;
  bool answers_binary() const override {
    return control_flags & PORT_CONTROL_FLAG_BINARY && !answered_nothing_;
  }
  bool call(Process& from, uint64_t operation, const std::vector<uint8_t>& in,
            std::vector<uint8_t>* out) override;
  void traced(const uint8_t* external, size_t size) override;
  bool takes_traces() const override { return true; }
  void command(Term from, Term data, size_t size) override;
  void stopped() override;
  void finished() override;
  void monitored(uint64_t number) override;
  std::vector<Term> monitors() const override;
  bool takes_force() const override;
  bool takes_vectors() const override;
  int64_t os_pid() const override { return os_pid_value; }
  bool shares_lock() const override;
  size_t queued() const override;
  void drop_queue() override;
  void flush(uint64_t deadline_ns) override;
  size_t memory() const override;
  std::string about() const override;
  bool has_garbage() const override { return !dropped_.empty(); }
  void release_after_lock(bool all) override;

  // --- for the API: the lock is held ------------------------------------------------------------
  Port& port() { return port_; }
  Vm& vm() { return port_.vm(); }
  ErlDrvPort name() const;
  /// Nothing that its driver says is heard.
  bool is_muted() const { return muted_; }
  /// `stop` is called: what it says goes out, unless something was queued before.
  bool is_stopping() const { return stopping_ && !muted_; }
  /// What `start` says goes out as it is, and as a list.
  bool has_started() const { return running_ || stopping_; }
  bool frames_lines() const {
    return running_ && !port_.is_closing() && port_.options().framing.mode == Framing::Mode::line;
  }
  const std::shared_ptr<LoadedDriver>& driver() const { return driver_; }
  DriverQueue& queue() { return queue_; }
  ErlDrvPDL data_lock() { return data_lock_; }
  ErlDrvPDL make_data_lock();
  int select(int fd, int mode, bool on);
  void set_timer(uint64_t ms);
  void cancel_timer() { timeout_at_ = Deadlines::kNever; }
  uint64_t timer_left_ms();  ///< ~0: there is none
  int monitor(Term pid, uint64_t* number);
  bool demonitor(uint64_t number);
  Term monitored_pid(uint64_t number) const;
  void acknowledge(ErlDrvData data) { data_ = data; }
  /// A driver_async is done. False: nobody wants to know.
  bool async_done(void* data);

  int control_flags = 0;
  int64_t os_pid_value = 0;

  /// A callback is called: on this thread, until the end of the scope.
  class Call {
   public:
    explicit Call(LinkedPort& port, Term caller = kNone);
    ~Call();
    Call(const Call&) = delete;

    LinkedPort& port;
    const Term caller;
    Call* const outer;
  };
  /// The innermost of this thread, or nullptr.
  static Call* current();

 private:
  struct Watch : FdWatch {
    LinkedPort* port = nullptr;
    uint32_t wanted = 0;
    bool stops = false;         ///< stop_select is to be called
    bool always_ready = false;  ///< it cannot be polled
  };
  static void on_ready(Worker&, FdWatch& watch, uint32_t events);
  void tell_ready(Watch& w, uint32_t events);
  void tell_always_ready();
  bool running_or_starting() const { return !port_.is_gone(); }
  static void on_timeout(void* self, uint64_t now);
  bool is_current(const Watch& w) const;
  int arm(Watch& w);
  void output(Term from, IoVectors& vectors);

  Port& port_;
  const std::shared_ptr<LoadedDriver> driver_;
  ErlDrvData data_ = nullptr;
  bool running_ = false;   ///< start was content, stop has not been called
  bool released_ = false;  ///< its driver knows that it has gone
  bool stopping_ = false;
  std::atomic<bool> muted_{false};  ///< it ends, and something is queued
  bool answered_nothing_ = false;   ///< the last control callback
  ErlDrvPDL data_lock_ = nullptr;
  DriverQueue queue_;
  std::map<int, std::unique_ptr<Watch>> watches_;
  std::vector<std::unique_ptr<Watch>> dropped_;
  Deadlines deadlines_;
  uint64_t timeout_at_ = Deadlines::kNever;
  std::unordered_map<uint64_t, Term> monitors_;  ///< by number
};

/// That of an ErlDrvPort whose lock this thread holds, or nullptr: it has gone.
LinkedPort* linked_port(ErlDrvPort port);

}  // namespace wb
