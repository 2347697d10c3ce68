// Arithmetic on terms. Operands are any terms: a non-number gives kBadarith, a result too big
// kSystemLimit (too_many_limbs; docs/terms.md has the limits).
// Small results come back small, big ones as normalised bignums in `h`.
#pragma once

#include "term/fault.h"
#include "term/heap.h"
#include "term/instance.h"

namespace wb {

// --- bignums: limbs ------------------------------------------------------------------------------
constexpr uint64_t kMaxBigLimbs = 524287, kMaxBigLimbsSince26 = 65535;
inline bool too_many_limbs(uint64_t n) {
  return n > kMaxBigLimbsSince26 && (n > kMaxBigLimbs || otp_release() >= 26);
}
inline uint64_t big_size(Term t) { return header_size(header_of(t)); }
inline bool big_negative(Term t) { return header_kind(header_of(t)) == Kind::big_neg; }
inline const uint64_t* big_limbs(Term t) { return boxed_ptr(t) + 1; }

/// The integer with this sign and absolute value (n limbs, may have leading zeros), normalised.
Term make_integer(Heap& h, bool negative, const uint64_t* limbs, size_t n);
Term make_integer(Heap& h, int64_t v);
Term make_unsigned(Heap& h, uint64_t v);
/// Value of an integer that fits; false if `t` is no integer or does not fit.
bool to_int64(Term t, int64_t* out);
bool to_uint64(Term t, uint64_t* out);
/// Nearest double of any number; false if too big or no number.
bool to_double(Term t, double* out);
/// A float term, or kBadarith if not finite.
Term checked_float(Heap& h, double d);

// --- operators (as in Erlang) --------------------------------------------------------------------
Term num_add(Heap& h, Term a, Term b);
Term num_sub(Heap& h, Term a, Term b);
Term num_mul(Heap& h, Term a, Term b);
Term num_divide(Heap& h, Term a, Term b);  // '/': always a float
Term num_div(Heap& h, Term a, Term b);     // div: truncates
Term num_rem(Heap& h, Term a, Term b);
Term num_neg(Heap& h, Term a);
Term num_abs(Heap& h, Term a);
Term num_band(Heap& h, Term a, Term b);  // two's complement semantics on bignums
Term num_bor(Heap& h, Term a, Term b);
Term num_bxor(Heap& h, Term a, Term b);
Term num_bnot(Heap& h, Term a);
Term num_bsl(Heap& h, Term a, Term b);  // negative shifts go the other way
Term num_bsr(Heap& h, Term a, Term b);
Term num_round(Heap& h, Term a);  // kBadarg if not a number (these are BIFs, not operators)
Term num_trunc(Heap& h, Term a);
Term num_floor(Heap& h, Term a);
Term num_ceil(Heap& h, Term a);
Term num_float(Heap& h, Term a);

/// Compares two numbers of any kind exactly (9007199254740993 > 9007199254740992.0).
int compare_numbers(Term a, Term b);

// --- integers as bits (bit syntax) ---------------------------------------------------------------
/// Reads `bits` bits at `bytes`+`offset`.
Term integer_from_bits(Heap& h, const uint8_t* bytes, size_t offset, size_t bits, bool little,
                       bool is_signed);
/// Writes the low `bits` bits (two's complement) of integer `t` there; neighbours stay untouched.
void integer_to_bits(Term t, uint8_t* bytes, size_t offset, size_t bits, bool little);

// --- text ----------------------------------------------------------------------------------------
}  // namespace wb
