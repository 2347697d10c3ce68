#include "vm/observe/slices.h"

#include <algorithm>

#include "term/boxed_layout.h"
#include "vm/process/process.h"

namespace wb {

BinaryUse::BinaryUse(Process& p) {
  if (p.heap.total_words() > kMostWords) {
    complete_ = false;
    return;
  }
  for (const Term* owner : {p.heap.off_heap(), p.heap.old_off_heap()}) {
    for (; owner; owner = reinterpret_cast<const Term*>(owner[2])) {
      if (header_kind(owner[0]) == Kind::refc_bin) uses_[owner];
    }
  }
  if (uses_.empty()) return;
  p.heap.each_range([&](const Term* begin, const Term* end) { look_at(begin, end); });
  for (const Term* t = p.heap.stack(); t < p.heap.stack_base(); ++t) look_at_word(*t);
}

/// Terms and headers, cells of lists without any.
void BinaryUse::look_at(const Term* begin, const Term* end) {
  for (const Term* t = begin; t < end; ++t) {
    if (!is_header(*t)) {
      look_at_word(*t);
      continue;
    }
    const Kind kind = header_kind(*t);
    if (kind == Kind::sub_bin || kind == Kind::match_ctx) {
      const auto use = uses_.find(pointer_of(t[4]));
      const Word bits = kind == Kind::sub_bin ? t[1] : t[1] - std::min(t[1], t[3]);
      if (use != uses_.end()) use->second.bits += bits;
      t += header_size(*t);
    } else {
      t += raw_size(*t);
    }
  }
}

void BinaryUse::look_at_word(Term t) {
  if (!is_boxed(t)) return;
  const auto use = uses_.find(pointer_of(t));
  if (use != uses_.end()) use->second.whole = true;
}

std::optional<uint64_t> BinaryUse::used(const Term* owner) const {
  const auto use = uses_.find(owner);
  if (!complete_ || use == uses_.end()) return {};
  return use->second.whole ? owner[3] : std::min<uint64_t>((use->second.bits + 7) / 8, owner[3]);
}

}  // namespace wb
