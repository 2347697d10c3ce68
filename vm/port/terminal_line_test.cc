#include "vm/port/terminal_line.h"

#include <catch2/catch.hpp>
#include <clocale>

using wb::TerminalLine;

namespace {
/// A screen that understands what the line sends, and nothing else.
struct Screen {
  explicit Screen(uint32_t width) : columns(width), rows(1, std::string(width, ' ')) {}
  void show(const std::string& bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      char c = bytes[i];
      if (c == '\r') {
        column = 0, full = false;
      } else if (c == '\n') {
        full = false, down();
      } else if (c == '\b') {
        REQUIRE(column > 0);
        --column, full = false;
      } else if (c == '\a') {
        ++bells;
      } else if (c == '\x1b') {
        REQUIRE(bytes[++i] == '[');
        uint32_t n = 0;
        for (++i; bytes[i] >= '0' && bytes[i] <= '9'; ++i)
          n = n * 10 + static_cast<uint32_t>(bytes[i] - '0');
        escape(bytes[i], n ? n : 1);
      } else {
        if (full) column = 0, full = false, down();
        rows[row][column] = c;
        full = column + 1 == columns;
        if (!full) ++column;
      }
    }
  }
  void down() {
    if (++row == rows.size()) rows.emplace_back(columns, ' ');
  }
  void escape(char what, uint32_t n) {
    full = false;
    if (what == 'A') row -= n;
    if (what == 'B') row += n;
    if (what == 'C') column += n;
    if (what == 'D') column -= n;
    if (what == 'J') {
      for (size_t k = column; k < columns; ++k) rows[row][k] = ' ';
      for (size_t r = row + 1; r < rows.size(); ++r) rows[r].assign(columns, ' ');
    }
    REQUIRE(row < rows.size());
    REQUIRE(column < columns);
  }
  std::string text() const {
    std::string all;
    for (const std::string& r : rows) {
      all += r.substr(0, r.find_last_not_of(' ') + 1);
      all += '|';
    }
    return all;
  }
  uint32_t columns, row = 0, column = 0, bells = 0;
  bool full = false;
  std::vector<std::string> rows;
};

struct Session {
  explicit Session(uint32_t columns) : screen(columns) {}
  void put(const std::string& s) { run('\0' + s); }
  void insert(const std::string& s) { run('\2' + s); }
  void move(int n) { run('\1' + two(n)); }
  void erase(int n) { run('\3' + two(n)); }
  void run(const std::string& command) { screen.show(line.run(command, screen.columns, &reply)); }
  static std::string two(int n) { return {static_cast<char>(n >> 8), static_cast<char>(n)}; }
  TerminalLine line;
  Screen screen;
  bool reply = false;
};
}  // namespace

TEST_CASE("a line is edited", "[terminal_line]") {
  Session s(20);
  s.put("1> ");
  s.insert("lists:mp");
  s.move(-1);
  s.insert("a");
  CHECK(s.screen.text() == "1> lists:map|");
  CHECK(s.screen.column == 11);
  s.erase(-3);
  CHECK(s.screen.text() == "1> listsp|");
  s.move(1);
  s.put("\nok\n");
  CHECK(s.screen.text() == "1> listsp|ok||");
  s.run("\4");
  CHECK(s.screen.bells == 1);
}

TEST_CASE("a line longer than the terminal is wide", "[terminal_line]") {
  Session s(5);
  s.insert("abcdefghijkl");
  CHECK(s.screen.text() == "abcde|fghij|kl|");
  s.move(-10);
  s.insert("X");
  CHECK(s.screen.text() == "abXcd|efghi|jkl|");
  CHECK((s.screen.row == 0 && s.screen.column == 3));
  s.erase(9);
  CHECK(s.screen.text() == "abXl|||");
  s.insert("y");  // fills the row: the cursor is before l
  CHECK(s.screen.text() == "abXyl|||");
  s.move(1);
  CHECK((s.screen.row == 1 && s.screen.column == 0));
  s.put("m");
  CHECK(s.screen.text() == "abXyl|m||");
}

TEST_CASE("what has no column of its own", "[terminal_line]") {
  Session s(20);
  s.put("a\tb");
  CHECK(s.screen.text() == "a       b|");
  s.put("\rX");
  CHECK(s.screen.text() == "X       b|");
  s.put("\n");
  s.insert(std::string("x\x01y"));
  CHECK(s.screen.rows[1].substr(0, 4) == "x^Ay");
  s.erase(-2);
  CHECK(s.screen.rows[1].substr(0, 4) == "x   ");
  s.run("\5done");
  CHECK(s.reply);
  bool reply;
  CHECK(s.line.run("", 80, &reply).empty());
  s.move(-1000);
  s.erase(1000);
  CHECK(s.screen.column == 0);
}

TEST_CASE("wide characters", "[terminal_line]") {
  if (!setlocale(LC_CTYPE, "C.UTF-8")) return;
  TerminalLine line;
  bool reply;
  CHECK(line.run("\2\u65e5\u672c", 80, &reply) == "\u65e5\u672c");
  CHECK(line.run(std::string("\1\xff\xff", 3), 80, &reply) == "\b\b");
  CHECK(line.run("\2x", 80, &reply) == "x\u672c\b\b");
  line.is_unicode = false;
  CHECK(line.run(std::string("\1\0\1", 3), 80, &reply) == "\x1b[2C");
  CHECK(line.run("\2\u65e5", 80, &reply) == "\\x{65E5}");
  CHECK(line.run("\2\u00e9", 80, &reply) == "\xe9");
}

TEST_CASE("colours take no columns", "[terminal_line]") {
  TerminalLine line;
  bool reply;
  auto run = [&](const std::string& command) { return line.run(command, 10, &reply); };
  std::string put = std::string(1, '\0');
  CHECK(run(put + "\x1b[1;31mred> ") == "\x1b[1;31mred> ");
  CHECK(run(put + "\x1b[0m") == "\x1b[0m");
  CHECK(run("\2abcd") == "abcd");
  CHECK(run("\2e") == "e \b");  // the row is full with it
  CHECK(run(put + "\n\x1b[0m\x1b") == "\r\n\x1b[0m\x1b");
}
