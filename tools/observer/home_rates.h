// What two looks at `home` tell together.
#pragma once

#include "tools/observer/json_value.h"

namespace wb {

/// Of the schedulers that are online, the share of the time between the two that they did not
/// sleep: 0 to 1. Negative: there is none.
inline double scheduler_use(const JsonValue& now, const JsonValue& before) {
  const double ns = now["uptime_ns"].number() - before["uptime_ns"].number();
  double active = 0, online = 0;
  const auto &all = now["schedulers"].list(), &then = before["schedulers"].list();
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k]["online"].truth()) ++online;
    if (k < then.size()) active += all[k]["active_ns"].number() - then[k]["active_ns"].number();
  }
  return !before.is_null() && ns > 0 && online > 0 ? active / ns / online : -1;
}

}  // namespace wb
