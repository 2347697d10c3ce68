#include "tools/observer/table.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tools/observer/terminal.h"

namespace wb {

std::optional<double> number_in(std::string_view text) {
  double n = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc()) return {};
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  unit = unit.substr(0, unit.find_first_of(" ,/"));
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},         {"%", 1},        {"B", 1},    {"KiB", 0x1p10}, {"MiB", 0x1p20},
      {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"k", 1e3},  {"M", 1e6},      {"G", 1e9},
      {"T", 1e12},     {"ns", 1},       {"us", 1e3}, {"ms", 1e6},     {"s", 1e9},
  };
  for (const auto& [name, size] : kUnits) {
    if (unit == name) return n * size;
  }
  // 2m05s, 3h12m, 4d01h
  const size_t at = unit.find_first_of("mhd");
  double rest = 0;
  if (at != 0 ||
      std::from_chars(unit.data() + 1, unit.data() + unit.size(), rest).ec != std::errc())
    return {};
  return unit[0] == 'm'   ? (n * 60 + rest) * 1e9
         : unit[0] == 'h' ? (n * 60 + rest) * 60e9
                          : (n * 24 + rest) * 3600e9;
}

/// Those that have room, and the one that rows are ordered by.
std::vector<size_t> TableWidget::shown_columns(int width, const std::vector<int>& widths,
                                               int grown) const {
  auto has_room = [&](const Column& c, int taken) {
    return !c.hidden && (!c.from || width >= c.from + grown + taken);
  };
  const auto must = static_cast<size_t>(sorted);
  const bool added = must < columns_.size() && !has_room(columns_[must], 0);
  const int taken = added ? widths[must] + 1 : 0;
  std::vector<size_t> shown;
  for (size_t k = 0; k < columns_.size(); ++k) {
    if ((added && k == must) || has_room(columns_[k], taken)) shown.push_back(k);
  }
  return shown;
}

/// Numbers before what is none; texts as they are. Of equal ones those that were given first.
void TableWidget::put_in_order() {
  order_.clear();
  if (!sortable || sorted < 0) return;
  const auto column = static_cast<size_t>(sorted);
  struct Key {
    std::optional<double> number;
    std::string_view text;
  };
  std::vector<Key> keys;
  for (const Row& row : rows) {
    const std::string_view text =
        column < row.cells.size() ? row.cells[column] : std::string_view();
    keys.push_back({columns_[column].right ? number_in(text) : std::nullopt, text});
    order_.push_back(static_cast<int>(order_.size()));
  }
  std::sort(order_.begin(), order_.end(), [&](int l, int r) {
    const Key &a = keys[static_cast<size_t>(l)], &b = keys[static_cast<size_t>(r)];
    if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
    if (a.number && *a.number != *b.number) return (*a.number > *b.number) != reversed;
    if (!a.number && a.text != b.text) {
      if (a.text.empty() || b.text.empty()) return b.text.empty();
      return (a.text < b.text) != reversed;
    }
    return l < r;
  });
}

void TableWidget::draw(Screen& screen, int first, int end) {
  page_ = std::max(1, end - first - 1);
  auto count = static_cast<int>(rows.size());
  const int chosen = selection();
  put_in_order();
  if (sortable && chosen < count && !std::exchange(to_top_, false)) select(chosen);
  selected_ = std::clamp(selected_, 0, std::max(0, count - 1));
  top_ = std::clamp(top_, std::max(0, selected_ - page_ + 1), selected_);
  top_ = std::min(top_, std::max(0, count - page_));
  auto row_at = [this](int k) -> const Row& {
    return rows[static_cast<size_t>(order_.empty() ? k : order_[static_cast<size_t>(k)])];
  };
  // Pids are never cut: their column grows, and others have less room.
  std::vector<int> widths;
  int grown = 0, fixed = 0;
  for (size_t k = 0; k < columns_.size(); ++k) {
    int width = columns_[k].width;
    for (int r = top_; columns_[k].name == "pid" && r < std::min(count, top_ + page_); ++r) {
      const auto& cells = row_at(r).cells;
      if (k < cells.size()) width = std::max(width, static_cast<int>(cells[k].size()));
    }
    const auto heading = static_cast<int>(columns_[k].name.size()) + 1;
    if (static_cast<int>(k) == sorted && width) width = std::max(width, heading);  // with its mark
    widths.push_back(width);
    grown += width - columns_[k].width;
  }
  const std::vector<size_t> shown = shown_columns(screen.width(), widths, grown);
  for (size_t k : shown) fixed += widths[k] ? widths[k] + 1 : 0;
  spans_.clear();
  heading_row_ = first;
  auto draw_row = [&](int row, auto cell, unsigned style) {
    int column = 0;
    for (size_t k : shown) {
      const Column& c = columns_[k];
      int width = widths[k] ? widths[k] : std::max(8, screen.width() - fixed);
      if (row == first) spans_.push_back({static_cast<int>(k), column, column + width});
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
    const Row& row = row_at(top_ + k);
    unsigned style = row.style | (top_ + k == selected_ ? unsigned{kReverse} : 0);
    if (style & kReverse) screen.fill(first + 1 + k, style);
    draw_row(
        first + 1 + k,
        [&](size_t c) { return c < row.cells.size() ? row.cells[c] : std::string(); }, style);
  }
}

int TableWidget::selection() const {
  const auto k = static_cast<size_t>(selected_);
  return k < order_.size() ? order_[k] : selected_;
}
const TableWidget::Row* TableWidget::selected() const {
  auto k = static_cast<size_t>(selection());
  return k < rows.size() ? &rows[k] : nullptr;
}
void TableWidget::select(int row) {
  const auto at = std::find(order_.begin(), order_.end(), row);
  selected_ = at == order_.end() ? row : static_cast<int>(at - order_.begin());
}

void TableWidget::order_by(int column) {
  if (!sortable || column >= static_cast<int>(columns_.size())) return;
  reversed = column == sorted && !reversed;
  sorted = column;
  selected_ = 0, to_top_ = true;
}
void TableWidget::step_order(int by) {
  if (!sortable || spans_.empty()) return;
  const auto count = static_cast<int>(spans_.size());
  int at = by > 0 ? -1 : count;
  for (int k = 0; k < count; ++k) {
    if (spans_[static_cast<size_t>(k)].column == sorted) at = k;
  }
  at += by;
  reversed = false;
  sorted = at < 0 || at >= count ? -1 : spans_[static_cast<size_t>(at)].column;
  selected_ = 0, to_top_ = true;
}

static bool contains(std::string_view text, std::string_view part) {
  auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [&](char a, char b) { return small(a) == small(b); }) != text.end();
}
bool TableWidget::find(std::string_view text) {
  const auto count = static_cast<int>(rows.size());
  for (int step = 1; step <= count && !text.empty(); ++step) {
    const int k = (selected_ + step) % count;
    const int row = static_cast<size_t>(k) < order_.size() ? order_[static_cast<size_t>(k)] : k;
    const auto& cells = rows[static_cast<size_t>(row)].cells;
    if (!std::any_of(cells.begin(), cells.end(), [&](const auto& c) { return contains(c, text); }))
      continue;
    selected_ = k;
    return true;
  }
  return false;
}

TableWidget::Place TableWidget::at(int row, int column) const {
  Place place;
  if (row == heading_row_) {
    for (const Span& s : spans_) {
      if (column >= s.from && column <= s.to) place.heading = s.column;
    }
    return place;
  }
  const int k = row - heading_row_ - 1;
  if (k >= 0 && k < page_ && top_ + k < static_cast<int>(rows.size())) place.row = top_ + k;
  return place;
}
bool TableWidget::select_shown(int row) { return std::exchange(selected_, row) != row; }
void TableWidget::move(int by) {
  selected_ = std::clamp(selected_ + by, 0, std::max(0, static_cast<int>(rows.size()) - 1));
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
