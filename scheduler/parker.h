// Where one worker sleeps: on a futex, or, when it is the one that watches the file descriptors,
// in their epoll set. Waking leaves a token, so a wake-up that comes before the sleep is not lost.
#pragma once

#include <atomic>
#include <cstdint>

namespace wb {

class IoPoller;

class Parker {
 public:
  /// Sleeps until `unpark` or `timeout_ns` from now (~0: for ever). With `io`: collects its
  /// events too; the caller has the claim and dispatches them.
  void park(uint64_t timeout_ns, IoPoller* io);
  void unpark(IoPoller& io);
  /// As park(~0, &io), for who waits elsewhere until the poller's descriptor is readable. False:
  /// it was unparked already.
  bool begin_poll();
  void end_poll(IoPoller& io);
  bool unparked() const { return state_.load(std::memory_order_seq_cst) == kToken; }

 private:
  enum State : uint32_t { kAwake, kToken, kOnFutex, kInPoll };

  std::atomic<uint32_t> state_{kAwake};
};

}  // namespace wb
