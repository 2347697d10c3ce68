// persistent_term: values that are read far more often than written, shared by all processes.
//
// Each entry is a tuple {Key, Value} in a literal area, so a read copies nothing and the collector
// never looks at it. Readers take no lock: an open-addressing array of atomic words, each an entry,
// empty or erased. A writer (one at a time) stores one word; when the array is full it publishes a
// larger one, and a smaller one when most of it is erased. Arrays that were replaced are freed when all
// have passed a safe point; entries stay until the VM ends, because a reader may hold terms of them.
// Within a value what was shared stays shared.
//
// Known limit: memory of replaced and erased values is not given back before the VM ends.
// retired_words() says how much that is. Giving it back needs what purging a module's literals
// needs: a scan of every process.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "term/literal_area.h"

namespace wb {

class Scheduler;

class PersistentTerms {
 public:
  PersistentTerms();
  /// Who says when a replaced array has no reader; without one they are kept.
  void use(Scheduler* s) { scheduler_ = s; }
  ~PersistentTerms();
  PersistentTerms(const PersistentTerms&) = delete;

  /// The value, or kNone.
  Term get(Term key) const;
  /// All {Key, Value}, as a list in `h`.
  Term all(Heap& h) const;
  void put(Term key, Term value);
  /// false if there is no such key.
  bool erase(Term key);
  void erase_all();

  /// Slots of the array.
  size_t capacity() const { return slots_.load(std::memory_order_acquire)->capacity; }
  size_t count() const { return count_.load(std::memory_order_relaxed); }
  size_t words() const { return words_.load(std::memory_order_relaxed); }
  size_t retired_words() const { return retired_words_.load(std::memory_order_relaxed); }

 private:
  struct Slots {
    explicit Slots(size_t n) : capacity(n), slot(new std::atomic<Term>[n]()) {}
    size_t capacity;  // a power of two
    std::unique_ptr<std::atomic<Term>[]> slot;
  };
  static constexpr Term kEmpty = 0;
  static constexpr size_t kLeast = 64;

  /// The slot of `key`, or nullptr.
  static std::atomic<Term>* find(const Slots& s, Term key);
  static bool place(Slots& s, Term entry);
  void resize();
  void retire(std::atomic<Term>& slot);

  std::atomic<Slots*> slots_;
  std::mutex writing_;
  Scheduler* scheduler_ = nullptr;
  std::vector<std::unique_ptr<Slots>> kept_;  // the current array last
  size_t occupied_ = 0;                       // slots not empty
  LiteralArea area_;
  std::atomic<size_t> count_{0}, words_{0}, retired_words_{0};
};

}  // namespace wb
