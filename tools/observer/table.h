// A table on the screen: columns, rows, a selected row, scrolling.
#pragma once

#include <string>
#include <vector>

#include "tools/observer/screen.h"

namespace wb {

struct Column {
  std::string name;
  int width;           ///< 0: all that is left
  bool right = false;  ///< numbers
  int from = 0;        ///< shown on screens at least so wide
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
  int sorted = -1;  ///< the column that is marked

  void draw(Screen& screen, int first, int end);
  /// Moves the selection; true if the key was for that.
  bool key(int key);
  const Row* selected() const;
  int selection() const { return selected_; }
  void select(int row) { selected_ = row; }
  int page() const { return page_; }

 private:
  std::vector<Column> columns_;
  int selected_ = 0, top_ = 0, page_ = 1;
};

}  // namespace wb
