// Random graphs of terms for tests of whatever copies or moves them, and a checksum of a graph that
// does not depend on where it lies.
#pragma once

#include <random>
#include <unordered_map>
#include <vector>

#include "term/atom.h"
#include "term/binary.h"
#include "term/heap.h"
#include "term/node_table.h"

namespace wb {

/// An off-heap object that counts how many of its kind are alive.
struct CountedObject : OffHeapObject {
  explicit CountedObject(int* n) : live(n) {
    ++*live;
    destroy = [](OffHeapObject* o) {
      auto* self = static_cast<CountedObject*>(o);
      --*self->live;
      delete self;
    };
  }
  int* live;
};

inline Term make_counted_ref(Heap& h, int* live) {
  Term* p = h.alloc(5);
  p[0] = make_header(Kind::magic_ref, 4);
  p[1] = reinterpret_cast<Word>(static_cast<OffHeapObject*>(new CountedObject(live)));
  p[3] = 0x0000000500000007;
  p[4] = 9;
  h.link_off_heap(p, 0);
  return make_boxed(p);
}

/// Builds terms out of terms it is given.
class RandomTerms {
 public:
  RandomTerms(uint32_t seed, int* live) : random_(seed), live_(live) {}

  size_t below(size_t n) { return random_() % n; }

  /// One new value in `h` that may refer to some of `parts`.
  Term make(Heap& h, const std::vector<Term>& parts) {
    auto part = [&]() -> Term {
      if (parts.empty() || below(3) == 0) return leaf();
      return parts[below(parts.size())];
    };
    switch (below(14)) {
      case 0:
      case 1:
      case 2:
        return cons(h, part(), part());
      case 3: {
        Term* e;
        size_t n = below(9);
        Term t = new_tuple(h, n, &e);
        for (size_t i = 0; i < n; ++i) e[i] = part();
        return t;
      }
      case 4:
        return make_float(h, static_cast<double>(random_()) / 3);
      case 5: {
        size_t n = 1 + below(6);
        Term* p = h.alloc(n + 1);
        p[0] = make_header(below(2) ? Kind::big_pos : Kind::big_neg, n);
        // Limbs that would be taken for pointers and headers by a careless scan.
        for (size_t i = 1; i <= n; ++i) p[i] = ~Word{0} - below(16);
        return make_boxed(p);
      }
      case 6: {
        size_t n = below(4);
        Term* p = h.alloc(n + 3);
        Term keys = new_keys(h, n);
        p[0] = make_header(Kind::flatmap, n + 2);
        p[1] = make_small(static_cast<int64_t>(n));
        p[2] = keys;
        for (size_t i = 0; i < n; ++i) p[3 + i] = part();
        return make_boxed(p);
      }
      case 7:
        return bytes(h, below(60));
      case 8:
        return bytes(h, 65 + below(2000));
      case 9: {
        Term whole = bytes(h, below(2) ? 60 : 400);
        size_t bits = bit_size(whole);
        return sub_bitstring(h, whole, below(bits / 2), below(bits / 2));
      }
      case 10: {
        size_t n = below(4);
        Term* p = h.alloc(n + 4);
        p[0] = make_header(Kind::fun, n + 3);
        p[1] = 0xf00000000000001;
        p[2] = 2 | Word{n} << 32;
        p[3] = make_pid(5, 1);
        for (size_t i = 0; i < n; ++i) p[4 + i] = part();
        return make_boxed(p);
      }
      case 11:
        return make_counted_ref(h, live_);
      case 12: {
        size_t n = 1 + below(16);
        Term* p = h.alloc(n + 1);
        p[0] = make_header(Kind::hashnode, n, static_cast<uint16_t>((1u << n) - 1));
        for (size_t i = 1; i <= n; ++i) p[i] = part();
        return make_boxed(p);
      }
      default: {
        Term* p = h.alloc(4);
        p[0] = make_header(Kind::ext_pid, 3);
        p[3] = random_();
        own_node(h, p, {am::true_, static_cast<uint32_t>(below(3))});
        return make_boxed(p);
      }
    }
  }

  Term leaf() {
    switch (below(4)) {
      case 0:
        return make_small(static_cast<int64_t>(random_()) - 1000);
      case 1:
        return make_atom(static_cast<uint32_t>(below(2)));
      case 2:
        return make_pid(static_cast<uint32_t>(below(9)), 3);
      default:
        return kNil;
    }
  }

  Term bytes(Heap& h, size_t n) {
    uint8_t* to;
    Term t = new_bytes(h, n, &to);
    for (size_t i = 0; i < n; ++i) to[i] = static_cast<uint8_t>(random_());
    return t;
  }

 private:
  Term new_keys(Heap& h, size_t n) {
    Term* e;
    Term t = new_tuple(h, n, &e);
    for (size_t i = 0; i < n; ++i) e[i] = make_small(static_cast<int64_t>(i));
    return t;
  }

  std::mt19937 random_;
  int* live_;
};

/// Whether two terms have the same parts; bitstrings by content, sharing not looked at.
inline bool same_term(Term a, Term b) {
  std::vector<std::pair<Term, Term>> todo{{a, b}};
  while (!todo.empty()) {
    auto [x, y] = todo.back();
    todo.pop_back();
    if (x == y) continue;
    if (!is_pointer(x) || (x & 3) != (y & 3)) return false;
    if (is_cons(x)) {
      todo.push_back({tail(x), tail(y)});
      todo.push_back({head(x), head(y)});
      continue;
    }
    if (is_bitstring(x) && is_bitstring(y)) {
      Bits v = bits_of(x), w = bits_of(y);
      if (v.size != w.size || !equal_bits(v.bytes, v.offset, w.bytes, w.offset, v.size))
        return false;
      continue;
    }
    const Term *p = boxed_ptr(x), *q = boxed_ptr(y);
    if (*p != *q) return false;
    Kind k = header_kind(*p);
    size_t size = header_size(*p), raw = raw_words(k);
    for (size_t i = 1; i <= size; ++i) {
      if (i > raw)
        todo.push_back({p[i], q[i]});
      else if (p[i] != q[i] && !(owns_off_heap(k) && i == 2))
        return false;
    }
  }
  return true;
}

/// Equal for two graphs of the same shape and content, sharing included, wherever they lie.
class GraphChecksum {
 public:
  void add(Term root) {
    stack_.push_back(root);
    while (!stack_.empty()) {
      Term t = stack_.back();
      stack_.pop_back();
      visit(t);
    }
  }
  uint64_t value() const { return sum_; }
  size_t values() const { return seen_.size(); }
  size_t owners() const { return owners_; }

 private:
  void mix(uint64_t v) { sum_ = (sum_ ^ v) * 0x9e3779b97f4a7c15 + (sum_ >> 29); }

  void visit(Term t) {
    if (!is_pointer(t)) return mix(t);
    auto [it, is_new] = seen_.try_emplace(t, seen_.size());
    mix(it->second << 8 | (t & 3));
    if (!is_new) return;
    if (is_cons(t)) {
      stack_.push_back(tail(t));
      stack_.push_back(head(t));
      return;
    }
    const Term* p = boxed_ptr(t);
    WB_CHECK(is_header(*p));
    Kind k = header_kind(*p);
    size_t size = header_size(*p), raw = raw_words(k);
    if (raw == 255) raw = size;
    mix(*p);
    for (size_t i = 1; i <= raw; ++i)
      if (!(owns_off_heap(k) && i == 2)) mix(p[i]);
    if (k == Kind::refc_bin)
      for (size_t i = 0; i < refc_bin::size(p); ++i) mix(refc_bin::object(p)->data[i]);
    owners_ += owns_off_heap(k);
    for (size_t i = raw + 1; i <= size; ++i) stack_.push_back(p[i]);
  }

  uint64_t sum_ = 1;
  size_t owners_ = 0;
  std::vector<Term> stack_;
  std::unordered_map<Term, size_t> seen_;
};

}  // namespace wb
