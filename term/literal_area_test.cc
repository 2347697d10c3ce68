#include <catch2/catch.hpp>
#include <thread>

#include "term/copy.h"
#include "term/random_terms.h"

namespace wb {

TEST_CASE("literal areas: addresses, growth and reuse") {
  size_t before = literal_bytes_used();
  char* reused;
  {
    LiteralArea a, b;
    Term t = cons(a, make_small(1), kNil);
    CHECK(is_literal(t));
    CHECK(a.contains(cons_ptr(t)));
    CHECK_FALSE(b.contains(cons_ptr(t)));
    CHECK(literal_bytes_used() == before + 4096);
    reused = reinterpret_cast<char*>(cons_ptr(t));

    Term* big = b.alloc(3000000);
    big[0] = make_header(Kind::big_pos, 2999999);
    CHECK(is_literal(make_boxed(big)));
    CHECK(b.contains(big + 2999999));
    Term* small = b.alloc(1);
    CHECK(b.contains(small));

    size_t words = 0;
    b.each_block([&](Term* from, Term* to) { words += static_cast<size_t>(to - from); });
    CHECK(words == b.words());
    for (int i = 0; i < 100000; ++i) cons(a, make_small(i), kNil);
    CHECK(a.words() < 600000);
  }
  CHECK(literal_bytes_used() == before);
  LiteralArea c;
  Term* p = c.alloc(4);
  CHECK(reinterpret_cast<char*>(p) == reused);
  for (int i = 0; i < 4; ++i) CHECK(p[i] == 0);  // pages come back empty
  Term on_stack[2] = {kNil, kNil};
  CHECK_FALSE(is_literal(make_cons(on_stack)));
  CHECK_FALSE(is_literal(make_small(1)));
}

TEST_CASE("a literal area releases what its literals own") {
  int live = 0;
  {
    LiteralArea a;
    for (int i = 0; i < 1000; ++i) make_counted_ref(a, &live);
    CHECK(live == 1000);
  }
  CHECK(live == 0);
}

TEST_CASE("literal areas are made and freed by many threads") {
  size_t before = literal_bytes_used();
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([n] {
      for (int i = 0; i < 300; ++i) {
        LiteralArea a;
        for (int j = 0; j < 50 * (n + 1); ++j) {
          Term* e;
          new_tuple(a, 40, &e);
          for (int k = 0; k < 40; ++k) e[k] = make_small(n);
        }
        bool intact = true;
        a.each_block([&](Term* p, Term* end) {
          for (; p < end; ++p) intact &= *p == 0 || *p == make_small(n) || is_header(*p);
        });
        if (!intact) abort();
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK(literal_bytes_used() == before);
}

}  // namespace wb
