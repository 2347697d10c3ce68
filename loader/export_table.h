// M:F/A -> Export, read without a lock.
//
// Open addressing in an array of pointers that is replaced by one of twice the size when it is two
// thirds full. A reader takes the current array and probes; entries are never removed, so it finds
// what was there when it started or misses something that was just being added (it then asks again
// under the writers' lock). Old arrays stay until the end: together they are smaller than the
// newest.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "loader/code.h"

namespace wb {

class ExportTable {
 public:
  ExportTable();
  ~ExportTable();

  Export* find(Term module, Term function, uint32_t arity) const;
  /// `make` builds the entry if there is none.
  template <class Make>
  Export* find_or_add(Term module, Term function, uint32_t arity, Make make) {
    if (Export* e = find(module, function, arity)) return e;
    std::lock_guard lock(writers_);
    if (Export* e = find(module, function, arity)) return e;
    Export* e = make();
    add(e);
    return e;
  }
  template <class F>
  void each(F f) const {
    const Array* a = array_.load(std::memory_order_acquire);
    for (size_t k = 0; k <= a->mask; ++k) {
      if (Export* e = a->slots[k].load(std::memory_order_acquire)) f(*e);
    }
  }

 private:
  struct Array {
    size_t mask;
    std::unique_ptr<std::atomic<Export*>[]> slots;
  };
  static size_t hash(Term m, Term f, uint32_t arity) {
    uint64_t h = (m >> 4) * 0x9e3779b97f4a7c15 + (f >> 4) * 0xc2b2ae3d27d4eb4f + arity;
    return h ^ (h >> 29);
  }
  static void put(Array& a, Export* e);
  void add(Export* e);
  static std::unique_ptr<Array> new_array(size_t size);

  std::mutex writers_;
  std::atomic<Array*> array_;
  std::vector<std::unique_ptr<Array>> arrays_;
  size_t count_ = 0;
};

}  // namespace wb
