// The columns of the table of processes, as the machine tells them (vm/observe/columns.def).
#pragma once

#include <string>
#include <vector>

#include "tools/observer/client.h"
#include "tools/observer/table.h"

namespace wb {

struct ProcessColumns {
  struct Column {
    std::string name, key, title, unit, hint;
    int width;  ///< 0: what the others leave
    bool orders, least_first;

    /// Not known at the first look.
    bool is_change() const {
      return unit == "rate" || unit == "growth" || unit == "share" || unit == "byte rate" ||
             unit == "bytes a minute";
    }
    bool is_text() const { return unit == "text"; }
    /// Known by it: those that order nothing have no name.
    const std::string& id() const { return name.empty() ? key : name; }
    /// Of a row of `processes`; changes are those of so many seconds (0: not known).
    std::string cell(const JsonValue& row, double seconds) const;
  };
  std::vector<Column> all;

  /// Empty if the machine does not answer.
  static ProcessColumns ask(ObserverClient& client);
  /// For a table that leaves out the last where the screen is narrow.
  /// `chosen`: only those, by name; all if that is none of them.
  std::vector<wb::Column> of_table(const std::vector<std::string>& chosen = {}) const;
  std::vector<std::string> cells(const JsonValue& row, double seconds) const;
};

}  // namespace wb
