#include "tools/observer/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "term/utf8.h"
#include "tools/observer/screen.h"
// Last: curses defines much.
#include <curses.h>
#include <term.h>

namespace wb {

static std::string capability(const char* name) {
  const char* s = tigetstr(name);
  return s && s != reinterpret_cast<const char*>(-1) ? s : "";
}

/// Without the padding that terminfo asks for ("$<5>"): terminals need none today.
static std::string without_padding(std::string s) {
  for (size_t at; (at = s.find("$<")) != s.npos;) {
    size_t end = s.find('>', at);
    s.erase(at, end == s.npos ? s.npos : end - at + 1);
  }
  return s;
}

static bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = getenv(name);
    if (value && *value) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
  }
  return false;
}

std::string UserTerminal::open(bool mouse) {
  if (!isatty(0) || !isatty(1)) return "no terminal";
  const char* name = getenv("TERM");
  int error;
  if (!name || setupterm(name, 1, &error) != OK) return "TERM names no terminal that is known";
  if (capability("cup").empty()) return "this terminal cannot move its cursor (TERM)";
  clear_ = without_padding(capability("clear"));
  plain_ = without_padding(capability("sgr0"));
  bold_ = without_padding(capability("bold"));
  dim_ = without_padding(capability("dim"));
  reverse_ = without_padding(capability("rev"));
  colour_ = capability("setaf");
  const char* no_colour = getenv("NO_COLOR");
  colours_ = tigetnum("colors") >= 8 && !colour_.empty() && !(no_colour && *no_colour);
  utf8_ = locale_is_utf8();
  enter_ = without_padding(capability("smcup") + capability("civis"));
  leave_ = without_padding(plain_ + capability("cnorm") + capability("rmcup"));
  if (mouse && !capability("kmous").empty()) {  // clicks and the wheel, in the form without a limit
    enter_ += "\x1b[?1000h\x1b[?1006h";
    leave_ = "\x1b[?1006l\x1b[?1000l" + leave_;
  }
  if (tcgetattr(0, &before_) != 0) return "no terminal";
  sigset_t set;
  sigemptyset(&set);
  for (int s : {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT}) sigaddset(&set, s);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  termios raw = before_;
  cfmakeraw(&raw);
  raw.c_oflag |= OPOST;
  tcsetattr(0, TCSADRAIN, &raw);
  open_ = true;
  write(enter_ + clear_);
  measure();
  return {};
}

void UserTerminal::close() {
  if (!open_) return;
  open_ = false;
  write(leave_);
  tcsetattr(0, TCSAFLUSH, &before_);
  if (signals_ >= 0) ::close(signals_);
  signals_ = -1;
  del_curterm(set_curterm(nullptr));  // it may be opened again
}

void UserTerminal::measure() {
  winsize size = {};
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
    width_ = size.ws_col, height_ = size.ws_row;
  } else if (tigetnum("cols") > 0) {
    width_ = tigetnum("cols"), height_ = tigetnum("lines");
  }
}

void UserTerminal::write(const std::string& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::write(1, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

std::string UserTerminal::go_to(int row, int column) const {
  return without_padding(tiparm(tigetstr("cup"), row, column));
}

std::string UserTerminal::style(unsigned style) const {
  std::string s = plain_;
  if (style & (kBold | (colours_ ? 0 : kRed))) s += bold_;
  if (style & kDim) s += dim_;
  if (style & kReverse) s += reverse_;
  if (!colours_) return s;
  int colour = style & kRed ? 1 : style & kGreen ? 2 : style & kYellow ? 3 : style & kCyan ? 6 : -1;
  if (colour >= 0) s += without_padding(tiparm(colour_.c_str(), colour));
  return s;
}

// --- keys ----------------------------------------------------------------------------------------
/// A byte, or a Key of a signal.
int UserTerminal::next_byte(int patience_ms) {
  pollfd fds[] = {{0, POLLIN, 0}, {signals_, POLLIN, 0}};
  int n = poll(fds, 2, patience_ms);
  if (n <= 0) return kKeyNone;
  if (fds[1].revents) return read_signal();
  unsigned char c;
  ssize_t got = read(0, &c, 1);
  return got == 1 ? c : kKeyQuit;
}

int UserTerminal::read_signal() {
  signalfd_siginfo info;
  if (read(signals_, &info, sizeof info) != sizeof info) return kKeyNone;
  if (info.ssi_signo != SIGWINCH) return kKeyQuit;
  measure();
  return kKeyResize;
}

constexpr int kPatience = 60;  // what a slow line may take between two bytes of one key

/// What follows `ESC [ <`: BUTTON;COLUMN;ROW, then M if it was pressed or turned, m if it was let
/// go.
int UserTerminal::mouse_event() {
  int numbers[3] = {0, 0, 0};
  size_t k = 0;
  int c = next_byte(kPatience);
  for (; (c >= '0' && c <= '9') || c == ';'; c = next_byte(kPatience)) {
    if (c == ';')
      k = std::min<size_t>(k + 1, 2);
    else
      numbers[k] = (numbers[k] * 10 + (c - '0')) % 100'000;
  }
  if (c >= kKeyUp) return c;
  mouse_column_ = numbers[1] - 1, mouse_row_ = numbers[2] - 1;
  if (c != 'M') return kKeyNone;
  return numbers[0] == 0    ? kKeyClick
         : numbers[0] == 64 ? kKeyWheelUp
         : numbers[0] == 65 ? kKeyWheelDown
                            : kKeyNone;
}

/// What follows ESC: keys send `[A`, `OA`, `[5~`, `[1;5A` ...
int UserTerminal::escape_sequence() {
  int c = next_byte(kPatience);
  if (c != '[' && c != 'O') return kKeyEscape;
  int number = 0;
  c = next_byte(kPatience);
  if (c == '<') return mouse_event();
  for (; (c >= '0' && c <= '9') || c == ';'; c = next_byte(kPatience)) {
    number = c == ';' ? number : (number * 10 + (c - '0')) % 1000;
  }
  switch (c) {
    case 'A':
      return kKeyUp;
    case 'B':
      return kKeyDown;
    case 'C':
      return kKeyRight;
    case 'D':
      return kKeyLeft;
    case 'H':
      return kKeyHome;
    case 'F':
      return kKeyEnd;
    case '~':
      return number == 1 || number == 7   ? kKeyHome
             : number == 4 || number == 8 ? kKeyEnd
             : number == 5                ? kKeyPageUp
             : number == 6                ? kKeyPageDown
                                          : kKeyNone;
    default:
      return c >= kKeyUp ? c : kKeyNone;
  }
}

int UserTerminal::utf8(int lead) {
  char bytes[4] = {static_cast<char>(lead)};
  size_t n = utf8_need(static_cast<uint8_t>(lead));
  for (size_t k = 1; k < n; ++k) bytes[k] = static_cast<char>(next_byte(60));
  std::string_view text(bytes, n);
  int32_t c = take_utf8(text);
  return c < 0 ? kKeyNone : c;
}

int UserTerminal::key(int patience_ms) {
  int c = next_byte(patience_ms);
  if (c == 27) return escape_sequence();
  if (c == 8) return kKeyBackspace;
  if (c == '\n') return kKeyEnter;
  if (c == 3) return kKeyQuit;
  return c >= 0x80 && c < 0x100 ? utf8(c) : c;
}

}  // namespace wb
