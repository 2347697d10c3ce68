// The contents of one ETS table, page by page; a part of view 8.
#pragma once

#include <string>
#include <vector>

#include "tools/observer/table.h"
#include "tools/observer/view.h"

namespace wb {

class TableContents {
 public:
  void open(std::string id, std::string name);
  void close() { id_.clear(); }
  bool is_open() const { return !id_.empty(); }
  const char* keys() const {
    return "/ match specification or pattern  n p page  b back to the tables";
  }
  void refresh(ObserverClient& client, int rows);
  void draw(Screen& s, int first, int end);
  bool key(int key, Navigation& where);
  void entered(const std::string& line);
  TableWidget& rows() { return table_; }

 private:
  std::string id_, name_, match_, error_;
  std::vector<std::string> places_{""};  ///< where pages begin, the one that is shown last
  JsonValue data_;
  TableWidget table_{{{"", 0, false, 0}}};
};

}  // namespace wb
