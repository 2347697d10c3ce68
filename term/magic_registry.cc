#include "term/magic_registry.h"

#include <mutex>

#include "term/instance.h"
#include "term/owned_bytes.h"

namespace wb {

namespace {

bool retain_living(OffHeapObject& o) {
  int64_t count = o.refs.load(std::memory_order_relaxed);
  while (count != OffHeapObject::kNoted) {
    if (o.refs.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

}  // namespace

void MagicRegistry::note(const Term* ref) {
  auto* object = reinterpret_cast<OffHeapObject*>(ref[1]);
  const uint64_t number = ref[3];
  {
    std::shared_lock lock(lock_);
    if (by_number_.contains(number)) return;
  }
  std::lock_guard lock(lock_);
  if (!by_number_.try_emplace(number, Noted{object, ref[0]}).second) return;
  numbers_.emplace(object, number);
  // Only here, under the lock, by one who has a share: it is set once.
  if (object->refs.load(std::memory_order_relaxed) > 0) {
    object->refs.fetch_add(OffHeapObject::kNoted, std::memory_order_relaxed);
  }
}

Term MagicRegistry::find(Heap& h, uint64_t number) {
  Noted noted;
  {
    std::shared_lock lock(lock_);
    auto at = by_number_.find(number);
    if (at == by_number_.end() || !retain_living(*at->second.object)) return kNone;
    noted = at->second;
  }
  Term* p = h.alloc(5);
  p[0] = noted.header;
  p[1] = reinterpret_cast<Word>(noted.object);
  p[3] = number;
  p[4] = 0;
  h.link_off_heap(p, owned_bytes(p));
  return make_boxed(p);
}

void MagicRegistry::forget(OffHeapObject* object) {
  std::lock_guard lock(lock_);
  auto [from, to] = numbers_.equal_range(object);
  for (auto at = from; at != to; ++at) by_number_.erase(at->second);
  numbers_.erase(from, to);
}

void note_magic(const Term* ref) {
  if (TermInstance* i = term_instance()) i->magic.note(ref);
}

Term find_noted_magic(Heap& h, uint64_t number) {
  TermInstance* i = term_instance();
  return i ? i->magic.find(h, number) : kNone;
}

void OffHeapObject::release_noted(int64_t before) {
  if (before != kNoted + 1) return;
  if (TermInstance* i = term_instance()) i->magic.forget(this);
  destroy(this);
}

}  // namespace wb
