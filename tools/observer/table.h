// A table on the screen: columns, rows, a selected row, scrolling.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/observer/screen.h"

namespace wb {

struct Column {
  std::string name;
  int width;           ///< 0: all that is left
  bool right = false;  ///< numbers
  int from = 0;        ///< shown on screens at least so wide
  bool hidden = false;
};

class TableWidget {
 public:
  explicit TableWidget(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void set_columns(std::vector<Column> columns) { columns_ = std::move(columns); }

  struct Row {
    std::vector<std::string> cells;
    std::string key;  ///< what the row is about
    unsigned style = kPlain;
  };
  std::vector<Row> rows;
  int sorted = -1;        ///< the column that is marked, and always shown
  bool sortable = false;  ///< the user may order the rows by what stands in a column
  bool reversed = false;  ///< the user's order is

  void draw(Screen& screen, int first, int end);
  /// Moves the selection; true if the key was for that.
  bool key(int key);
  const Row* selected() const;
  int selection() const;  ///< of `rows`
  void select(int row);
  int page() const { return page_; }

  // --- of one that is sortable ---
  /// By what stands there, the most first of numbers; the same once more: reversed.
  void order_by(int column);
  /// By the next column that is shown, or the one before; from the last on as rows were given.
  void step_order(int by);

  /// Selects the next row, from the one below the selected on, that has `text` in it, in capitals
  /// or not. False: there is none.
  bool find(std::string_view text);

  /// What was drawn at a place of the screen.
  struct Place {
    int heading = -1, row = -1;  ///< a column, a row by number as select_shown() has it
  };
  Place at(int row, int column) const;
  bool select_shown(int row);  ///< false: it was selected already
  void move(int by);

 private:
  std::vector<size_t> shown_columns(int width, const std::vector<int>& widths, int grown) const;
  void put_in_order();

  std::vector<Column> columns_;
  std::vector<int> order_;                 ///< of rows, where they are not shown as they are given
  int selected_ = 0, top_ = 0, page_ = 1;  ///< as shown
  bool to_top_ = false;                    ///< there is a new order
  struct Span {
    int column, from, to;
  };
  std::vector<Span> spans_;  ///< of headings
  int heading_row_ = -1;
};

/// What a number as people read it is: 1.5 for "1.5", 1536 for "1.5 KiB", -2e6 for "-2.0 ms" in
/// nanoseconds. Nothing: it is none.
std::optional<double> number_in(std::string_view text);

}  // namespace wb
