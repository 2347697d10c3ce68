#include "tools/observer/table.h"

#include <algorithm>

#include "tools/observer/terminal.h"

namespace wb {

void TableWidget::draw(Screen& screen, int first, int end) {
  page_ = std::max(1, end - first - 1);
  auto count = static_cast<int>(rows.size());
  selected_ = std::clamp(selected_, 0, std::max(0, count - 1));
  top_ = std::clamp(top_, std::max(0, selected_ - page_ + 1), selected_);
  top_ = std::min(top_, std::max(0, count - page_));
  int fixed = 0;
  for (const Column& c : columns_) {
    if (c.width && screen.width() >= c.from) fixed += c.width + 1;
  }
  auto draw_row = [&](int row, auto cell, unsigned style) {
    int column = 0;
    for (size_t k = 0; k < columns_.size(); ++k) {
      const Column& c = columns_[k];
      if (screen.width() < c.from) continue;
      int width = c.width ? c.width : std::max(8, screen.width() - fixed);
      if (c.right)
        screen.put_right(row, column, width, cell(k), style);
      else
        screen.put(row, column, cell(k), style, width);
      column += width + 1;
    }
  };
  screen.fill(first, kReverse);
  draw_row(
      first,
      [&](size_t k) { return columns_[k].name + (static_cast<int>(k) == sorted ? "*" : ""); },
      kReverse);
  for (int k = 0; k < page_ && top_ + k < count; ++k) {
    const Row& row = rows[static_cast<size_t>(top_ + k)];
    unsigned style = row.style | (top_ + k == selected_ ? unsigned{kReverse} : 0);
    if (style & kReverse) screen.fill(first + 1 + k, style);
    draw_row(
        first + 1 + k,
        [&](size_t c) { return c < row.cells.size() ? row.cells[c] : std::string(); }, style);
  }
}

const TableWidget::Row* TableWidget::selected() const {
  auto k = static_cast<size_t>(selected_);
  return k < rows.size() ? &rows[k] : nullptr;
}

bool TableWidget::key(int key) {
  switch (key) {
    case kKeyUp:
    case 'k':
      --selected_;
      break;
    case kKeyDown:
    case 'j':
      ++selected_;
      break;
    case kKeyPageUp:
      selected_ -= page_;
      break;
    case kKeyPageDown:
      selected_ += page_;
      break;
    case kKeyHome:
      selected_ = 0;
      break;
    case kKeyEnd:
      selected_ = static_cast<int>(rows.size()) - 1;
      break;
    default:
      return false;
  }
  selected_ = std::clamp(selected_, 0, std::max(0, static_cast<int>(rows.size()) - 1));
  return true;
}

}  // namespace wb
