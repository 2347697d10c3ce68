// Absolute values as rows of 64-bit limbs: what number*.cc share, nobody else includes this.
//
// Integer shows any integer term, small or big, as a sign and limbs, so that each operation is
// written once. A result is computed straight into words of the heap (Result), then normalised:
// leading zero limbs go back to the heap, a value that fits becomes a small, and one over the
// limit becomes kSystemLimit. So a bignum that any program can see is normal, and equality of
// bignums is equality of words.
//
// Rejected: mpz_t. It allocates outside the heap, so each operation would copy twice and each
// bignum would need a finaliser.
#pragma once

#include <gmp.h>

#include <bit>
#include <memory>

#include "term/number.h"

namespace wb {

static_assert(sizeof(mp_limb_t) == 8 && GMP_LIMB_BITS == 64 && GMP_NAIL_BITS == 0);

inline mp_limb_t* as_mp(uint64_t* p) { return reinterpret_cast<mp_limb_t*>(p); }
inline const mp_limb_t* as_mp(const uint64_t* p) { return reinterpret_cast<const mp_limb_t*>(p); }

inline size_t strip_zeros(const uint64_t* limbs, size_t n) {
  while (n > 0 && limbs[n - 1] == 0) --n;
  return n;
}

constexpr uint64_t magnitude(int64_t v) {
  return v < 0 ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
}

/// An integer term as sign and limbs. Zero has no limbs. Refers to itself: not copied.
class Integer {
 public:
  explicit Integer(Term t) {
    if (is_small(t)) {
      own_ = magnitude(small_value(t));
      negative = small_value(t) < 0;
      limbs = &own_;
      size = own_ != 0;
    } else {
      negative = big_negative(t);
      limbs = big_limbs(t);
      size = big_size(t);
    }
  }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;

  uint64_t bit_length() const {
    return size == 0 ? 0 : size * 64 - static_cast<uint64_t>(std::countl_zero(limbs[size - 1]));
  }
  bool zero() const { return size == 0; }

  const uint64_t* limbs;
  size_t size;
  bool negative;

 private:
  uint64_t own_ = 0;
};

/// Compares absolute values without leading zeros.
inline int compare_magnitudes(const uint64_t* a, size_t an, const uint64_t* b, size_t bn) {
  if (an != bn) return an < bn ? -1 : 1;
  return an == 0 ? 0 : mpn_cmp(as_mp(a), as_mp(b), static_cast<mp_size_t>(an));
}

/// Limbs of a result in the making: room for n in the heap, until finish().
class Result {
 public:
  Result(Heap& h, size_t n) : heap_(h), capacity_(n + 1), words_(h.alloc(n + 1)) {}
  uint64_t* limbs() { return words_ + 1; }

  WB_INLINE Term finish(bool negative, size_t n) {
    n = strip_zeros(limbs(), n);
    if (n < 2 || too_many_limbs(n)) return finish_few(negative, n);
    return finish_big(negative, n);
  }

 private:
  Term finish_big(bool negative, size_t n) {
    words_[0] = make_header(negative ? Kind::big_neg : Kind::big_pos, n);
    heap_.trim(words_, capacity_, words_ + n + 1);
    return make_boxed(words_);
  }
  WB_NOINLINE Term finish_few(bool negative, size_t n) {
    if (n > 1) return give_back(kSystemLimit);
    const uint64_t v = n == 0 ? 0 : words_[1];
    if (!negative && v <= static_cast<uint64_t>(kSmallMax)) {
      return give_back(make_small(static_cast<int64_t>(v)));
    }
    if (negative && v <= magnitude(kSmallMin)) {
      return give_back(make_small(static_cast<int64_t>(uint64_t{0} - v)));
    }
    return finish_big(negative, n);
  }
  Term give_back(Term value) {
    heap_.trim(words_, capacity_, words_);
    return value;
  }

  Heap& heap_;
  size_t capacity_;
  Term* words_;
};

/// Working space outside the heap: on the stack while small.
class Scratch {
 public:
  explicit Scratch(size_t n) : limbs_(few_) {
    if (n > kFew) {
      many_ = std::make_unique_for_overwrite<uint64_t[]>(n);
      limbs_ = many_.get();
    }
  }
  uint64_t* limbs() { return limbs_; }

 private:
  static constexpr size_t kFew = 32;
  uint64_t few_[kFew];
  std::unique_ptr<uint64_t[]> many_;
  uint64_t* limbs_;
};

/// The whole part of a finite double, without its sign: 0..16 limbs.
struct DoubleLimbs {
  explicit DoubleLimbs(double d);
  uint64_t limbs[17] = {};
  size_t size = 0;
};

}  // namespace wb
