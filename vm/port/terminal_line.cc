#include "vm/port/terminal_line.h"

#include <wchar.h>

#include <algorithm>
#include <cstdio>

#include "term/utf8.h"

namespace wb {

namespace {
constexpr uint32_t kTab = 8;
constexpr char kEscape = 27;
std::string utf8(int32_t c) {
  std::string bytes;
  append_utf8(bytes, static_cast<uint32_t>(c));
  return bytes;
}
int number(std::string_view two) {
  if (two.size() < 2) return 0;
  return static_cast<int16_t>(static_cast<uint8_t>(two[0]) << 8 | static_cast<uint8_t>(two[1]));
}
}  // namespace

TerminalLine::Glyph TerminalLine::glyph_of(int32_t c, uint32_t column) const {
  if (c == '\t') {
    uint32_t width = kTab - column % kTab;
    return {std::string(width, ' '), width};
  }
  if (c == kEscape) return {{kEscape}, 0};
  if (c < 32 || c == 127) return {{'^', static_cast<char>(c ^ 64)}, 2};
  if (c < 127) return {{static_cast<char>(c)}, 1};
  if (!is_unicode && !is_ascii_only && c < 256) return {{static_cast<char>(c)}, 1};
  const int width = knows_widths ? wcwidth(static_cast<wchar_t>(c)) : 1;
  if (is_unicode && width >= 0) return {utf8(c), static_cast<uint32_t>(width)};
  char text[16];
  int n = snprintf(text, sizeof text, c < 256 && !is_unicode ? "\\%o" : "\\x{%X}",
                   static_cast<unsigned>(c));
  return {{text, static_cast<size_t>(n)}, static_cast<uint32_t>(n)};
}

void TerminalLine::advance(Place* at, uint32_t width, uint32_t columns) {
  if (width > 1 && width <= 2 && at->column + width > columns) ++at->row, at->column = 0;
  at->column += width;
  while (at->column >= columns && width) ++at->row, at->column -= columns;
}
size_t TerminalLine::escape_sequence(size_t index) const {
  auto is = [&](size_t i, std::string_view any) {
    return line_[i].shown.size() == 1 && any.find(line_[i].shown[0]) != any.npos;
  };
  size_t end = line_.size(), i = index + 1;
  if (i >= end || !is(i, "[")) return std::min(i + 1, end);
  for (++i; i < end && is(i, "0123456789;");) ++i;
  return std::min(i + 1, end);
}
TerminalLine::Place TerminalLine::place(size_t index) const {
  Place at;
  for (size_t i = 0; i < index;) {
    if (line_[i].shown[0] == kEscape)
      i = escape_sequence(i);
    else
      advance(&at, line_[i++].width, columns_);
  }
  return at;
}

void TerminalLine::go(Place from, Place to) {
  auto step = [&](uint32_t count, char direction) {
    if (count == 0) return;
    out_ += "\x1b[";
    if (count > 1) out_ += std::to_string(count);
    out_ += direction;
  };
  if (to.row < from.row) step(from.row - to.row, 'A');
  if (to.row > from.row) step(to.row - from.row, 'B');
  if (to.column == 0 && from.column != 0) {
    out_ += '\r';
  } else if (to.column < from.column && from.column - to.column <= 4) {
    out_.append(from.column - to.column, '\b');
  } else {
    if (to.column < from.column) step(from.column - to.column, 'D');
    if (to.column > from.column) step(to.column - from.column, 'C');
  }
}

void TerminalLine::show_from(size_t from) {
  for (size_t i = from; i < line_.size(); ++i) out_ += line_[i].shown;
  // A terminal stays in the last column until the next character comes.
  if (auto end = place(line_.size()); end.row > place(from).row && end.column == 0) out_ += " \b";
}

void TerminalLine::put(std::string_view text) {
  size_t shown = cursor_;
  auto show = [&](bool line_ends = false) {
    for (size_t i = shown; i < cursor_; ++i) out_ += line_[i].shown;
    auto end = place(cursor_);
    if (!line_ends && end.row > place(shown).row && end.column == 0) {
      out_ += " \b";
      if (cursor_ < line_.size())
        out_ += line_[cursor_].shown, go(place(cursor_ + 1), place(cursor_));
    }
    shown = cursor_;
  };
  while (!text.empty()) {
    int32_t c = take_utf8(text);
    if (c < 0) c = static_cast<uint8_t>(text[0]), text.remove_prefix(1);
    if (c == '\n') {
      show(true);
      out_ += "\r\n";
      line_.clear();
      shown = cursor_ = 0;
    } else if (c == '\r') {
      show();
      go(place(cursor_), Place{});
      shown = cursor_ = 0;
    } else if (c == 7) {
      show();
      out_ += '\a';
    } else {
      Glyph glyph = glyph_of(c, place(cursor_).column);
      if (cursor_ < line_.size())
        line_[cursor_] = std::move(glyph);
      else
        line_.push_back(std::move(glyph));
      ++cursor_;
    }
  }
  show();
}

void TerminalLine::insert(std::string_view text) {
  size_t from = cursor_;
  while (!text.empty()) {
    int32_t c = take_utf8(text);
    if (c < 0) c = static_cast<uint8_t>(text[0]), text.remove_prefix(1);
    if (c == '\n') {  // lines that are pasted
      show_from(from);
      out_ += "\r\n";
      line_.erase(line_.begin(), line_.begin() + static_cast<ptrdiff_t>(cursor_));
      from = cursor_ = 0;
      continue;
    }
    Glyph glyph = glyph_of(c, place(cursor_).column);
    line_.insert(line_.begin() + static_cast<ptrdiff_t>(cursor_++), std::move(glyph));
  }
  show_from(from);
  go(place(line_.size()), place(cursor_));
}

void TerminalLine::erase(int count) {
  if (count < 0) {
    auto before = static_cast<int>(std::min<size_t>(static_cast<size_t>(-count), cursor_));
    move(-before);
    count = before;
  }
  auto n = std::min(static_cast<size_t>(count), line_.size() - cursor_);
  if (n == 0) return;
  auto first = line_.begin() + static_cast<ptrdiff_t>(cursor_);
  line_.erase(first, first + static_cast<ptrdiff_t>(n));
  show_from(cursor_);
  out_ += "\x1b[J";
  go(place(line_.size()), place(cursor_));
}

void TerminalLine::move(int count) {
  auto to = static_cast<ptrdiff_t>(cursor_) + count;
  to = std::clamp<ptrdiff_t>(to, 0, static_cast<ptrdiff_t>(line_.size()));
  go(place(cursor_), place(static_cast<size_t>(to)));
  cursor_ = static_cast<size_t>(to);
}

std::string TerminalLine::run(std::string_view command, uint32_t columns, bool* reply) {
  *reply = false;
  if (command.empty()) return {};
  columns_ = std::max(columns, 2u);
  auto operation = static_cast<Operation>(command[0]);
  std::string_view rest = command.substr(1);
  switch (operation) {
    case Operation::put_sync:
      *reply = true;
      [[fallthrough]];
    case Operation::put:
      put(rest);
      break;
    case Operation::move:
      move(number(rest));
      break;
    case Operation::insert:
      insert(rest);
      break;
    case Operation::erase:
      erase(number(rest));
      break;
    case Operation::beep:
      out_ += '\a';
      break;
  }
  return std::move(out_);
}

}  // namespace wb
