#include "vm/io/iolist.h"

#include <algorithm>
#include <string>

#include "base/work_budget.h"
#include "term/bits.h"
#include "term/utf8.h"

namespace wb {

constexpr size_t kFewBits = 64 << 10;

bool iolist_bits(Term t, bool whole_bytes, size_t* bits, WorkBudget& budget) {
  size_t n = 0;
  bool ok = walk_iolist(
      t, budget, [&](uint8_t) { n += 8; },
      [&](Term b) __attribute__((always_inline)) {
        size_t more = extent_of(b).bits;
        return (!whole_bytes || (more & 7) == 0) && !__builtin_add_overflow(n, more, &n);
      });
  *bits = n;
  return ok;
}

bool write_iolist(Term t, uint8_t* to, WorkBudget& budget) {
  size_t at = 0;
  return walk_iolist(
      t, budget,
      [&](uint8_t b) {
        if ((at & 7) == 0)
          to[at >> 3] = b;
        else
          write_bits(to, at, b, 8);
        at += 8;
      },
      [&](Term t) __attribute__((always_inline)) {
        Bits b = bits_in(t);
        if (WB_LIKELY(b.size < kFewBits)) {
          if (WB_LIKELY((at & 7) == 0 && b.aligned() && b.whole_bytes()))
            copy_few_bytes(to + at / 8, b.bytes, b.size / 8);
          else
            copy_bits(to, at, b.bytes, b.offset, b.size);
          at += b.size;
          return budget.steps(static_cast<int64_t>(b.size / 128));
        }
        bool on = in_chunks(b.size / 8, budget, [&](size_t from, size_t n) {
          copy_bits(to, at + 8 * from, b.bytes + from, b.offset, 8 * n);
        });
        size_t whole = b.size & ~size_t{7};
        copy_bits(to, at + whole, b.bytes + whole / 8, b.offset, b.size - whole);
        at += b.size;
        return on;
      });
}

// --- bytes of text -------------------------------------------------------------------------------
bool list_to_utf8(Term list, std::string* out, size_t most) {
  for (; is_cons(list); list = tail(list)) {
    if (most-- == 0) return true;
    if (!is_character(head(list))) return false;
    append_utf8(*out, static_cast<uint32_t>(small_value(head(list))));
  }
  return is_nil(list);
}
bool list_to_bytes(Term list, std::string* out) {
  for (; is_cons(list); list = tail(list)) {
    Term e = head(list);
    if (!is_small(e) || static_cast<uint64_t>(small_value(e)) > 255) return false;
    out->push_back(static_cast<char>(small_value(e)));
  }
  return is_nil(list);
}

bool iolist_to_bytes(Term iolist, std::string* out) {
  size_t bits;
  UnlimitedBudget budget;
  if (!iolist_bits(iolist, true, &bits, budget)) return false;
  size_t old = out->size();
  out->resize(old + bits / 8);
  write_iolist(iolist, reinterpret_cast<uint8_t*>(out->data()) + old, budget);
  return true;
}

Term bytes_to_list(Heap& h, const uint8_t* bytes, size_t n, Term rest) {
  UnlimitedBudget budget;
  return bytes_to_list(h, bytes, n, rest, budget);
}

Term bytes_to_list(Heap& h, const uint8_t* bytes, size_t n, Term rest, WorkBudget& budget) {
  if (n == 0) return rest;
  constexpr size_t kChunk = 4096;
  Term* cells = h.alloc(2 * n);
  for (size_t i = 0; i < n;) {
    for (size_t end = std::min(n, i + kChunk); i < end; ++i) {
      cells[2 * i] = make_small(bytes[i]);
      cells[2 * i + 1] = make_cons(cells + 2 * i + 2);
    }
    if (!budget.steps(static_cast<int64_t>(std::min(n, kChunk)))) return kCancelled;
  }
  cells[2 * n - 1] = rest;
  return make_cons(cells);
}

}  // namespace wb
