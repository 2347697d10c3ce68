// persistent_term: values that are read far more often than written, shared by all processes.
//
// Each entry is a tuple {Key, Value} in a literal area, so a read copies nothing and the collector
// never looks at it. Readers take no lock: an open-addressing array of atomic words, each an entry,
// empty or erased. A writer (one at a time) stores one word; when the array is full it publishes a
// larger one, and a smaller one when most of it is erased. Arrays that were replaced are freed when
// all have passed a safe point. So are erased and replaced entries that are made of immediates;
// others are given to whoever makes sure that no process has terms of them
// (vm/process/literal_collector.h). Within a value what was shared stays shared.
//
// An entry's block begins with its number of words and the list of its off-heap owners; then comes
// the tuple.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ranked_lock.h"
#include "term/literal_pool.h"

namespace wb {

class Scheduler;
struct RetiredLiterals;

class PersistentTerms {
 public:
  PersistentTerms();
  /// Who says when a replaced array has no reader; without one they are kept.
  void use(Scheduler* s) { scheduler_ = s; }
  /// Takes entries that nobody can get any more, though processes may have terms of them; without
  /// one they are kept until the end.
  std::function<void(std::unique_ptr<RetiredLiterals>)> retired;
  ~PersistentTerms();
  PersistentTerms(const PersistentTerms&) = delete;

  /// The value, or kNone.
  Term get(Term key) const;
  /// All {Key, Value}, as a list in `h`.
  Term all(Heap& h) const;
  void put(Term key, Term value);
  /// false if the key has another value.
  bool put_new(Term key, Term value);
  /// false if there is no such key.
  bool erase(Term key);
  void erase_all();

  /// Slots of the array.
  size_t capacity() const { return slots_.load(std::memory_order_acquire)->capacity; }
  size_t count() const { return count_.load(std::memory_order_relaxed); }
  size_t words() const { return words_.load(std::memory_order_relaxed); }
  /// Erased and replaced, but not freed yet.
  size_t retired_words() const { return retired_words_.load(std::memory_order_relaxed); }

 private:
  bool put(Term key, Term value, bool only_new);
  struct Slots {
    explicit Slots(size_t n) : capacity(n), slot(new std::atomic<Term>[n]()) {}
    size_t capacity;  // a power of two
    std::unique_ptr<std::atomic<Term>[]> slot;
  };
  static constexpr Term kEmpty = 0;
  static constexpr size_t kLeast = 64;

  /// The slot of `key`, or nullptr.
  static std::atomic<Term>* find(const Slots& s, Term key);
  static bool insert_entry(Slots& s, Term entry);
  void resize();
  Term new_entry(Term key, Term value);
  void retire(Term entry);
  void clear(std::atomic<Term>& slot);
  void free_entry(Term entry);
  friend struct RetiredEntry;

  std::atomic<Slots*> slots_;
  RankedLock<LockRank::persistent_terms> writing_;
  Scheduler* scheduler_ = nullptr;
  std::vector<std::unique_ptr<Slots>> kept_;  // the current array last
  size_t occupied_ = 0;                       // slots not empty
  LiteralPool pool_;
  std::vector<Term> left_;  // retired, for want of `retired`
  std::atomic<size_t> count_{0}, words_{0}, retired_words_{0};
};

}  // namespace wb
