// The driver `tty_sl`: the terminal of standard input and output, for OTP's user_drv.
//
// While it is open the terminal neither echoes nor waits for whole lines; what is typed goes to the
// port's owner as it comes, and the owner sends what is to happen to the line (terminal_line.h).
// How the terminal was before is restored when the port or the machine ends, and while the break
// menu has it; a shell to which ^Z gave it leaves it in a mode of its own, so ours is set again
// when we are continued.
#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <string_view>

#include "vm/port/terminal_line.h"

struct winsize;  // of <sys/ioctl.h>

namespace wb {

class Terminal {
 public:
  static constexpr int kInput = 0, kOutput = 1;
  /// port_control/3, of ports of descriptors, too: 32 bits each.
  static constexpr uint64_t kWindowSize = 0x018b0900 + 100;
  static std::string columns_and_rows(const winsize& size);
  /// Are both a terminal's?
  static bool is_there();
  /// `command`: "tty_sl -c -e" and so on: which of a terminal's services are not wanted.
  explicit Terminal(const std::string& command);
  ~Terminal() { restore(); }
  Terminal(const Terminal&) = delete;

  /// What was typed, as UTF-8: of a terminal of Latin-1, and of bytes that are no UTF-8, each byte
  /// is a character. A character whose last bytes have not come yet waits for them.
  std::string typed(std::string_view bytes);
  /// As TerminalLine::run.
  std::string run(std::string_view command, bool* reply);
  /// port_control/3: its answer; nothing: badarg.
  std::optional<std::string> control(uint64_t operation, std::string_view in);
  void restore();
  /// As it was before, until reapply().
  void suspend();
  void reapply();

 private:
  TerminalLine line_;
  std::string begun_;  ///< the first bytes of a character
  std::optional<termios> before_;
  termios raw_ = {};
};

}  // namespace wb
