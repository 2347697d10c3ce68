#include "tools/progress.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

namespace wb {

static constexpr auto kBetween = std::chrono::milliseconds(200);

Progress::Progress(std::string_view what, size_t total)
    : what_(what),
      total_(total),
      on_terminal_(isatty(STDERR_FILENO) != 0),
      next_(began_ + 2 * kBetween) {}  // what is over at once needs no progress

void Progress::step() {
  ++done_;
  if (!on_terminal_) return;
  auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  double spent = std::chrono::duration<double>(now - began_).count();
  auto left = static_cast<long>(spent / double(done_) * double(total_ - done_) + 0.5);
  fmt::print(stderr, "\r{} of {} {}, {}:{:02} left\x1b[K", done_, total_, what_, left / 60,
             left % 60);
  fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace wb
