#include "term/releasing_literals.h"

#include <algorithm>

namespace wb {

void ReleasingLiterals::add(const Term* begin, const Term* end) {
  spans_.push_back({begin, end});
  words_ += static_cast<size_t>(end - begin);
}
void ReleasingLiterals::add(const LiteralArea& area) {
  area.each_block([this](const Term* begin, const Term* end) { add(begin, end); });
}
void ReleasingLiterals::seal() {
  std::sort(spans_.begin(), spans_.end(),
            [](const LiteralSpan& a, const LiteralSpan& b) { return a.begin < b.begin; });
}

bool ReleasingLiterals::contains(const void* p) const {
  auto* at = static_cast<const Term*>(p);
  auto next = std::upper_bound(spans_.begin(), spans_.end(), at,
                               [](const Term* t, const LiteralSpan& s) { return t < s.begin; });
  return next != spans_.begin() && at < (next - 1)->end;
}

}  // namespace wb
