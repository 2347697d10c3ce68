#include <catch2/catch.hpp>

#include "term/bit_syntax.h"
#include "term/copy.h"
#include "term/random_terms.h"
#include "term/test_heap.h"

namespace wb {

namespace {

/// Walks exactly `n` words at `p`: the copy must be whole terms and nothing else.
bool walks(const Term* p, size_t n) {
  const Term* end = p + n;
  while (p < end) {
    size_t raw = is_header(*p) ? raw_words(header_kind(*p)) : 0;
    p += is_header(*p) ? 1 + (raw == 255 ? header_size(*p) : raw) : 1;
  }
  return p == end;
}

Term numbered_bytes(Heap& h, size_t n) {
  uint8_t* to;
  Term t = new_bytes(h, n, &to);
  for (size_t i = 0; i < n; ++i) to[i] = static_cast<uint8_t>(i * 7);
  return t;
}

}  // namespace

TEST_CASE("copies of random terms are equal, whole and own what they share") {
  int live = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    RandomTerms random(seed, &live);
    TestHeap to;
    {
      TestHeap from;
      std::vector<Term> made;
      for (int i = 0; i < 60; ++i) {
        std::vector<Term> parts(made.end() - std::min<ptrdiff_t>(3, std::ssize(made)), made.end());
        Term t = random.make(from, parts);
        size_t n = flat_size(t);
        if (n > 20000) break;
        made.push_back(t);
        Term *start = to.alloc(n), *p = start;
        Term copy = copy_term_to(t, &p, to);
        CHECK(p == start + n);
        CHECK(walks(start, n));
        CHECK(same_term(copy, t));
        CHECK(flat_size(copy) == n);
        CHECK(same_term(copy_term(to, t), t));
      }
      for (Term& t : made) t = copy_term(to, t);
      // The source dies here; what was copied keeps its objects.
    }
  }
  CHECK(live == 0);
}

TEST_CASE("copies of small terms are what other copies are, and as large") {
  int live = 0, small = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    RandomTerms random(seed, &live);
    TestHeap from, to;
    for (int i = 0; i < 60; ++i) {
      Term t = random.make(from, {});
      const size_t n = small_size(t);
      if (!n) continue;
      ++small;
      CHECK(n == flat_size(t));
      Term* start = to.alloc(n);
      Term copy = copy_small_to(t, start);
      CHECK(walks(start, n));
      CHECK(same_term(copy, t));
      CHECK(pointer_of(copy) == start);
    }
  }
  CHECK(small > 100);
  CHECK(live == 0);
}

TEST_CASE("what is small: a few words, deep or long") {
  TestHeap h;
  Term deep = kNil, list = kNil, tuples = make_small(0);
  for (int k = 0; k < 15; ++k) {
    deep = cons(h, deep, kNil);
    list = cons(h, make_small(k), list);
    tuples = tuple(h, tuples);
  }
  CHECK(small_size(deep) == 30);
  CHECK(small_size(list) == 30);
  CHECK(small_size(tuples) == 30);
  CHECK(small_size(tuple(h, deep)) == 32);
  CHECK(small_size(tuple(h, deep, kNil)) == 0);
  CHECK(small_size(cons(h, list, list)) == 0);
  CHECK(small_size(kNil) == 0);
  TestHeap to;
  for (Term t : {deep, list, tuples, tuple(h, deep)}) {
    CHECK(same_term(copy_small_to(t, to.alloc(small_size(t))), t));
    CHECK(same_term(copy_term(to, t), t));
  }
}

TEST_CASE("immediates and literals are not copied, unless asked") {
  TestHeap h;
  LiteralArea area;
  CHECK(flat_size(make_small(5)) == 0);
  CHECK(copy_term(h, am::true_) == am::true_);
  Term literal = cons(area, make_small(1), numbered_bytes(area, 100));
  CHECK(is_literal(literal));
  CHECK(flat_size(literal) == 0);
  CHECK(copy_term(h, literal) == literal);
  Term t = tuple(h, literal, literal);
  CHECK(flat_size(t) == 3);
  CHECK(head(tuple_elements(copy_term(h, t))[0]) == make_small(1));
  CHECK(tuple_elements(copy_term(h, t))[1] == literal);

  CHECK(flat_size_deep(t) == 3 + 2 * (2 + refc_bin::kWords));
  LiteralArea other;
  Term deep = copy_term_deep(other, t);
  CHECK(other.contains(boxed_ptr(deep)));
  CHECK(other.contains(cons_ptr(tuple_elements(deep)[1])));
  CHECK(same_term(deep, t));
}

TEST_CASE("a size that is looked for only so far") {
  TestHeap h;
  Term list = kNil;
  for (int k = 0; k < 10'000; ++k) list = cons(h, make_small(k), list);
  Term t = tuple(h, list, list, make_small(1));
  size_t words = flat_size(t);
  CHECK(flat_size_up_to(t, words) == words);
  CHECK(flat_size_up_to(t, SIZE_MAX) == words);
  CHECK(flat_size_up_to(t, 1000) > 1000);
  CHECK(flat_size_up_to(t, 1000) < 1100);
  CHECK(flat_size_up_to(make_small(1), 0) == 0);
  CHECK(flat_size_up_to(kNil, 0) == 0);
}

TEST_CASE("long and deep lists") {
  TestHeap h;
  Term longs = kNil, deep = kNil, both = kNil;
  for (int i = 0; i < 1000000; ++i) {
    longs = cons(h, make_small(i), longs);
    deep = cons(h, deep, kNil);
    both = tuple(h, both, both == kNil ? kNil : make_small(i));
  }
  CHECK(flat_size(longs) == 2000000);
  CHECK(flat_size(deep) == 2000000);
  CHECK(flat_size(both) == 3000000);
  TestHeap to;
  Term copy = copy_term(to, longs);
  int64_t sum = 0;
  for (; is_cons(copy); copy = tail(copy)) sum += small_value(head(copy));
  CHECK(sum == 499999500000);
  int depth = 0;
  for (copy = copy_term(to, deep); is_cons(copy); copy = head(copy)) ++depth;
  CHECK(depth == 1000000);
}

TEST_CASE("binaries: small windows are copied, large ones share") {
  TestHeap from, to;
  Term big = numbered_bytes(from, 5000);
  Binary* object = refc_bin::object(boxed_ptr(big));

  Term small = sub_bitstring(from, big, 8 * 100, 8 * 50);
  CHECK(is_kind(small, Kind::sub_bin));
  Term copy = copy_term(to, small);
  CHECK(is_kind(copy, Kind::heap_bin));
  CHECK(same_term(copy, small));
  CHECK(object->refs == 1);

  Term odd = sub_bitstring(from, big, 803, 333);
  copy = copy_term(to, odd);
  CHECK(same_term(copy, odd));
  CHECK(flat_size(odd) == 5 + 2 + 6);
  CHECK(object->refs == 1);

  Term large = sub_bitstring(from, big, 803, 8003);
  copy = copy_term(to, large);
  CHECK(is_kind(copy, Kind::sub_bin));
  CHECK(same_term(copy, large));
  CHECK(object->refs == 2);

  Term empty = sub_bitstring(from, big, 800, 0);
  CHECK(same_term(copy_term(to, empty), empty));

  Term* p = from.alloc(MatchContext::kWords);
  *reinterpret_cast<MatchContext*>(p) = {make_header(Kind::match_ctx, 4), 8000, 804, 0, big};
  copy = copy_term(to, cons(from, make_boxed(p), kNil));
  CHECK(same_term(head(copy), sub_bitstring(from, big, 804, 8000 - 804)));
}

TEST_CASE("a copied writable binary is appended to by nobody") {
  TestHeap from, to;
  BitWriter w;
  Term t = append_start(from, init_writable(from, 300), 8 * 100, 8, false, &w);
  memset(w.bytes, 'a', 100);
  Term* window = boxed_ptr(t);
  Term* base = boxed_ptr(sub_bin::base(window));
  CHECK((refc_bin::flags(base) & refc_bin::writable) != 0);
  Term copy = copy_term(to, t);
  CHECK(refc_bin::flags(base) == 0);
  CHECK(sub_bin::writable(boxed_ptr(copy)) == 0);
  Term longer = append_start(from, t, 8, 8, false, &w);
  CHECK(boxed_ptr(sub_bin::base(boxed_ptr(longer))) != base);
  CHECK(same_term(copy, t));
}

}  // namespace wb
