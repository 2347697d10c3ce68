#include "vm/ets/persistent_terms.h"

#include "scheduler/scheduler.h"
#include "term/fault.h"
#include "term/hash.h"
#include "term/order.h"
#include "term/sharing.h"

namespace wb {
namespace {

constexpr Term kErased = kNone;
Term key_of(Term entry) { return tuple_elements(entry)[0]; }
Term value_of(Term entry) { return tuple_elements(entry)[1]; }
bool is_entry(Term t) { return is_boxed(t); }

}  // namespace

PersistentTerms::PersistentTerms() {
  kept_.push_back(std::make_unique<Slots>(kLeast));
  slots_.store(kept_.back().get(), std::memory_order_release);
}

PersistentTerms::~PersistentTerms() = default;

std::atomic<Term>* PersistentTerms::find(const Slots& s, Term key) {
  for (size_t i = map_hash(key);; ++i) {
    std::atomic<Term>& slot = s.slot[i & (s.capacity - 1)];
    Term entry = slot.load(std::memory_order_acquire);
    if (entry == kEmpty) return nullptr;
    if (is_entry(entry) && equal_exact(key_of(entry), key)) return &slot;
  }
}

Term PersistentTerms::get(Term key) const {
  const Slots& s = *slots_.load(std::memory_order_acquire);
  for (size_t i = map_hash(key);; ++i) {
    Term entry = s.slot[i & (s.capacity - 1)].load(std::memory_order_acquire);
    if (entry == kEmpty) return kNone;
    if (is_entry(entry) && equal_exact(key_of(entry), key)) return value_of(entry);
  }
}

Term PersistentTerms::all(Heap& h) const {
  const Slots& s = *slots_.load(std::memory_order_acquire);
  Term list = kNil;
  for (size_t i = 0; i < s.capacity; ++i) {
    Term entry = s.slot[i].load(std::memory_order_acquire);
    if (is_entry(entry)) list = cons(h, entry, list);
  }
  return list;
}

/// Into the first slot without an entry (the key is known to be in none). true if it was empty.
bool PersistentTerms::place(Slots& s, Term entry) {
  for (size_t i = map_hash(key_of(entry));; ++i) {
    std::atomic<Term>& slot = s.slot[i & (s.capacity - 1)];
    const Term old = slot.load(std::memory_order_relaxed);
    if (is_entry(old)) continue;
    slot.store(entry, std::memory_order_release);
    return old == kEmpty;
  }
}

/// To an array at most half of which will be entries for a while.
void PersistentTerms::resize() {
  std::unique_ptr<Slots> old = std::move(kept_.back());
  size_t capacity = kLeast;
  while (count() * 4 >= capacity) capacity *= 2;
  auto now = std::make_unique<Slots>(capacity);
  for (size_t i = 0; i < old->capacity; ++i) {
    Term entry = old->slot[i].load(std::memory_order_relaxed);
    if (is_entry(entry)) place(*now, entry);
  }
  occupied_ = count();
  slots_.store(now.get(), std::memory_order_release);
  if (scheduler_) {
    scheduler_->retire(old.release(), [](void* p) { delete static_cast<Slots*>(p); });
    kept_.back() = std::move(now);
  } else {
    kept_.back() = std::move(old);
    kept_.push_back(std::move(now));
  }
}

void PersistentTerms::put(Term key, Term value) {
  std::lock_guard lock(writing_);
  std::atomic<Term>* slot = find(*kept_.back(), key);
  if (slot && equal_exact(value_of(slot->load(std::memory_order_relaxed)), value)) return;
  Term entry[3] = {make_header(Kind::tuple, 2), key, value};
  size_t words;
  Term kept = copy_sharing(area_, make_boxed(entry), true, &words);
  words_.fetch_add(words, std::memory_order_relaxed);
  if (slot) {
    const size_t old = shared_size(slot->load(std::memory_order_relaxed), true);
    words_.fetch_sub(old, std::memory_order_relaxed);
    retired_words_.fetch_add(old, std::memory_order_relaxed);
    slot->store(kept, std::memory_order_release);
    return;
  }
  if ((occupied_ + 1) * 2 > kept_.back()->capacity) resize();
  if (place(*kept_.back(), kept)) ++occupied_;
  count_.fetch_add(1, std::memory_order_relaxed);
}

void PersistentTerms::retire(std::atomic<Term>& slot) {
  const size_t words = shared_size(slot.load(std::memory_order_relaxed), true);
  words_.fetch_sub(words, std::memory_order_relaxed);
  retired_words_.fetch_add(words, std::memory_order_relaxed);
  slot.store(kErased, std::memory_order_release);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

bool PersistentTerms::erase(Term key) {
  std::lock_guard lock(writing_);
  std::atomic<Term>* slot = find(*kept_.back(), key);
  if (!slot) return false;
  retire(*slot);
  if (kept_.back()->capacity > kLeast && count() * 8 <= kept_.back()->capacity) resize();
  return true;
}

void PersistentTerms::erase_all() {
  std::lock_guard lock(writing_);
  Slots& s = *kept_.back();
  for (size_t i = 0; i < s.capacity; ++i)
    if (is_entry(s.slot[i].load(std::memory_order_relaxed))) retire(s.slot[i]);
  if (s.capacity > kLeast) resize();
}

}  // namespace wb
