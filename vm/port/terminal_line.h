// The line at the bottom of a terminal, as the driver `tty_sl` keeps it for OTP's user_drv.
//
// user_drv sends what is to happen to the line (put, insert, delete, move, beep), counted in code
// points; what goes to the terminal is text and cursor movements of ECMA-48, which every terminal
// understands that is in use. The line may be longer than the terminal is wide: it stands in
// several rows then, and the cursor goes up and down in them. A code point takes the columns that
// wcwidth says (in a locale that has no such character, 1); a control character is shown as ^X, a
// tab as blanks up to the next multiple of 8. An escape sequence (a colour: ESC [, numbers, a
// letter) is sent as it is and takes none. What does not fit into the last column of a row begins
// the next one.
//
// Text that is put goes over what is there; a newline in it ends the line, and a new one begins.
// It is sent as a return and a line feed, because terminal.h has the terminal add nothing.
// Rejected: terminfo, whose answers for these eight movements are the same everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wb {

class TerminalLine {
 public:
  enum class Operation : uint8_t {
    put = 0,
    move = 1,
    insert = 2,
    erase = 3,
    beep = 4,
    put_sync = 5
  };

  /// What goes to a terminal of so many columns for one command: an Operation in its first byte,
  /// then UTF-8 or a signed number in two bytes. `*reply`: its sender wants to know that it has
  /// been done.
  std::string run(std::string_view command, uint32_t columns, bool* reply);

  bool knows_widths = true;    ///< wcwidth, whose locale may have no characters beyond ASCII
  bool is_ascii_only = false;  ///< and what is Latin-1 beyond it is shown in octal
  bool is_unicode = true;      ///< else text goes out as Latin-1, and what is not as ? or \x{...}

 private:
  struct Glyph {
    std::string shown;
    uint32_t width;
  };
  struct Place {
    uint32_t row = 0, column = 0;
  };

  Glyph glyph_of(int32_t c, uint32_t column) const;
  /// Behind the escape sequence that begins there.
  size_t escape_sequence(size_t index) const;
  /// Where the cursor is in front of the glyph with this index.
  Place place(size_t index) const;
  static void advance(Place* at, uint32_t width, uint32_t columns);
  void put(std::string_view text);
  void insert(std::string_view text);
  void erase(int count);
  void move(int count);
  /// Shows the glyphs from `from` on, beginning at the cursor, which is there; it ends behind the
  /// last.
  void show_from(size_t from);
  void go(Place from, Place to);

  std::vector<Glyph> line_;
  size_t cursor_ = 0;  ///< the glyph that it stands on
  uint32_t columns_ = 80;
  std::string out_;
};

}  // namespace wb
