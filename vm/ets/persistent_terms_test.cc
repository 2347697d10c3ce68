#include "vm/ets/persistent_terms.h"

#include <catch2/catch.hpp>
#include <thread>

#include "term/atom.h"
#include "term/order.h"
#include "term/print.h"
#include "term/test_heap.h"

using namespace wb;

TEST_CASE("persistent terms: put, get, replace, erase") {
  TestHeap h;
  PersistentTerms terms;
  Term key = tuple(h, am::ok, make_small(1));
  CHECK(terms.get(key) == kNone);
  terms.put(key, cons(h, make_small(1), kNil));
  Term value = terms.get(key);
  CHECK(to_text(value) == "[1]");
  CHECK(in_literal_range(cons_ptr(value)));
  terms.put(key, cons(h, make_small(1), kNil));
  CHECK(terms.get(key) == value);  // the same value: nothing changes
  CHECK(terms.retired_words() == 0);
  terms.put(key, am::error);
  CHECK(terms.get(key) == am::error);
  CHECK(to_text(value) == "[1]");  // whoever holds it still can
  CHECK(terms.retired_words() > 0);
  CHECK(terms.count() == 1);
  CHECK(terms.erase(key));
  CHECK(!terms.erase(key));
  CHECK(terms.get(key) == kNone);
  CHECK(terms.count() == 0);
}

TEST_CASE("persistent terms: many, found while others come and go") {
  PersistentTerms terms;
  std::atomic<bool> stop{false};
  std::atomic<size_t> wrong{0};
  terms.put(am::ok, make_small(7));
  std::thread reader([&] {
    while (!stop) wrong += terms.get(am::ok) != make_small(7);
  });
  for (int round = 0; round < 3; ++round) {
    for (int64_t i = 0; i < 2000; ++i) terms.put(make_small(i), make_small(i * i));
    for (int64_t i = 0; i < 2000; ++i) wrong += terms.get(make_small(i)) != make_small(i * i);
    for (int64_t i = 0; i < 2000; i += 2) terms.erase(make_small(i));
    for (int64_t i = 1; i < 2000; i += 2) wrong += terms.get(make_small(i)) != make_small(i * i);
    CHECK(terms.count() == 1001);
  }
  stop = true;
  reader.join();
  CHECK(wrong == 0);
  TestHeap h;
  size_t n = 0;
  for (Term l = terms.all(h); is_cons(l); l = tail(l)) ++n;
  CHECK(n == 1001);
}
