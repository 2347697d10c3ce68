// One way to look through any table: by keys, by a range, or all of it.
#pragma once

#include "vm/ets/plan.h"

namespace wb {

/// Where a search goes on.
struct Cursor {
  bool reverse = false;
  uint64_t bucket = 0;  // hash tables
  Term after = kNone;   // ordered tables; the visitor's caller keeps it current
  bool fixed = false;   // by whoever searches, for nothing but this search
};

/// Shows `v` what the plan says, from the cursor on. true: the visitor was full before the end.
bool search(Table& t, const SearchPlan& plan, Cursor& cursor, Visitor& v, bool write);

/// True if every object that a replacing `spec` makes has the key of the object it replaces, as its
/// text shows (ets:select_replace/2 takes no others). `spec` has been compiled without errors.
bool keeps_key(Term spec, uint32_t keypos);

}  // namespace wb
