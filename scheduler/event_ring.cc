#include "scheduler/event_ring.h"

#include <algorithm>

namespace wb {
namespace {

struct Text {
  const char *name, *text, *argument;
};
constexpr Text kTexts[] = {
#define EVENT(name, text, argument) {#name, text, argument},
#include "scheduler/events.def"
#undef EVENT
};

}  // namespace

const char* event_name(EventKind kind) { return kTexts[size_t(kind)].name; }
const char* event_text(EventKind kind) { return kTexts[size_t(kind)].text; }
const char* event_argument(EventKind kind) { return kTexts[size_t(kind)].argument; }

std::vector<Event> EventRing::snapshot(uint64_t first) const {
  uint64_t end = recorded();
  first = std::max(first, end > kSize ? end - kSize : 0);
  std::vector<Event> events;
  for (uint64_t n = first; n < end; ++n) {
    const Slot& slot = slots_[n % kSize];
    uint64_t what = slot.what.load(std::memory_order_acquire);
    uint64_t ticks = slot.ticks.load(std::memory_order_acquire);
    events.push_back({n, ticks, what >> 8, EventKind(uint8_t(what))});
  }
  // What the writer may have overwritten, or be overwriting, while we copied.
  uint64_t now = recorded() + 1;
  uint64_t kept = now > kSize ? now - kSize : 0;
  size_t torn = kept > first ? std::min<uint64_t>(kept - first, events.size()) : 0;
  events.erase(events.begin(), events.begin() + long(torn));
  return events;
}

}  // namespace wb
