// Arithmetic against GMP's mpz on random operands, and the edges that OTP 25 was asked about.
#include "term/number.h"

#include <gmp.h>

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "term/number_text.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

/// A GMP integer with value semantics enough for these tests.
class Mpz {
 public:
  Mpz() { mpz_init(z_); }
  explicit Mpz(Term t) { mpz_init_set_str(z_, integer_text(t, 16).c_str(), 16); }
  Mpz(const Mpz&) = delete;
  ~Mpz() { mpz_clear(z_); }
  operator mpz_ptr() { return z_; }
  std::string text() const {
    char* s = mpz_get_str(nullptr, -16, z_);
    std::string result(s);
    free(s);
    return result;
  }

 private:
  mpz_t z_;
};

Term hex(Heap& h, std::string_view text) { return parse_integer(h, text, 16); }
Term power_of_2(Heap& h, int64_t n) { return num_bsl(h, make_small(1), make_small(n)); }

/// Integers of up to 700 bits with long runs of ones and zeros, both signs, and many smalls.
class RandomIntegers {
 public:
  Term next(Heap& h) {
    size_t n = random_() % 3 == 0 ? 1 : random_() % 11 + 1;
    std::vector<uint64_t> limbs(n);
    for (uint64_t& limb : limbs) limb = next_limb();
    limbs.back() >>= random_() % 64;
    return make_integer(h, random_() % 2, limbs.data(), n);
  }
  uint64_t below(uint64_t n) { return random_() % n; }

 private:
  uint64_t next_limb() {
    switch (random_() % 4) {
      case 0:
        return 0;
      case 1:
        return ~uint64_t{0};
      default:
        return random_();
    }
  }
  std::mt19937_64 random_{20221107};
};

using Operation = Term (*)(Heap&, Term, Term);
using Reference = void (*)(mpz_ptr, mpz_srcptr, mpz_srcptr);

bool agrees(Heap& h, Operation ours, Reference theirs, Term a, Term b) {
  Mpz x(a), y(b), r;
  theirs(r, x, y);
  Term result = ours(h, a, b);
  bool same = integer_text(result, 16) == r.text();
  if (!same) UNSCOPED_INFO(integer_text(a, 16) << " and " << integer_text(b, 16));
  return same;
}

/// A bignum is normalised: no small in disguise, no leading zero.
bool is_normal(Term t) {
  if (is_small(t)) return true;
  const uint64_t* limbs = big_limbs(t);
  if (big_size(t) == 0 || limbs[big_size(t) - 1] == 0) return false;
  uint64_t most = uint64_t{1} << 59;
  return big_size(t) > 1 || (big_negative(t) ? limbs[0] > most : limbs[0] >= most);
}

}  // namespace

TEST_CASE("integer operators agree with mpz") {
  RandomIntegers random;
  for (int i = 0; i < 3000; ++i) {
    TestHeap h;
    Term a = random.next(h), b = random.next(h);
    CHECK(agrees(h, num_add, mpz_add, a, b));
    CHECK(agrees(h, num_sub, mpz_sub, a, b));
    CHECK(agrees(h, num_mul, mpz_mul, a, b));
    CHECK(agrees(h, num_mul, mpz_mul, a, a));
    CHECK(agrees(h, num_band, mpz_and, a, b));
    CHECK(agrees(h, num_bor, mpz_ior, a, b));
    CHECK(agrees(h, num_bxor, mpz_xor, a, b));
    if (b == make_small(0)) continue;
    CHECK(agrees(h, num_div, mpz_tdiv_q, a, b));
    CHECK(agrees(h, num_rem, mpz_tdiv_r, a, b));
  }
}

TEST_CASE("shifts agree with mpz") {
  RandomIntegers random;
  for (int i = 0; i < 3000; ++i) {
    TestHeap h;
    Term a = random.next(h);
    uint64_t bits = random.below(900);
    Term by = make_small(static_cast<int64_t>(bits)), back = num_neg(h, by);
    Mpz x(a), left, right;
    mpz_mul_2exp(left, x, bits);
    mpz_fdiv_q_2exp(right, x, bits);
    CHECK(integer_text(num_bsl(h, a, by), 16) == left.text());
    CHECK(integer_text(num_bsr(h, a, by), 16) == right.text());
    CHECK(compare_numbers(num_bsr(h, a, back), num_bsl(h, a, by)) == 0);
    CHECK(compare_numbers(num_bsl(h, a, back), num_bsr(h, a, by)) == 0);
  }
}

TEST_CASE("algebra of integers") {
  RandomIntegers random;
  for (int i = 0; i < 3000; ++i) {
    TestHeap h;
    Term a = random.next(h), b = random.next(h), c = random.next(h);
    auto same = [](Term x, Term y) { return compare_numbers(x, y) == 0; };
    CHECK(same(num_sub(h, num_add(h, a, b), b), a));
    CHECK(same(num_mul(h, a, num_add(h, b, c)), num_add(h, num_mul(h, a, b), num_mul(h, a, c))));
    CHECK(same(num_bnot(h, a), num_sub(h, make_small(-1), a)));
    CHECK(same(num_bxor(h, num_bxor(h, a, b), b), a));
    CHECK(same(num_bnot(h, num_band(h, a, b)), num_bor(h, num_bnot(h, a), num_bnot(h, b))));
    CHECK(same(num_abs(h, num_neg(h, a)), num_abs(h, a)));
    CHECK(is_normal(num_sub(h, num_add(h, a, b), a)));
    CHECK(is_normal(num_neg(h, num_abs(h, a))));
    if (b == make_small(0)) continue;
    CHECK(same(num_div(h, num_mul(h, a, b), b), a));
    CHECK(same(num_add(h, num_mul(h, num_div(h, a, b), b), num_rem(h, a, b)), a));
  }
}

TEST_CASE("where smalls become bignums") {
  TestHeap h;
  Term most = make_small(kSmallMax), least = make_small(kSmallMin), one = make_small(1);
  CHECK(is_big(num_add(h, most, one)));
  CHECK(num_sub(h, num_add(h, most, one), one) == most);
  CHECK(is_big(num_sub(h, least, one)));
  CHECK(num_add(h, num_sub(h, least, one), one) == least);
  CHECK(is_big(num_neg(h, least)));
  CHECK(num_neg(h, num_neg(h, least)) == least);
  CHECK(is_big(num_div(h, least, make_small(-1))));
  CHECK(num_rem(h, least, make_small(-1)) == make_small(0));
  CHECK(num_rem(h, num_neg(h, least), least) == make_small(0));
  int64_t v = 0;
  CHECK((to_int64(make_integer(h, INT64_MIN), &v) && v == INT64_MIN));
  CHECK_FALSE(to_int64(num_sub(h, make_integer(h, INT64_MIN), one), &v));
  CHECK_FALSE(to_int64(num_add(h, make_integer(h, INT64_MAX), one), &v));
  uint64_t u = 0;
  CHECK((to_uint64(make_unsigned(h, UINT64_MAX), &u) && u == UINT64_MAX));
  CHECK_FALSE(to_uint64(make_small(-1), &u));
}

TEST_CASE("errors of operators") {
  TestHeap h;
  Term f = make_float(h, 1.5), zero = make_small(0), one = make_small(1), x = kNil;
  Term huge = power_of_2(h, 2000);
  for (Operation op : {num_add, num_sub, num_mul, num_divide, num_div, num_rem, num_band, num_bor,
                       num_bxor, num_bsl, num_bsr}) {
    CHECK(op(h, x, one) == kBadarith);
    CHECK(op(h, one, x) == kBadarith);
    CHECK(op(h, f, x) == kBadarith);
  }
  for (Operation op : {num_div, num_rem, num_band, num_bor, num_bxor, num_bsl, num_bsr}) {
    CHECK(op(h, f, one) == kBadarith);
  }
  CHECK(num_div(h, one, zero) == kBadarith);
  CHECK(num_rem(h, huge, zero) == kBadarith);
  CHECK(num_divide(h, one, zero) == kBadarith);
  CHECK(num_divide(h, f, make_float(h, -0.0)) == kBadarith);
  CHECK(num_divide(h, huge, huge) == kBadarith);
  CHECK(num_add(h, f, huge) == kBadarith);
  CHECK(num_mul(h, make_float(h, 1e308), make_small(10)) == kBadarith);
  CHECK(num_neg(h, x) == kBadarith);
  CHECK(num_bnot(h, f) == kBadarith);
  for (auto op : {num_abs, num_round, num_trunc, num_floor, num_ceil, num_float}) {
    CHECK(op(h, x) == kBadarg);
  }
  CHECK(num_float(h, power_of_2(h, 1024)) == kBadarg);
}

TEST_CASE("the largest integers") {
  TestHeap h;
  Term top = power_of_2(h, 33554367), one = make_small(1);
  CHECK(is_big(top));
  CHECK(power_of_2(h, 33554368) == kSystemLimit);
  CHECK(num_add(h, top, top) == kSystemLimit);
  CHECK(num_sub(h, top, top) == make_small(0));
  Term largest = num_add(h, top, num_sub(h, top, one));
  CHECK(is_big(largest));
  CHECK(num_add(h, largest, one) == kSystemLimit);
  CHECK(num_bnot(h, largest) == kSystemLimit);
  CHECK(is_big(num_bnot(h, num_neg(h, largest))));
  CHECK(is_big(num_mul(h, power_of_2(h, 33554303), power_of_2(h, 64))));
  CHECK(num_mul(h, power_of_2(h, 33554240), power_of_2(h, 128)) == kSystemLimit);
  CHECK(num_mul(h, top, make_small(2)) == kSystemLimit);
  Term far = power_of_2(h, 70), back = num_neg(h, far);
  CHECK(num_bsl(h, one, far) == kSystemLimit);
  CHECK(num_bsl(h, make_small(0), far) == make_small(0));
  CHECK(num_bsr(h, one, far) == make_small(0));
  CHECK(num_bsr(h, make_small(-1), far) == make_small(-1));
  CHECK(num_bsl(h, make_small(-1), back) == make_small(-1));
  CHECK(num_bsr(h, one, back) == kSystemLimit);
}

TEST_CASE("the largest integers since OTP 26") {
  TermInstance instance;
  InstanceScope scope(instance);
  instance.release = 26;
  TestHeap h;
  Term top = power_of_2(h, 4194239), one = make_small(1);
  CHECK(is_big(top));
  CHECK(power_of_2(h, 4194240) == kSystemLimit);
  CHECK(num_add(h, top, top) == kSystemLimit);
  CHECK(num_mul(h, top, make_small(2)) == kSystemLimit);
  CHECK(is_big(num_mul(h, power_of_2(h, 4194175), power_of_2(h, 64))));
  CHECK(is_big(num_add(h, top, num_sub(h, top, one))));
}

TEST_CASE("floats to integers and back") {
  TestHeap h;
  auto f = [&](double d) { return make_float(h, d); };
  CHECK(num_round(h, f(-0.5)) == make_small(-1));
  CHECK(num_round(h, f(2.5)) == make_small(3));
  CHECK(num_round(h, f(0.49999999999999994)) == make_small(0));
  CHECK(num_round(h, f(4503599627370497.5)) == make_small(4503599627370498));
  CHECK(num_trunc(h, f(-0.5)) == make_small(0));
  CHECK(num_floor(h, f(-0.5)) == make_small(-1));
  CHECK(num_ceil(h, f(-0.5)) == make_small(0));
  CHECK(integer_text(num_ceil(h, f(1e20))) == "100000000000000000000");
  CHECK(num_rem(h, num_trunc(h, f(1e308)), make_small(1000)) == make_small(336));
  CHECK(float_value(num_float(h, make_small(9007199254740993))) == 9007199254740992.0);
  CHECK(float_value(num_float(h, make_small(9007199254740995))) == 9007199254740996.0);
  CHECK(float_value(num_float(h, hex(h, "10000000000000800"))) == 18446744073709551616.0);
  CHECK(float_value(num_float(h, hex(h, "10000000000000801"))) == 18446744073709555712.0);
  // Not the nearest double, but OTP's: it rounds at each digit.
  CHECK(float_value(num_float(h, hex(h, "100000000000008000000000000000001"))) == 0x1p128);
}

TEST_CASE("numbers compare exactly") {
  TestHeap h;
  auto f = [&](double d) { return make_float(h, d); };
  CHECK(compare_numbers(make_small(1), f(1.0)) == 0);
  CHECK(compare_numbers(make_small(0), f(-0.0)) == 0);
  CHECK(compare_numbers(f(-0.0), f(0.0)) == 0);
  CHECK(compare_numbers(make_small(9007199254740993), f(9007199254740992.0)) > 0);
  CHECK(compare_numbers(power_of_2(h, 1024), f(1.7e308)) > 0);
  CHECK(compare_numbers(num_neg(h, power_of_2(h, 1024)), f(-1.7e308)) < 0);
  CHECK(compare_numbers(power_of_2(h, 70), f(0x1p70)) == 0);
  CHECK(compare_numbers(f(0x1p70), num_add(h, power_of_2(h, 70), make_small(1))) < 0);
  CHECK(compare_numbers(make_small(-2), f(-1.5)) < 0);
  CHECK(compare_numbers(make_small(-1), f(-1.5)) > 0);
  CHECK(compare_numbers(make_small(0), f(5e-324)) < 0);
}
