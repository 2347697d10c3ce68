#include "scheduler/parker.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "scheduler/io_poller.h"

namespace wb {
namespace {

long futex(std::atomic<uint32_t>& word, int op, uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, &word, op | FUTEX_PRIVATE_FLAG, value, timeout, nullptr,
                 FUTEX_BITSET_MATCH_ANY);
}

// The moment `ns` from now, or nullptr for never. FUTEX_WAIT_BITSET wants it absolute, so that an
// interrupted wait goes on without measuring again.
const timespec* moment(uint64_t ns, timespec& out) {
  constexpr uint64_t kSecond = 1'000'000'000, kYears = kSecond * 1'000'000'000;
  if (ns == ~uint64_t{0}) return nullptr;
  if (ns > kYears) ns = kYears;
  clock_gettime(CLOCK_MONOTONIC, &out);
  ns += uint64_t(out.tv_nsec);
  out.tv_sec += time_t(ns / kSecond);
  out.tv_nsec = long(ns % kSecond);
  return &out;
}

}  // namespace

void Parker::park(uint64_t timeout_ns, IoPoller* io) {
  uint32_t awake = kAwake;
  uint32_t asleep = io ? kInPoll : kOnFutex;
  if (!state_.compare_exchange_strong(awake, asleep, std::memory_order_seq_cst)) {
    state_.store(kAwake, std::memory_order_seq_cst);
    return;
  }
  if (io) {
    io->wait(timeout_ns);
    state_.exchange(kAwake, std::memory_order_seq_cst);
    return;
  }
  timespec at;
  const timespec* until = moment(timeout_ns, at);
  while (state_.load(std::memory_order_acquire) == kOnFutex) {
    if (futex(state_, FUTEX_WAIT_BITSET, kOnFutex, until) == -1 && errno == ETIMEDOUT) break;
  }
  state_.exchange(kAwake, std::memory_order_seq_cst);
}

bool Parker::begin_poll() {
  uint32_t awake = kAwake;
  if (state_.compare_exchange_strong(awake, kInPoll, std::memory_order_seq_cst)) return true;
  state_.store(kAwake, std::memory_order_seq_cst);
  return false;
}
void Parker::end_poll(IoPoller& io) {
  io.wait(0);
  state_.exchange(kAwake, std::memory_order_seq_cst);
}

void Parker::unpark(IoPoller& io) {
  uint32_t was = state_.exchange(kToken, std::memory_order_seq_cst);
  if (was == kOnFutex) futex(state_, FUTEX_WAKE, 1, nullptr);
  if (was == kInPoll) io.interrupt();
}

}  // namespace wb
