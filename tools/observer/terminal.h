// The terminal: raw mode, terminfo, keys, its size. Whoever holds one has the whole screen; its end
// gives the terminal back as it was, also when a signal ends the program.
#pragma once

#include <termios.h>

#include <string>

namespace wb {

enum Key : int {
  kKeyNone = 0,
  kKeyTab = 9,
  kKeyEnter = 13,
  kKeyEscape = 27,
  kKeyBackspace = 127,
  kKeyUp = 0x110000,  // beyond characters
  kKeyDown,
  kKeyLeft,
  kKeyRight,
  kKeyHome,
  kKeyEnd,
  kKeyPageUp,
  kKeyPageDown,
  kKeyResize,
  kKeyClick,  ///< at mouse_row(), mouse_column()
  kKeyWheelUp,
  kKeyWheelDown,
  kKeyQuit,  ///< a signal asks for the end, or the terminal is gone
};

class UserTerminal {
 public:
  UserTerminal() = default;
  ~UserTerminal() { close(); }
  UserTerminal(const UserTerminal&) = delete;

  /// Empty, or why not.
  std::string open(bool mouse);
  void close();

  int width() const { return width_; }
  int height() const { return height_; }
  bool has_colour() const { return colours_; }
  bool has_utf8() const { return utf8_; }

  /// The next key (a character or a Key), or kKeyNone after so long.
  int key(int patience_ms);
  int mouse_row() const { return mouse_row_; }
  int mouse_column() const { return mouse_column_; }
  void write(const std::string& bytes);

  // --- what to write for ---
  std::string go_to(int row, int column) const;
  std::string clear() const { return clear_; }
  std::string style(unsigned style) const;  ///< screen.h

 private:
  void measure();
  int next_byte(int patience_ms);
  int escape_sequence();
  int mouse_event();
  int utf8(int lead);
  int read_signal();

  bool open_ = false, colours_ = false, utf8_ = false;
  int signals_ = -1;
  int width_ = 80, height_ = 24;
  int mouse_row_ = 0, mouse_column_ = 0;
  termios before_ = {};
  std::string clear_, plain_, bold_, dim_, reverse_, colour_, enter_, leave_;
};

}  // namespace wb
