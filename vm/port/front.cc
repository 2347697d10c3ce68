#include "vm/port/front.h"

#include <algorithm>

#include "term/copy.h"

namespace wb {

void free_item(PortFront::Item& item) {
  if (item.fragment) free_fragments(std::exchange(item.fragment, nullptr));
  if (item.signal) free_signal(std::exchange(item.signal, nullptr));
}

bool PortFront::has(Address sender) const {
  return std::ranges::any_of(items_, [&](const Item& i) { return i.from == sender; });
}

void PortFront::add(Kind kind, Address from, Term term, size_t bytes) {
  FragmentHeap h(flat_size(term));
  const Term copy = copy_term(h, term);
  bytes += kItemBytes;
  items_.push_back({kind, from, copy, bytes, h.take_fragments()});
  bytes_ += bytes;
  count_.store(items_.size(), std::memory_order_release);
}
void PortFront::add(Signal* s) {
  items_.push_back({.kind = Kind::signal, .from = s->from, .signal = s});
  count_.store(items_.size(), std::memory_order_release);
}

std::optional<PortFront::Item> PortFront::take(bool busy) {
  auto at = items_.begin();
  std::vector<Address> stay;  // whose items are to wait
  for (; busy && at != items_.end(); ++at) {
    const bool behind = std::ranges::find(stay, at->from) != stay.end();
    if (!behind && !at->is_for_idle()) break;
    if (!behind) stay.push_back(at->from);
  }
  if (at == items_.end()) return {};
  Item taken = *at;
  items_.erase(at);
  bytes_ -= taken.bytes;
  count_.store(items_.size(), std::memory_order_release);
  return taken;
}

void PortFront::clear() {
  for (Item& item : items_) free_item(item);
  items_.clear();
  bytes_ = 0;
  count_.store(0, std::memory_order_release);
}

}  // namespace wb
