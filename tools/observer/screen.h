// What is on the screen, cell by cell. Views draw everything anew; only what differs from what the
// terminal shows is sent, so a refresh over a slow line is short.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wb {

class UserTerminal;

enum Style : unsigned {
  kPlain = 0,
  kBold = 1,
  kReverse = 2,
  kDim = 4,
  kRed = 8,  ///< bold where there are no colours
  kGreen = 16,
  kYellow = 32,
  kCyan = 64
};

class Screen {
 public:
  explicit Screen(UserTerminal& terminal) : terminal_(terminal) {}

  int width() const { return width_; }
  int height() const { return height_; }
  bool has_utf8() const;

  /// An empty screen of the terminal's size.
  void begin();
  /// At most `room` characters, cut off where the screen ends. Returns the column behind it.
  int put(int row, int column, std::string_view text, unsigned style = kPlain, int room = 10000);
  /// The same, its end at `column` + `room`.
  void put_right(int row, int column, int room, std::string_view text, unsigned style = kPlain);
  /// A row in one style, text or not.
  void fill(int row, unsigned style);
  void show();
  /// What the terminal shows is unknown: everything is sent.
  void forget() { shown_.clear(); }

 private:
  struct Cell {
    char32_t character = ' ';
    unsigned style = kPlain;
    bool operator==(const Cell&) const = default;
  };
  void append(std::string& out, const Cell& cell) const;

  UserTerminal& terminal_;
  int width_ = 0, height_ = 0;
  std::vector<Cell> cells_, shown_;
};

}  // namespace wb
