#include "vm/observe/alias_owners.h"

#include <vector>

#include "term/boxed_layout.h"
#include "term/print.h"
#include "vm/observe/json.h"

namespace wb {

void AliasOwners::note_aliases(Term root) {
  std::vector<Term> todo{root};
  while (!todo.empty() && left_) {
    Term t = todo.back();
    todo.pop_back();
    --left_;
    if (!is_pointer(t)) continue;
    if (is_cons(t)) {
      todo.push_back(cons_ptr(t)[1]);
      todo.push_back(cons_ptr(t)[0]);
      continue;
    }
    const Term* p = boxed_ptr(t);
    Word h = *p;
    if (header_kind(h) == Kind::pid_ref && owners_.size() < kMostAliases) {
      owners_.emplace(to_text(t), p[3]);
    }
    if (header_kind(h) == Kind::sub_bin || header_kind(h) == Kind::match_ctx) continue;
    size_t size = header_size(h);
    for (size_t k = std::min(size, raw_size(h) + left_); k > raw_size(h); --k) todo.push_back(p[k]);
  }
}

void AliasOwners::write(JsonWriter& w, const char* name) const {
  w.array(name);
  for (auto& [ref, pid] : owners_) w.open('[').text(ref).text(to_text(pid)).close(']');
  w.close(']');
}

}  // namespace wb
