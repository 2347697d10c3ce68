#include "vm/port/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <clocale>
#include <cstring>
#include <utility>

#include "term/utf8.h"

namespace wb {

namespace {
constexpr uint64_t kControl = 0x018b0900;
constexpr uint64_t kIsUnicode = kControl + 101, kSetUnicode = kControl + 102;
static_assert(Terminal::kWindowSize == kControl + 100);

/// A terminal that nobody has told its size (below run_erl, say) counts as 80 by 24.
winsize window_size() {
  winsize size = {};
  ioctl(Terminal::kOutput, TIOCGWINSZ, &size);
  if (size.ws_col == 0) size.ws_col = 80;
  if (size.ws_row == 0) size.ws_row = 24;
  return size;
}
std::string byte(bool on) { return {static_cast<char>(on)}; }
}  // namespace

std::string Terminal::columns_and_rows(const winsize& size) {
  const uint32_t numbers[] = {size.ws_col, size.ws_row};
  return std::string(reinterpret_cast<const char*>(numbers), sizeof numbers);
}

bool Terminal::is_there() { return isatty(kInput) && isatty(kOutput); }

Terminal::Terminal(const std::string& command) {
  // How wide characters are depends on the locale; numbers are still written as C writes them.
  setlocale(LC_CTYPE, "");
  line_.is_ascii_only = !isprint(0xe5);
  line_.is_unicode = line_.knows_widths = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  termios raw;
  if (tcgetattr(kInput, &raw) != 0) return;
  before_ = raw;
  auto without = [&](const char* flag) { return command.find(flag) != std::string::npos; };
  auto clear = [](tcflag_t& flags, tcflag_t which) { flags &= ~which; };
  clear(raw.c_iflag, ISTRIP);
  if (without("-c")) {  // Enter is a carriage return, which is all that group's passwords end at
    clear(raw.c_iflag, ICRNL);
    clear(raw.c_lflag, ICANON);
    clear(raw.c_oflag, OPOST);
  }
  if (without("-e")) clear(raw.c_lflag, ECHO);
  if (without("-s")) {
    clear(raw.c_iflag, BRKINT | IGNPAR | ICRNL | IXON | IXANY);
    clear(raw.c_lflag, ISIG | IEXTEN);
  }
  raw.c_cc[VMIN] = 1, raw.c_cc[VTIME] = 0;
  raw_ = raw;
  reapply();
}

void Terminal::restore() {
  suspend();
  before_.reset();
}
void Terminal::suspend() {
  if (before_) tcsetattr(kInput, TCSADRAIN, &*before_);
}
void Terminal::reapply() {
  if (before_) tcsetattr(kInput, TCSADRAIN, &raw_);
}

std::string Terminal::typed(std::string_view bytes) {
  const std::string all = std::exchange(begun_, {}) + std::string(bytes);
  const auto* at = reinterpret_cast<const uint8_t*>(all.data());
  std::string text;
  for (size_t left = all.size(); left;) {
    uint32_t c = *at;
    int n = line_.is_unicode ? utf8_decode(at, left, &c) : 1;
    if (n == kUtf8Incomplete) {
      begun_.assign(reinterpret_cast<const char*>(at), left);
      break;
    }
    if (n <= 0) c = *at, n = 1;
    append_utf8(text, c);
    at += n, left -= static_cast<size_t>(n);
  }
  return text;
}

std::string Terminal::run(std::string_view command, bool* reply) {
  return line_.run(command, window_size().ws_col, reply);
}

std::optional<std::string> Terminal::control(uint64_t operation, std::string_view in) {
  switch (operation) {
    case kWindowSize:
      return columns_and_rows(window_size());
    case kIsUnicode:
      return byte(line_.is_unicode);
    case kSetUnicode: {
      if (in.size() != 1) return std::nullopt;
      bool before = line_.is_unicode;
      line_.is_unicode = in[0] != 0;
      return byte(before);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace wb
