// `whitebeam observe --alarm 'queue > 10000'`: looks once an interval, without a screen, and says
// on standard error, or to a command, when a condition begins to hold and when it ends to.
//
// A condition is NAME OPERATOR NUMBER, one of alarms.def (of warnings also `warnings.KIND`) and
// < <= > >=; behind the number k, m, g
// (thousands ...; of bytes KiB, MiB, GiB), or % of the limit where there is one. It is looked at
// from outside, so an alarm is as old as the interval at most, and what comes and goes between two
// looks is not seen. Rejected: conditions within the machine (it would have to start programs).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/observer/client.h"

namespace wb {

enum class AlarmValue : uint8_t {
#define ALARM(name, unit, per_process, text) name,
#include "tools/observer/alarms.def"
#undef ALARM
};

struct AlarmCondition {
  enum class Operator : uint8_t { less, at_most, more, at_least };

  std::string text;  ///< as it was given
  AlarmValue value;
  std::string kind;  ///< of warnings; empty: all
  Operator op;
  double limit;
  bool percent = false;  ///< `limit` is of the machine's own limit

  /// Nothing, and why in *error.
  static std::optional<AlarmCondition> parse(std::string_view text, std::string* error);
  bool holds(double n) const;
};

/// Looks until the machine ends; `command` runs with /bin/sh for each change, with the alarm in
/// its environment (WHITEBEAM_ALARM, _STATE, _VALUE, _PROCESS, _MACHINE). False: it cannot be
/// asked.
bool watch_alarms(ObserverClient& client, const std::vector<AlarmCondition>& conditions,
                  const std::string& command, double interval);

}  // namespace wb
