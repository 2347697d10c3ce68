// What an atom stands for, read without a lock: who has a name, the code of a module.
//
// A hash table of words, open addressed. Writers hold a lock of their own. A key is written once,
// after its value, and never leaves: a name that was given up has no value. So the table grows with
// the names that there have ever been, which are atoms, and atoms stay, too. Arrays that it has
// outgrown are kept, because anybody may be reading them; together they are no larger than the
// last.
//
// Rejected: a lock for readers, two writes to one line for each of them (docs/scaling.md);
// leaving out dead names and reclaiming arrays, for which every reader would have to be a worker.
#pragma once

#include <atomic>
#include <memory>

#include "term/fault.h"
#include "term/term.h"

namespace wb {

class NameMap {
 public:
  NameMap();
  ~NameMap();
  NameMap(const NameMap&) = delete;

  /// By any thread. kNone: nothing.
  Word find(Term name) const {
    const Array& a = *array_.load(std::memory_order_acquire);
    for (uint32_t at = a.first(name);; at = (at + 1) & a.mask) {
      const Term key = a.rows[at].name.load(std::memory_order_acquire);
      if (key == name) return a.rows[at].what.load(std::memory_order_acquire);
      if (key == kNone) return kNone;
    }
  }
  /// By one thread at a time. kNone: nothing any more.
  void set(Term name, Word what);

 private:
  struct Row {
    std::atomic<Word> name{kNone}, what{kNone};
  };
  struct Array {
    explicit Array(uint32_t size) : mask(size - 1), rows(new Row[size]) {}
    uint32_t first(Term name) const {
      return static_cast<uint32_t>((name * 0x9e3779b97f4a7c15) >> 32) & mask;
    }
    void put(Term name, Word what);  ///< there is room

    const uint32_t mask;
    uint32_t keys = 0;  ///< the writer's
    std::unique_ptr<Row[]> rows;
    std::unique_ptr<Array> outgrown;
  };

  std::unique_ptr<Array> newest_;
  std::atomic<const Array*> array_;  ///< the same
};

}  // namespace wb
