#include "vm/port/terminal_mode.h"

namespace wb {

void TerminalMode::set(int fd, const termios& wanted) {
  std::lock_guard guard(lock_);
  termios now;
  if (tcgetattr(fd, &now) != 0) return;
  if (!before_) before_ = now;
  fd_ = fd, wanted_ = wanted;
  apply(wanted_);
}

void TerminalMode::restore() {
  std::lock_guard guard(lock_);
  if (before_) apply(*before_);
  before_.reset();
}

void TerminalMode::suspend() {
  std::lock_guard guard(lock_);
  if (before_) apply(*before_);
}

void TerminalMode::reapply() {
  std::lock_guard guard(lock_);
  if (before_) apply(wanted_);
}

}  // namespace wb
