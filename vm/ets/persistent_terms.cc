#include "vm/ets/persistent_terms.h"

#include "gc/fragment.h"
#include "scheduler/scheduler.h"
#include "term/fault.h"
#include "term/hash.h"
#include "term/order.h"
#include "term/sharing.h"
#include "vm/process/literal_collector.h"

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

PersistentTerms::~PersistentTerms() {
  Slots& s = *kept_.back();
  for (size_t i = 0; i < s.capacity; ++i) {
    Term entry = s.slot[i].load(std::memory_order_relaxed);
    if (is_entry(entry)) left_.push_back(entry);
  }
  for (Term entry : left_) release_owners(reinterpret_cast<Term*>(boxed_ptr(entry)[-1]));
}

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
    if (is_entry(entry)) list = cons(h, tuple(h, key_of(entry), value_of(entry)), list);
  }
  return list;
}

/// Into the first slot without an entry (the key is known to be in none). true if it was empty.
bool PersistentTerms::insert_entry(Slots& s, Term entry) {
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
    if (is_entry(entry)) insert_entry(*now, entry);
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

// --- entries -------------------------------------------------------------------------------------
namespace {

/// Builds into a block that is just large enough.
class BlockHeap final : public Heap {
 public:
  BlockHeap(Term* block, size_t words) { top_ = block, limit_ = block + words; }

 private:
  Term* alloc_slow(size_t) override {
    WB_CHECK(!"an entry fits its block");
    return nullptr;
  }
};

constexpr size_t kPrefix = 2;
Term* block_of(Term entry) { return boxed_ptr(entry) - kPrefix; }
size_t words_of(Term entry) { return block_of(entry)[0]; }

}  // namespace

Term PersistentTerms::new_entry(Term key, Term value) {
  Term pair[3] = {make_header(Kind::tuple, 2), key, value};
  const Sharing sharing = sharing_of(make_boxed(pair), true);
  const size_t words = sharing.words;
  Term* block = pool_.allocate(words + kPrefix);
  BlockHeap heap(block + kPrefix, words);
  Term entry = copy_sharing(heap, make_boxed(pair), true, sharing);
  WB_CHECK(boxed_ptr(entry) == block + kPrefix);
  block[0] = words;
  block[1] = reinterpret_cast<Word>(heap.off_heap());
  words_.fetch_add(words, std::memory_order_relaxed);
  return entry;
}

/// Gives back what nobody uses any more.
void PersistentTerms::free_entry(Term entry) {
  std::lock_guard lock(writing_);
  Term* block = block_of(entry);
  const size_t words = words_of(entry);
  retired_words_.fetch_sub(words, std::memory_order_relaxed);
  release_owners(reinterpret_cast<Term*>(block[1]));
  pool_.give_back(block, words + kPrefix);
}

struct RetiredEntry final : RetiredLiterals {
  RetiredEntry(PersistentTerms& t, Term e) : terms(t), entry(e) {}
  ~RetiredEntry() override { terms.free_entry(entry); }
  void spans(ReleasingLiterals& into) const override {
    Term* begin = boxed_ptr(entry);
    into.add(begin, begin + words_of(entry));
  }
  PersistentTerms& terms;
  const Term entry;
};

/// No slot holds it any more. Only a reader may still have its tuple, until the end of its slice.
void PersistentTerms::retire(Term entry) {
  const size_t words = words_of(entry);
  words_.fetch_sub(words, std::memory_order_relaxed);
  retired_words_.fetch_add(words, std::memory_order_relaxed);
  const bool seen = is_pointer(key_of(entry)) || is_pointer(value_of(entry));
  if (seen && retired) {
    retired(std::make_unique<RetiredEntry>(*this, entry));
  } else if (!seen && scheduler_) {
    scheduler_->retire(new RetiredEntry(*this, entry),
                       [](void* e) { delete static_cast<RetiredEntry*>(e); });
  } else {
    left_.push_back(entry);
  }
}

// --- writing -------------------------------------------------------------------------------------
void PersistentTerms::put(Term key, Term value) { put(key, value, false); }
bool PersistentTerms::put_new(Term key, Term value) { return put(key, value, true); }

bool PersistentTerms::put(Term key, Term value, bool only_new) {
  std::lock_guard lock(writing_);
  std::atomic<Term>* slot = find(*kept_.back(), key);
  if (slot && equal_exact(value_of(slot->load(std::memory_order_relaxed)), value)) return true;
  if (slot && only_new) return false;
  Term entry = new_entry(key, value);
  if (slot) {
    retire(slot->exchange(entry, std::memory_order_acq_rel));
    return true;
  }
  if ((occupied_ + 1) * 2 > kept_.back()->capacity) resize();
  if (insert_entry(*kept_.back(), entry)) ++occupied_;
  count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void PersistentTerms::clear(std::atomic<Term>& slot) {
  count_.fetch_sub(1, std::memory_order_relaxed);
  retire(slot.exchange(kErased, std::memory_order_acq_rel));
}

bool PersistentTerms::erase(Term key) {
  std::lock_guard lock(writing_);
  std::atomic<Term>* slot = find(*kept_.back(), key);
  if (!slot) return false;
  clear(*slot);
  if (kept_.back()->capacity > kLeast && count() * 8 <= kept_.back()->capacity) resize();
  return true;
}

void PersistentTerms::erase_all() {
  std::lock_guard lock(writing_);
  Slots& s = *kept_.back();
  for (size_t i = 0; i < s.capacity; ++i)
    if (is_entry(s.slot[i].load(std::memory_order_relaxed))) clear(s.slot[i]);
  if (s.capacity > kLeast) resize();
}

}  // namespace wb
