// A port: a program outside, or two descriptors, that processes talk to as if it were a process.
//
// Everything that happens to a port happens under its lock, at once, on the thread that makes it
// happen: a process that sends (its scheduler), the poller that found a descriptor ready, the
// reaper. So signals of one sender take effect in the order in which they were sent, and what a
// port tells a process is pushed in the order in which it happened. Nothing under the lock waits:
// descriptors do not block, and messages to processes are pushed without locks.
//
// States
//   open      both directions work
//   closing   it was closed, links and monitors have been notified, it has no name any more; but
//             bytes are left to be written. port_info shows it; whatever else comes is for a dead
//             port
//   closed    out of the table; descriptors are about to be closed
// `closed` releases descriptors after the lock was given back (Guard): unwatching waits for a
// callback that may be waiting for the lock.
//
// Input is read as it comes, a buffer at a time, and sent to the owner: like BEAM, no port waits
// for its owner. Output that the pipe does not take is queued; from `busy_high` bytes on the port
// is *busy*: who wants to send is suspended (by a signal to itself, before its next instruction)
// and does it again when there are less than `busy_low`. So a program that never reads costs at
// most the largest piece of data each sender had.
//
// The end of the input ends the port with `normal`, unless option `eof` asks for a message only; an
// exit status, if wanted, comes first: the end of input waits for the child to be reaped. A failing
// read or write ends it with the error's name.
//
// Ports of a driver that wants it (LinkedDrivers) have one lock together; nobody takes two. A
// driver of a library may hold it for long: what is sent to its ports waits in front of them
// (front.h).
//
// Lock order: port, then table of ports, then names.
//
// Rejected: a port as a runnable of the schedulers with an inbox (a hop to another thread for every
// command, and answers to wait for); a thread a port.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/ranked_lock.h"
#include "gc/fragment.h"
#include "scheduler/accounted_time.h"
#include "vm/port/channel.h"
#include "vm/port/driver.h"
#include "vm/port/framing.h"
#include "vm/port/front.h"
#include "vm/port/options.h"
#include "vm/port/ram_file.h"
#include "vm/port/terminal.h"
#include "vm/process/signal.h"
#include "vm/process/small_map.h"
#include "vm/process/table.h"

namespace wb {

class Port;
class Ports;
class Vm;

/// A port's lock, and the ports that share it in front of which something was put while it was
/// held.
struct PortLock : RankedLock<LockRank::port> {
  std::atomic<bool> crowded{false};
  std::mutex crowd_lock;  ///< a leaf
  std::vector<std::shared_ptr<Port>> crowd;
};

/// What makes a port do something when no process asks it to: as system_monitor names it.
enum class PortTask : uint8_t { none, input, output, timeout, proc_sig };

class Port : public std::enable_shared_from_this<Port> {
 public:
  using Lock = PortLock;

  /// `pid`: of the child, or 0; the descriptors are its own from now on (-1: there is none).
  /// `lock`: one that it shares with others, or its own is made.
  Port(Ports& ports, Term id, const PortOptions& options, std::string name, Term owner, int input,
       int output, int pid, std::shared_ptr<Lock> lock = nullptr);
  ~Port();
  /// Begins to read.
  void start();

  const Term id;
  Address address() const { return Address::of_local(id); }
  /// The machine's own port: there from the beginning and for good. It can be looked at, linked and
  /// monitored, and does nothing.
  static constexpr uint64_t kOwnNumber = 0;
  bool is_own() const { return port_number(id) == kOwnNumber; }

  // --- what processes do ---
  struct CommandFlags {
    bool nosuspend = false;
    bool force = false;  ///< even if it is busy; for drivers only
  };
  /// am::true_, am::false_ (busy, nosuspend), am::badarg, or kYield: `from` is suspended and does
  /// it again.
  Term command(Process& from, Term data, CommandFlags flags);
  /// By whom nobody can suspend, `from` or kNone: never refused because the port is busy. False: it
  /// is not open, or the data are no bytes.
  bool command_anyway(Term from, Term data);
  /// `Port ! message`: am::ok, am::nosuspend or kYield.
  Term receive(Process& from, Term message, bool nosuspend);
  bool signal(Signal* s);  ///< false: it is gone; `s` is the caller's
  bool close(Term from);   ///< port_close/1; false: it is gone
  bool connect(Term from, Term owner);
  /// port_control/3: the answer, or am::badarg.
  Term control(Process& from, uint64_t operation, Term data);
  /// port_call/3: {ok, Answer}, or am::badarg.
  Term call(Process& from, uint64_t operation, Term data);
  /// What `from` has sent before waits because the port is busy: so it waits, too, and does again
  /// what it is about to ask.
  bool suspend_behind_own(Process& from);
  bool takes_force() const;
  ProcessTable::Registered register_name(Term name);
  bool takes_traces() const;                          ///< can it be a tracer?
  void traced(const uint8_t* external, size_t size);  ///< a trace message, if it is still open

  // --- tracing (port_tracer.h): flags of traced:: and who is told, both as of processes ---
  std::atomic<uint32_t> trace_flags{0};
  std::atomic<Address> tracer{Address()};
  bool is_traced(uint32_t flags) const {
    return WB_UNLIKELY(trace_flags.load(std::memory_order_relaxed) & flags);
  }
  /// The lock is held.
  void tell_tracer(uint32_t flag, Term tag, Term what, Term extra = kNone) {
    if (is_traced(flag)) tell_tracer_now(tag, what, extra);
  }
  /// It has been opened: who opened it, and (second) that it is linked.
  void tell_opened();
  void tell_linked();
  /// `message` is about to be sent to `to`.
  void tell_sent(Term message, Term to);

  // --- looking ---
  /// One item of port_info; kNone: there is none of that name.
  Term info(Heap& h, Term item);
  Term data(Heap& h);
  bool set_data(Term data);
  bool is_open() const { return state_ == State::open; }
  std::string about();  ///< what it is doing, for people

  /// `channel` takes over what the port carries, which `from` owns. False: it is none of those, or
  /// has one.
  bool take_over(Process& from, std::shared_ptr<PortChannel> channel);
  /// Its channel has something to send. The caller holds no lock.
  void pull();

  /// The child has ended.
  void child_ended(int status);
  /// Writes what is queued, until then; nothing runs any more.
  void flush(uint64_t deadline_ns);
  void abandon();  ///< the machine has ended: lets go of its descriptors
  const std::string& name() const { return name_; }

  /// The lock; releases the descriptors of a port that was closed meanwhile, and what its driver
  /// let go of.
  class Guard {
   public:
    /// Somebody only looks, which is no event for system_profile.
    struct Looking {};
    /// `what`: what tracers are told that the port does (running_ports); 0: nobody asks it.
    explicit Guard(Port& p, Term what = make_small(0));
    Guard(Port& p, PortTask task);
    Guard(Port& p, Looking);
    ~Guard();
    Guard(const Guard&) = delete;

   private:
    friend class Port;
    enum class Mode : uint8_t { usual, looking, pulling };
    Guard(Port& p, Term what, Mode mode);  ///< the lock is held

    AccountedTime time_;  ///< nothing under the lock waits
    std::shared_ptr<Port> port_;
    bool notified_ = false;  ///< as active
    Mode mode_ = Mode::usual;
    Term what_ = kNone;  ///< tracers were told that it does this
    PortTask task_ = PortTask::none;
    uint64_t since_ = 0;
  };

  // --- what its driver does; the lock is held
  PortDriver* driver() { return driver_.get(); }
  PortChannel* channel() { return channel_.get(); }
  PortFront* front() { return front_.get(); }
  void set_driver(std::unique_ptr<PortDriver> driver) { driver_ = std::move(driver); }
  void count_in(uint64_t bytes) { bytes_in_ += bytes; }
  /// Bytes for its owner, framed as the port's options say; each message begins with `header`.
  void deliver(std::string_view header, const uint8_t* bytes, size_t n) {
    frame_header_ = header;
    deframer_.feed(bytes, n);
    frame_header_ = {};
  }
  void post_eof() { post_word(am::eof); }
  /// `told`: the reason for tracers, if it is another.
  void terminate(Term reason, bool reply_closed = false, Term told = kNone);
  /// It could not be opened: nobody is told, and nothing is called.
  void discard() { state_ = State::closed; }
  Ports& ports() { return ports_; }
  Vm& vm() { return vm_; }
  const PortOptions& options() const { return options_; }
  /// Ports::hold_standard_input and its end.
  void hold_input();
  void resume_input();
  Term owner() const { return owner_.load(std::memory_order_relaxed); }
  bool is_closing() const { return state_ != State::open; }
  bool is_gone() const { return state_ == State::closed; }
  void set_busy(bool busy);
  /// The port ends by itself; its owner has been notified in another way, and gets no exit signal.
  void end(Term reason);
  void fail(int error);
  void break_off(Term reason);  ///< the port ends, as any that is killed
  void drained();               ///< nothing waits to be sent any more
  /// `message` is all that `h` holds.
  void post_to(Term pid, FragmentHeap& h, Term message);

 private:
  friend class Ports;
  enum class State : uint8_t { open, closing, closed };
  struct Watch : FdWatch {
    Port* port = nullptr;
  };
  struct ReadJob : DirtyJob {
    std::shared_ptr<Port> port;  ///< while under way
  };

  // --- input (port_io.cc) ---
  static void readable(Worker&, FdWatch& watch, uint32_t);
  static void writable(Worker&, FdWatch& watch, uint32_t);
  static void read_always_ready(DirtyJob& job);
  static void read_again(DirtyJob& job);
  static void deliver_frame(void* self, FrameEnd frame_end, const uint8_t* bytes, size_t n);
  int watch(Watch& w, uint32_t events);
  void unwatch(Watch& w);
  void await_input();
  bool reads_standard_input() const;
  void read_some();
  void input_ended();
  void report_end();
  bool would_block(int fd, short events) const;

  // --- output ---
  void write(std::string bytes);
  void write_to_terminal(std::string_view command);
  void write_bytes(std::string bytes);
  void send_ram_answer(const RamFile::Answer& answer);
  size_t write_some(const char* bytes, size_t n);
  void write_queue();
  void await_output();
  size_t queued() const { return driver_ ? driver_->queued() : queue_.size() - queue_done_; }
  bool suspend_if_busy(Process& from);
  void resume_waiting();
  bool frame(Term data, std::string* bytes);
  /// `sender`: who says that it sends.
  Term command_driver(Process& from, Term data, CommandFlags flags, Term sender);
  void tell_tracer_now(Term tag, Term what, Term extra);
  void tell_opened_now();
  void tell_received(Term from, Term what);
  void tell_received(Term from, Term key, Term value);
  void tell_command(Term from, Term data);
  bool window_size(uint64_t operation, std::string* out);
  void tell_control(Term from, uint64_t operation, std::string_view data, Term key);
  void tell_answer(Term to, Term key, const void* data, size_t n);
  void tell_of_link(Term tag, Address who);

  // --- what waits in front of it (port_front.cc) ---
  void pull_if_wanted();
  void serve_crowd();
  Term send_linked(Process& from, PortFront::Kind kind, Term term, size_t bytes, bool nosuspend);
  bool queue_behind_own(Signal* s);
  void take_from_front();  ///< the lock is held
  void take_item(PortFront::Item& item);
  void take_message(Address from, Term message);
  Term named_in(Term message) const;  ///< what tracers are told that it does
  bool take_data(Address from, Term sender, Term data);
  void drop_front();
  void resume_front();
  /// Tracers are told that it begins to do `what`, or has done it. kNone: none is.
  Term tell_running(Term what);
  void tell_ran(Term what);

  // --- signals (port.cc) ---
  void signal_now(Signal* s);  ///< takes it
  void command_by_message(Process& from, Term data);
  void bad_signal();
  void notify_relations(Term reason);
  void finish();
  void drop_queue();  ///< what has not gone out by now does not
  void release();
  void post(FragmentHeap& h, Term message);  ///< to its owner; `message` is all that `h` holds
  void post_word(Term word);                 ///< {Port, word}
  void post_closed();
  void send_signal(Term pid, FragmentHeap& h, Term message);

  Ports& ports_;
  Vm& vm_;
  const PortOptions options_;
  const std::string name_;
  const int pid_;
  const bool shared_;  ///< others have the descriptors as well: they stay as they are

  const std::shared_ptr<Lock> lock_;        ///< for all that follows
  std::atomic<State> state_ = State::open;  ///< read without it, too
  bool released_ = false;
  std::atomic<Term> owner_;           ///< changed under the lock, and read without it by drivers
  SmallMap<Address, uint8_t> links_;  ///< of processes here, as the watchers
  struct Watcher {
    Address who;
  };
  SmallMap<uint64_t, Watcher> watchers_;

  Watch in_, out_;
  ReadJob read_job_;
  Deframer deframer_;
  std::string_view frame_header_;  ///< of what is just delivered
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
  bool input_open_, ended_waits_ = false;  ///< for the exit status
  bool input_held_ = false;                ///< Ports::hold_standard_input
  bool reaped_ = false;
  int status_ = 0;

  std::string queue_;  ///< from queue_done_ on: to be written
  size_t queue_done_ = 0;
  std::atomic<bool> busy_{false};  ///< read without it, too
  bool output_armed_ = false, reply_closed_ = false;
  std::vector<Term> waiting_;  ///< suspended until it is not busy

  std::unique_ptr<PortDriver> driver_;
  std::shared_ptr<PortChannel> channel_;
  std::atomic<bool> pull_wanted_{false};  ///< not under the lock
  std::unique_ptr<PortFront> front_;      ///< of a driver in a library
  std::unique_ptr<RamFile> ram_;          ///< a file in memory stands behind it
  std::unique_ptr<Terminal> terminal_;

  Term data_ = kNone;
  HeapFragment* data_fragment_ = nullptr;
};

}  // namespace wb
