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
  // Pids are never cut: their column grows, and others have less room.
  std::vector<int> widths;
  int grown = 0, fixed = 0;
  for (size_t k = 0; k < columns_.size(); ++k) {
    int width = columns_[k].width;
    for (int r = top_; columns_[k].name == "pid" && r < std::min(count, top_ + page_); ++r) {
      const auto& cells = rows[static_cast<size_t>(r)].cells;
      if (k < cells.size()) width = std::max(width, static_cast<int>(cells[k].size()));
    }
    widths.push_back(width);
    grown += width - columns_[k].width;
  }
  auto is_shown = [&](const Column& c) { return !c.from || screen.width() >= c.from + grown; };
  for (size_t k = 0; k < columns_.size(); ++k) {
    if (widths[k] && is_shown(columns_[k])) fixed += widths[k] + 1;
  }
  auto draw_row = [&](int row, auto cell, unsigned style) {
    int column = 0;
    for (size_t k = 0; k < columns_.size(); ++k) {
      const Column& c = columns_[k];
      if (!is_shown(c)) continue;
      int width = widths[k] ? widths[k] : std::max(8, screen.width() - fixed);
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
