// What is shared is found, counted once and shared in the copy; what is not is copied as it is.
#include "term/sharing.h"

#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "term/copy.h"
#include "term/lists.h"
#include "term/random_terms.h"
#include "term/test_heap.h"

using namespace wb;

TEST_CASE("sets of addresses agree with a model") {
  std::vector<Term> block(1 << 16);
  AddressSet set;
  std::set<const Term*> model;
  std::mt19937 random(1);
  CHECK(!set.contains(&block[0]));
  for (int i = 0; i < 20000; ++i) {
    // some far away from the others
    const uint64_t far = random() % 4 == 0 ? uint64_t{random() % 3000} << 33 : 0;
    const Term* p = &block[random() % block.size()] + far;
    REQUIRE(set.contains(p) == model.contains(p));
    REQUIRE(set.insert(p) == model.insert(p).second);
    REQUIRE(set.contains(p));
  }
}

TEST_CASE("copies share what the original shares, and take the words that were counted") {
  int live = 0;
  size_t with = 0, without = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    RandomTerms random(seed, &live);
    TestHeap from, to;
    std::vector<Term> made;
    for (int i = 0; i < 40; ++i) {
      std::vector<Term> parts(made.end() - std::min<ptrdiff_t>(4, std::ssize(made)), made.end());
      made.push_back(random.make(from, parts));
      if (flat_size_deep(made.back()) > 20000) break;
      const Sharing sharing = sharing_of(made.back(), true);
      ++(sharing.shared.empty() ? without : with);
      CHECK(sharing.words <= flat_size_deep(made.back()));
      const Term copy = copy_sharing(to, made.back(), true, sharing);
      CHECK(same_term(copy, made.back()));
      const Sharing again = sharing_of(copy, true);
      CHECK(again.words == sharing.words);
      CHECK(again.shared.empty() == sharing.shared.empty());
    }
  }
  CHECK(live == 0);
  CHECK(with > 200);
  CHECK(without > 200);
}

TEST_CASE("a term that doubles at each step is counted and copied in as many steps") {
  TestHeap h;
  Term t = cons(h, make_small(1), kNil);
  for (int i = 0; i < 200; ++i) t = cons(h, t, t);
  CHECK(shared_size(t, true) == 402);
  const Sharing sharing = sharing_of(t, true);
  CHECK(sharing.words == 402);
  TestHeap to;
  const Term copy = copy_sharing(to, t, true, sharing);
  CHECK(head(copy) == tail(copy));
  CHECK(shared_size(copy, true) == 402);
}

TEST_CASE("all that a term has is counted each time that it is met") {
  TestHeap h;
  uint8_t* bytes;
  const Term part = tuple(h, make_small(1), make_float(h, 1.5), new_bytes(h, 9, &bytes));
  CHECK(unshared_size(part) == 4 + 2 + 4);
  CHECK(unshared_size(tuple(h)) == 0);
  CHECK(unshared_size(cons(h, part, cons(h, kNil, cons(h, make_small(3), part)))) == 6 + 2 * 10);
  CHECK(unshared_size(list_of(h, std::array{part, part, make_small(2)}.data(), 3)) == 6 + 2 * 10);
  CHECK(unshared_size(make_small(7)) == 0);
}
