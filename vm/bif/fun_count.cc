#include "vm/bif/fun_count.h"

#include "term/atom.h"

namespace wb {

FunCount::FunCount(Process& p, Term fun)
    : Census(p), header_(header_of(fun)), entry_(boxed_ptr(fun)[1]) {}

void FunCount::look_at(const Term* begin, const Term* end, CensusLocation) {
  int64_t n = 0;
  for (const Term* t = begin; end - t > 1; ++t) n += t[0] == header_ && t[1] == entry_;
  found_.fetch_add(n, std::memory_order_relaxed);
}

Term FunCount::answer(Heap& h) {
  return tuple(h, am::refc, make_small(found_.load(std::memory_order_relaxed)));
}

Term FunCount::ask(Process& p, Term fun) { return Census::ask(p, new FunCount(p, fun)); }

}  // namespace wb
