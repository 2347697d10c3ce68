// Two snapshots of the table of processes and what has changed between them. A snapshot holds the
// thousand largest by each of reductions, memory and queue: whoever matters is among them.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "tools/observer/client.h"

namespace wb {

struct ProcessSnapshot {
  struct Row {
    std::string name, where;
    double reds = 0, memory = 0, msgq = 0;
  };
  time_t when = 0;
  std::map<std::string, Row> rows;  ///< by pid
};
ProcessSnapshot take_snapshot(ObserverClient& client, const std::string& filter);

struct ProcessChange {
  std::string pid, fate;  ///< "new", "gone" or ""
  ProcessSnapshot::Row by;
};
/// The most reductions first.
std::vector<ProcessChange> changes_between(const ProcessSnapshot& before,
                                           const ProcessSnapshot& now);

/// "12:34:56", of here.
std::string clock_text(time_t when);

}  // namespace wb
