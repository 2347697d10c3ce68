// A recording of a run: what it got from outside, in the order in which it asked for it.
//
// A recorded run has one worker and asks its questions in an order that depends on nothing but the
// answers (scheduler/oracle.h). So a log of the answers is all of it: a replay is the same program
// with the same questions, each of which is answered from the log instead of by the system. The
// two never differ above this file: whoever asks writes one expression, whose live half is the
// system call, and gets what it returned, then as now.
//
// Most questions are asked by the code that runs (a system call, the clock): they come in one
// order, and an entry says no more than its kind and the answer. Some come up between slices by
// themselves: time passes, a descriptor reports, a signal arrives. Nearly always the answer is
// "nothing new", which is no entry. What is new says at which *moment*: after how many slices, and
// after how many such questions since then. In the replay it is due at the first such question that
// comes no sooner, if it is the next entry of the log; threads beside the worker may wake it for
// nothing, so there may be more questions then, or fewer.
//
// Owned by whoever makes the machine. One thread asks at a time: the one that makes the machine,
// then its worker (adopt). Others get what the system says in a recorded run, and -1, EBADF in a
// replay: they come only when the machine ends.
//
// The file: a head (version, build, how the machine was started), then blocks of entries, each with
// its size and checksum. A block is written when it is full, before the machine sleeps, and each
// second, so a machine that is killed leaves what led to it. One that was cut short is replayed up
// to there.
//
// Rejected: results of BIFs instead of those of system calls (a file that is open would be a
// reference without a file; a BIF that yields is several slices); an entry for each question
// between slices (a ring of processes has ten million slices a second).
#pragma once

#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/instance.h"
#include "base/result.h"

namespace wb {

enum class Input : uint8_t {
#define INPUT(name, text) name,
#include "base/inputs.def"
};

class Recording {
 public:
  static constexpr int kExitDeparts = 3;  ///< a replay has done something else
  using Made = Result<std::unique_ptr<Recording>, std::string>;  ///< or what is wrong
  /// `head`: how to start the machine again.
  static Made create(const std::string& path, const std::string& head);
  static Made open(const std::string& path);
  /// A replay of these entries, for tests.
  static std::unique_ptr<Recording> of_entries(std::vector<uint8_t> entries);
  ~Recording();
  Recording(const Recording&) = delete;

  bool replays() const { return replays_; }
  const std::string& head() const { return head_; }

  std::string library;  ///< of code that stays; empty: none

  /// The calling thread asks from now on.
  void adopt() { asker_ = pthread_self(); }
  bool is_asked_here() const {
    return !is_over_ && (job_here || pthread_equal(asker_, pthread_self()));
  }

  // --- asked by the code that runs. In a recorded run the answer is `live`
  uint64_t number(Input kind, uint64_t live);
  std::string text(Input kind, std::string live);
  /// The contents of a file of code: kept, but of a file below `library` that is older than the
  /// run, which has to be there still, as it was.
  void code(const std::string& path, std::optional<std::vector<uint8_t>>* live);

  /// What `call` writes if it succeeds.
  struct Written {
    void* bytes;
    size_t size;
  };
  /// A system call: what it returned, and errno.
  template <class F>
  ssize_t call(F call, std::initializer_list<Written> written = {}) {
    ssize_t n = replays_ ? -1 : static_cast<ssize_t>(call());
    return note_call(n, written, false);
  }
  /// One that returns how many bytes it has written there.
  template <class F>
  ssize_t call_reading(F call, void* bytes, size_t size) {
    ssize_t n = replays_ ? -1 : static_cast<ssize_t>(call());
    return note_call(n, {{bytes, size}}, true);
  }
  /// What the last call has written elsewhere, too: part of its entry.
  void transfer(void* bytes, size_t size);

  // --- native work on other threads. It asks by itself, and what it is answered is an entry where
  // the worker learns of its end; in the replay it is done then, by the worker.
  struct Answers {
    std::vector<uint8_t> bytes;
    size_t at = 0;  ///< of a replay
  };
  /// This thread's questions are those of one job.
  class JobScope {
   public:
    explicit JobScope(Answers& answers) { job_here = &answers; }
    ~JobScope() { job_here = nullptr; }
    JobScope(const JobScope&) = delete;
  };
  /// The worker learns of the end of job `number`.
  void end_job(uint64_t number, const Answers& answers);
  /// In a replay: false, or that of which one.
  bool take_job(uint64_t* number, Answers* answers);

  // --- asked between slices
  void slice_ended() { ++slices_, asked_ = 0; }
  /// Nanoseconds of the monotonic clock. What has not changed by `grain` has not changed.
  uint64_t time(uint64_t grain);
  uint64_t last_time() const { return now_.load(std::memory_order_relaxed); }  ///< any thread
  /// `live`, which descriptors have reported, or those that did.
  struct Report {
    uint64_t name;
    uint32_t events;
  };
  void reports(std::vector<Report>* live);
  /// A program's look at the clock, within a slice: it ticks each microsecond.
  uint64_t read_clock();

  /// By any thread, in a recorded run: a signal of the operating system has arrived. The worker,
  /// which must be woken, handles it.
  void post_signal(int signal);
  void handle_signals();
  void (*on_signal)(void* self, int signal) = nullptr;
  void* signal_handler = nullptr;

  /// The machine has ended with that exit code; nothing is asked any more. In a replay: what is
  /// wrong with that, or nothing.
  std::string finish(int exit_code);
  /// What is complete goes to the file.
  void flush();
  /// The machine is about to sleep for so long: for how long it may, because there is something to
  /// be written by then.
  uint64_t sleep_at_most(uint64_t ns);
  uint64_t slices() const { return slices_; }  ///< that have ended
  uint64_t began_ns() const { return began_ns_; }
  uint64_t entries() const { return entries_; }
  uint64_t bytes() const { return bytes_; }

  uint64_t silent_until = 0;  ///< slices, for which a replay prints nothing
  /// Called by the worker of a replay that comes to the end of a log that was cut short.
  void (*on_cut)(void* self) = nullptr;
  void* cut_handler = nullptr;

 private:
  Recording(FILE* file, std::string head, bool replays);
  ssize_t note_call(ssize_t n, std::initializer_list<Written> written, bool reads);
  [[noreturn]] void depart(Input asked, std::string_view detail = {});
  [[noreturn]] void end_of_log();
  [[noreturn]] void fail_to_write();
  int take_signal();

  static constinit thread_local Answers* job_here;
  Answers& log() { return job_here ? *job_here : block_; }

  // writing
  void begin(Input kind);
  void begin_moment(Input kind);
  void put(uint64_t n);
  void put(const void* bytes, size_t size);
  void write_block();
  // reading
  bool next_block();
  bool peek();
  void expect(Input kind);
  bool is_due(Input kind);
  uint64_t get();
  void get(void* bytes, size_t size);

  FILE* const file_;
  const std::string head_;
  const bool replays_;
  pthread_t asker_;
  const time_t began_ = ::time(nullptr);
  bool is_over_ = false;
  Answers block_;
  uint64_t entries_ = 0, bytes_ = 0;
  uint64_t slices_ = 0, asked_ = 0;  ///< the moment: slices so far, questions between since then
  uint64_t kept_slices_ = 0;         ///< of the last moment that is an entry
  uint64_t looks_ = 0;               ///< at the clock, since it ticked for a program
  /// Of a replay: the next entry, if it was read as far as to its answer.
  bool peeked_ = false;
  Input next_{};
  uint64_t due_slices_ = 0, due_asked_ = 0, due_looks_ = 0;
  std::atomic<uint64_t> now_{0};
  uint64_t began_ns_ = 0;
  uint64_t flushed_at_ = 0;
  std::mutex signals_lock_;
  std::vector<int> signals_;
};

/// The recording of this thread's machine, if this thread is to ask it.
inline Recording* recording_here() {
  Instance* const instance = this_instance;
  return WB_LIKELY(!instance || !instance->recording) ? nullptr : instance->recording;
}
/// A system call of a machine: made, and kept if it is recorded; in a replay what it was then.
template <class F>
ssize_t system_call(F call, std::initializer_list<Recording::Written> written = {}) {
  if (Recording* r = recording_here(); WB_UNLIKELY(r != nullptr)) return r->call(call, written);
  return static_cast<ssize_t>(call());
}
template <class F>
ssize_t reading_call(F call, void* bytes, size_t size) {
  if (Recording* r = recording_here(); WB_UNLIKELY(r != nullptr))
    return r->call_reading(call, bytes, size);
  return static_cast<ssize_t>(call());
}
/// A text of the surroundings: as it is, or was then.
inline std::string recorded_text(std::string live) {
  Recording* const r = recording_here();
  return WB_LIKELY(!r) ? std::move(live) : r->text(Input::text, std::move(live));
}
/// A call that appends to `out`: 0, or errno.
template <class F>
int text_call(F call, std::string* out) {
  if (WB_LIKELY(!recording_here())) return call(out);
  std::string text;
  const auto error = static_cast<int>(system_call([&] { return call(&text); }));
  *out += recorded_text(std::move(text));
  return error;
}
/// Is this thread's machine a replay, in which nothing outside may be touched?
inline bool is_replay() {
  const Recording* r = recording_here();
  return WB_UNLIKELY(r != nullptr) && r->replays();
}
// As close(2), fstat(2).
int close_descriptor(int fd);
int descriptor_status(int fd, struct stat* status);

}  // namespace wb
