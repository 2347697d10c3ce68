// The mode in which a program has put the terminal of standard input, and the one before, which is
// restored when the machine ends and while the break menu has the terminal.
#pragma once

#include <termios.h>

#include <mutex>
#include <optional>

namespace wb {

class TerminalMode {
 public:
  void set(int fd, const termios& wanted);
  /// As it was before set(), for good.
  void restore();
  /// As it was before, until reapply().
  void suspend();
  void reapply();

 private:
  void apply(const termios& mode) const { tcsetattr(fd_, TCSADRAIN, &mode); }
  std::mutex lock_;
  int fd_ = 0;
  termios wanted_ = {};
  std::optional<termios> before_;
};

}  // namespace wb
