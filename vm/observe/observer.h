// The observer's end in the machine: listens on a Unix socket and answers requests about what runs
// (docs/observer-protocol.md). `whitebeam observe` is the other end.
//
// One thread does all of it: it makes the socket, waits in poll, and answers one request after the
// other. Schedulers know nothing of it. What it wants to know it finds out in one of three ways:
//   - from counters and tables that everybody may read at any time;
//   - from Watched fields of control blocks, inside a ReaderGuard, a chunk of the table at a time;
//   - by a query that a process answers about itself (process_query.h).
// Besides, it keeps what the machine as a whole was like, once a second (past.h).
// So whatever is asked, no lock is held for long, nobody waits for the observer, and a machine that
// nobody looks at pays for a thread that sleeps but for a look a second. While nothing runs it has
// no looks: the first worker that wakes up wakes the thread (scheduler/wake_notice.h).
//
// Work is bounded: a request is at most 64 KB, an answer at most 16 MB, a connection has one answer
// under way (who does not read gets no more), and there are at most kConnections of them. Who may
// connect is decided by the file system (a directory and a socket for the user only) and asked of
// the kernel once more.
//
// Nothing here ever ends the machine: without a directory, a socket or a thread there is just
// nobody to talk to. A seeded run has no observer, for a query is an event of its own.
//
// Rejected: answering on a scheduler (a pass over a million processes is a long slice); shared
// memory (every layout would be a protocol); a binary form (answers are small, and everything that
// reads JSON can ask).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/thread.h"
#include "vm/observe/past.h"
#include "vm/observe/process_query.h"
#include "vm/observe/table_scan.h"
#include "vm/observe/warnings.h"

namespace wb {

class Vm;
class ObserverRequest;
class JsonWriter;
class Table;

/// What the observer itself costs.
struct ObserverCost {
  uint64_t requests = 0, bytes_out = 0, last_request_ns = 0;
};

struct ObserverConnection {
  int fd = -1;
  std::string in, out;
  size_t sent = 0;
  bool acts = false;            ///< asked for, in hello
  bool profiles = false;        ///< stacks are sampled as long as it lives
  bool measures = false;        ///< how long processes wait in run queues
  bool traces = false;          ///< processes are watched as long as it lives
  bool closing = false;         ///< when everything is sent
  std::vector<Term> suspended;  ///< by it: they go on when it ends
};

class Observer {
 public:
  static constexpr size_t kConnections = 16, kMostAnswer = 16u << 20;
  static constexpr int kProtocol = 1;

  /// Begins to listen, soon. `program`: what the list of machines shows.
  Observer(Vm& vm, std::string program, bool actions);
  ~Observer();
  Observer(const Observer&) = delete;

  Vm& vm() { return vm_; }
  const std::string& program() const { return program_; }
  bool actions_allowed() const { return actions_; }

  // --- of the observer's thread ---
  QueryWaiter query_waiter;
  Past past;
  TableScan scan;
  std::unique_ptr<Warnings> warnings;  ///< while somebody asks for them
  /// Of processes that were asked for their row and have not answered yet: each has one.
  std::unordered_map<Term, ProcessQuery*> pending_queries;
  void forget_pending_queries();
  ObserverCost cost;
  uint64_t cpu_ns() const;
  size_t memory() const;
  size_t connection_count() const { return connections_.size(); }

  /// Samples stacks while a connection wants it.
  void update_sampling(uint32_t hz);

  /// How long processes wait is measured as long as `c` lives.
  void measure(ObserverConnection& c);
  void update_measuring();

  /// Ends a trace whose connection has gone, or that cost too much.
  void update_trace();
  void begin_trace(ObserverConnection& c);
  void end_trace();
  /// Whoever gets one of these names is watched as well, for `flags`.
  void follow(const std::vector<std::string>& names, uint32_t flags);
  const ObserverConnection* tracing() const;  ///< the one that traces

  /// The answer to one frame's text, in the connection's output.
  void answer_request(ObserverConnection& c, std::string_view json);

 private:
  static void thread_main(void* self) { static_cast<Observer*>(self)->serve(); }
  void serve();
  bool listen();
  void accept();
  bool receive(ObserverConnection& c);
  bool send(ObserverConnection& c);
  bool take_frame(ObserverConnection& c);
  void drop(ObserverConnection& c);
  void look();
  bool is_quiet() const;
  int patience();

  Vm& vm_;
  const std::string program_;
  const bool actions_;
  int wake_ = -1, listening_ = -1;
  std::atomic<bool> ends_{false};
  bool rests_ = false;    ///< nothing ran between the last two looks
  bool settles_ = false;  ///< a worker was awake, though nothing had run
  uint64_t slices_at_look_ = 0;
  struct Followed {
    Term name, pid;  ///< pid: who had it last
  };
  void update_followed();
  std::vector<Followed> followed_;
  uint32_t followed_for_ = 0;
  bool traces_ = false;  ///< processes or functions are watched
  std::string path_;
  std::vector<std::unique_ptr<ObserverConnection>> connections_;
  Thread thread_;
};

/// A request while it is answered.
struct RequestContext {
  Observer& observer;
  ObserverConnection& connection;
  const ObserverRequest& request;
  JsonWriter& out;
  Vm& vm;
};

/// The fields of the answer to `home`. Returns its `time_ms`, by which a look is kept and asked
/// for.
uint64_t write_home(JsonWriter& w, Observer& observer);

/// What `tables` and `table` know one by.
std::string table_id(const Table* t);

/// The process a request names: its pid, or a registered name; kNone: there is none.
Term named_process(RequestContext& a);

#define REQUEST(name, text) std::string answer_##name(RequestContext& a);
#include "vm/observe/requests.def"
#undef REQUEST

}  // namespace wb
