#include "tools/observer/screen.h"

#include <algorithm>

#include "term/utf8.h"
#include "tools/observer/terminal.h"

namespace wb {

bool Screen::has_utf8() const { return terminal_.has_utf8(); }

void Screen::begin() {
  if (width_ != terminal_.width() || height_ != terminal_.height()) {
    width_ = terminal_.width(), height_ = terminal_.height();
    shown_.clear();
  }
  cells_.assign(static_cast<size_t>(width_) * static_cast<size_t>(height_), {});
}

int Screen::put(int row, int column, std::string_view text, unsigned style, int room) {
  if (row < 0 || row >= height_) return column;
  int end = std::min(width_, room > width_ ? width_ : column + room);
  while (!text.empty() && column < end) {
    int32_t c = take_utf8(text);
    if (c < 0) text.remove_prefix(1);
    bool shown = c >= ' ' && c != 127 && !(c >= 0x80 && c < 0xa0) && c < 0x1100;  // one column wide
    if (column >= 0) {
      cells_[static_cast<size_t>(row * width_ + column)] = {shown ? static_cast<char32_t>(c) : U'?',
                                                            style};
    }
    ++column;
  }
  return column;
}

void Screen::put_right(int row, int column, int room, std::string_view text, unsigned style) {
  auto length = static_cast<int>(text.size());
  put(row, column + std::max(0, room - length), text, style, std::min(room, length));
}

void Screen::fill(int row, unsigned style) {
  for (int c = 0; c < width_ && row >= 0 && row < height_; ++c) {
    cells_[static_cast<size_t>(row * width_ + c)].style = style;
  }
}

void Screen::append(std::string& out, const Cell& cell) const {
  if (cell.character < 0x80 || terminal_.has_utf8()) {
    append_utf8(out, static_cast<uint32_t>(cell.character));
  } else {
    out += '?';
  }
}

void Screen::show() {
  std::string out;
  if (shown_.size() != cells_.size()) {
    out += terminal_.style(kPlain) + terminal_.clear();
    shown_.assign(cells_.size(), {});
  }
  unsigned style = ~0u;
  for (int row = 0; row < height_; ++row) {
    int at = -1;  // where the cursor is
    for (int column = 0; column < width_; ++column) {
      auto k = static_cast<size_t>(row * width_ + column);
      // The last cell of the screen is never written: some terminals would scroll.
      if (cells_[k] == shown_[k] || k + 1 == cells_.size()) continue;
      if (at != column) out += terminal_.go_to(row, column);
      if (cells_[k].style != style) out += terminal_.style(style = cells_[k].style);
      append(out, cells_[k]);
      at = column + 1;
    }
  }
  shown_ = cells_;
  if (!out.empty()) terminal_.write(out);
}

}  // namespace wb
