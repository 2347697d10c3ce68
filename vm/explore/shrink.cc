#include "vm/explore/shrink.h"

#include <algorithm>

namespace wb {

bool is_same_class(const Finding& a, const Finding& b) {
  return a.kind == b.kind && a.signature == b.signature;
}

Switches shrink(Runner& runner, Switches switches, const Finding& ending,
                std::chrono::steady_clock::time_point until) {
  auto ends_alike = [&](const Switches& tried, Switches* done) {
    const Outcome o = runner.run({.switches = &tried, .records = true});
    if (!is_same_class(o.ending, ending)) return false;
    *done = o.switches;  // without those that were not reached
    return true;
  };
  size_t parts = 2;
  while (!switches.empty() && std::chrono::steady_clock::now() < until) {
    parts = std::min(parts, switches.size());
    const size_t size = (switches.size() + parts - 1) / parts;
    bool smaller = false;
    for (size_t from = 0; from < switches.size() && !smaller; from += size) {
      Switches rest(switches.begin(), switches.begin() + static_cast<ptrdiff_t>(from));
      const size_t to = std::min(from + size, switches.size());
      rest.insert(rest.end(), switches.begin() + static_cast<ptrdiff_t>(to), switches.end());
      Switches done;
      if (!ends_alike(rest, &done)) continue;
      switches = done.size() <= rest.size() ? std::move(done) : std::move(rest);
      smaller = true;
    }
    if (smaller)
      parts = std::max<size_t>(parts - 1, 2);
    else if (size == 1)
      break;
    else
      parts *= 2;
  }
  return switches;
}

}  // namespace wb
