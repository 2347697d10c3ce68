#include "vm/process/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "base/base.h"

namespace wb {

Interrupt::Interrupt() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
Interrupt::~Interrupt() {
  if (event_ >= 0) close(event_);
}

void Interrupt::request() {
  requested_.store(true, std::memory_order_release);
  if (event_ >= 0) (void)!eventfd_write(event_, 1);
}

bool Interrupt::wait(int fd, short events, int most_ms) {
  constexpr int kLook = 10;  // without a descriptor that says so
  pollfd both[] = {{fd, events, 0}, {event_, POLLIN, 0}};
  while (!requested()) {
    const bool looks = event_ < 0 && (most_ms < 0 || most_ms > kLook);
    const int n = poll(both, 2, looks ? kLook : most_ms);
    if (n < 0 && errno == EINTR) continue;
    if (n != 0) break;
    if (!looks) break;
    if (most_ms > 0) most_ms -= kLook;
  }
  return !requested();
}

}  // namespace wb
