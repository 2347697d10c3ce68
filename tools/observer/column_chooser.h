// Which columns the table of processes shows: a list with a mark before each; a part of view 2.
#pragma once

#include "tools/observer/process_columns.h"
#include "tools/observer/settings.h"
#include "tools/observer/table.h"
#include "tools/observer/view.h"

namespace wb {

class ColumnChooser {
 public:
  void open(const ProcessColumns& columns, const ObserverSettings& settings);
  bool is_open() const { return open_; }
  const char* keys() const { return "Space shows or hides  a as many as have room  b done"; }
  void draw(Screen& s, int first, int end);
  /// Each change is kept at once; that it could not be is told in a line.
  bool key(int key, const ProcessColumns& columns, ObserverSettings& settings, Navigation& where);
  TableWidget& rows() { return table_; }

 private:
  void list(const ProcessColumns& columns, const ObserverSettings& settings);

  bool open_ = false;
  TableWidget table_{{{"", 3, false, 0},
                      {"column", 14, false, 0},
                      {"in filters", 11, false, 0},
                      {"what it shows", 0, false, 0}}};
};

}  // namespace wb
