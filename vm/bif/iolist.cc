#include "vm/bif/iolist.h"

#include <string>

#include "term/bits.h"
#include "vm/bif/bif.h"

namespace wb {

bool iolist_bits(Term t, bool whole_bytes, size_t* bits) {
  size_t n = 0;
  bool ok = walk_iolist(
      t, [&](uint8_t) { n += 8; },
      [&](Term b) {
        size_t more = bit_size(b);
        return (!whole_bytes || (more & 7) == 0) && !__builtin_add_overflow(n, more, &n);
      });
  *bits = n;
  return ok;
}

void write_iolist(Term t, uint8_t* to) {
  size_t at = 0;
  walk_iolist(
      t,
      [&](uint8_t b) {
        if ((at & 7) == 0)
          to[at >> 3] = b;
        else
          write_bits(to, at, b, 8);
        at += 8;
      },
      [&](Term t) {
        Bits b = bits_of(t);
        copy_bits(to, at, b.bytes, b.offset, b.size);
        at += b.size;
        return true;
      });
}

// --- declared in bif.h
// ----------------------------------------------------------------------------
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
  if (!iolist_bits(iolist, true, &bits)) return false;
  size_t old = out->size();
  out->resize(old + bits / 8);
  write_iolist(iolist, reinterpret_cast<uint8_t*>(out->data()) + old);
  return true;
}

Term bytes_to_list(Heap& h, const uint8_t* bytes, size_t n, Term rest) {
  if (n == 0) return rest;
  Term* cells = h.alloc(2 * n);
  for (size_t i = 0; i < n; ++i) {
    cells[2 * i] = make_small(bytes[i]);
    cells[2 * i + 1] = i + 1 < n ? make_cons(cells + 2 * i + 2) : rest;
  }
  return make_cons(cells);
}

}  // namespace wb
