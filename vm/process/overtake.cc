#include "vm/process/overtake.h"

#include <cstddef>

namespace wb {

/// The marker at the end of the block, which it makes.
static ReceiveMarker& end_of_block(Process& p) {
  auto& markers = p.receives().markers;
  for (ReceiveMarker& m : markers) {
    if (m.id == ReceiveMarker::kEndOfBlock) return m;
  }
  markers.push_back({0, ReceiveMarker::kEndOfBlock, &p.messages});
  return markers.back();
}

/// Is a receive that stands at `link` before the end of the block, or there?
static bool is_in_block(const Process& p, Signal** link) {
  static_assert(offsetof(Signal, next) == 0);
  if (link == &p.messages) return true;
  return reinterpret_cast<Signal*>(link)->kind == SignalKind::priority_message;
}

WB_COLD void overtake(Process& p, Signal* s) {
  ReceiveMarker& end = end_of_block(p);
  Signal** const link = end.position;
  if (p.heap_messages != HeapMessages::none) p.heap_messages = HeapMessages::anywhere;
  s->kind = SignalKind::priority_message;
  s->next = *link;
  *link = s;
  if (p.messages_end == link) p.messages_end = &s->next;
  end.position = &s->next;
  for (ReceiveMarker& m : p.extra->receive->markers) {
    if (m.id == ReceiveMarker::kEndOfBlock || m.overtaken) continue;
    m.position = link;
    m.overtaken = true;
  }
  if (p.peeked) {
    if (p.save == link) p.save = &s->next;
    if (p.save == &s->next || !is_in_block(p, p.save)) p.extra->receive->overtaken = true;
  } else if (!is_in_block(p, p.save)) {
    p.save = link;
  }
}

}  // namespace wb
