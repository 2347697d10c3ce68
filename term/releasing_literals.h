// Literal areas being released: literals that nobody can reach any more, except through copies of
// pointers made before: those of a purged module, or of an erased persistent term. They can be
// freed once no process has one.
//
// While processes are being asked (vm/process/literal_collector.h) no new pointer to such a literal
// may come to be. So copies that leave literals where they are (copy.h) do copy those that are
// being released. Measuring and copying must agree: which these are is looked up in
// `releasing_literals`, which each thread sets at the start of a slice and never within.
#pragma once

#include <vector>

#include "term/literal_area.h"

namespace wb {

struct LiteralSpan {
  const Term* begin;
  const Term* end;
};

/// Spans of the literal range. Immutable once it is shared.
class ReleasingLiterals {
 public:
  void add(const Term* begin, const Term* end);
  void add(const LiteralArea& area);
  /// Ends adding.
  void seal();
  bool contains(const void* p) const;
  size_t words() const { return words_; }

 private:
  std::vector<LiteralSpan> spans_;  // ascending once sealed
  size_t words_ = 0;
};

/// What this thread must not share from now on, or nullptr.
inline constinit thread_local const ReleasingLiterals* releasing_literals = nullptr;

/// `p` leads to a literal, and copies may share it.
WB_INLINE bool is_shared_literal(const void* p) {
  return in_literal_range(p) &&
         (WB_LIKELY(!releasing_literals) || !releasing_literals->contains(p));
}

}  // namespace wb
