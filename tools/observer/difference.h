// Two moments and what has changed between them: of processes, and of everything that is counted. A
// snapshot of processes holds the thousand largest by each of reductions, memory, queue and
// binaries: whoever matters is among them.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "tools/observer/client.h"
#include "tools/observer/table.h"

namespace wb {

struct ProcessSnapshot {
  struct Row {
    std::string name, where;
    double reds = 0, memory = 0, msgq = 0, binaries = 0;
  };
  time_t when = 0;
  std::map<std::string, Row> rows;  ///< by pid
  uint64_t newest = 0;              ///< age of the newest process, as its pid has it
};
ProcessSnapshot take_snapshot(ObserverClient& client, const std::string& filter);

struct ProcessChange {
  /// "new", "gone" or ""; "rose": it is older, but was not among those with most, so it has changed
  /// by less than what it has.
  std::string pid, fate;
  ProcessSnapshot::Row by;
};
/// The most reductions first. Who is not among those with most any more is asked for, so that `now`
/// has who is still there.
std::vector<ProcessChange> changes_between(ObserverClient& client, const ProcessSnapshot& before,
                                           ProcessSnapshot now);

/// As a table, which they are sortable in.
std::vector<Column> change_columns();
std::vector<TableWidget::Row> change_rows(const std::vector<ProcessChange>& changes);

/// Of `home`: kinds of memory, counts, counters. Of counters only those that have changed.
std::vector<Column> counter_columns();
std::vector<TableWidget::Row> counter_rows(const JsonValue& before, const JsonValue& now);

/// "12:34:56", of here.
std::string clock_text(time_t when);

}  // namespace wb
