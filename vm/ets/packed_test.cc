// Packing and unpacking gives the same object back, and shares of what is off-heap are kept.
#include "vm/ets/packed.h"

#include <catch2/catch.hpp>
#include <random>

#include "term/random_terms.h"
#include "term/test_heap.h"
#include "vm/ets/table.h"

using namespace wb;

TEST_CASE("packed objects: every term comes back, and what it owns is released once") {
  int live = 0;
  size_t packed = 0, owning = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    RandomTerms random(seed, &live);
    std::vector<TableObject*> kept;
    TestHeap last;
    Term shown = kNil;
    {
      TestHeap h;
      std::vector<Term> made{make_small(-1)};
      for (int i = 0; i < 60; ++i) {
        std::vector<Term> parts(made.end() - std::min<ptrdiff_t>(3, std::ssize(made)), made.end());
        made.push_back(random.make(h, parts));
        if (flat_size_deep(made.back()) > 5000) break;
        const Term object = tuple(h, parts[0], made[random.below(made.size())], made.back());
        TableObject* o = new_packed_object(object, 2);
        CHECK(same_term(o->key(2), tuple_elements(object)[1]));
        CHECK(o->words <= flat_size_deep(object));
        if (o->form == TableObject::Form::plain) {
          free_object(o);
          continue;
        }
        ++packed;
        owning += o->form == TableObject::Form::packed_owning;
        Unpacked plain(*o, 2);
        CHECK(same_term(plain.object().tuple(), object));
        shown = copy_object(last, &plain.object());
        CHECK(same_term(shown, object));
        kept.push_back(o);
      }
    }
    for (TableObject* o : kept) {  // the terms it was made of are gone
      Unpacked plain(*o, 2);
      CHECK(plain.object().arity() == 3);
      shown = copy_object(last, &plain.object());
    }
    for (TableObject* o : kept) free_object(o);
  }
  CHECK(live == 0);
  CHECK(packed > 500);
  CHECK(owning > 100);
}

TEST_CASE("packed objects: what programs keep in tables takes less") {
  TestHeap h;
  Term list = kNil;
  for (int64_t i = 20; i > 0; --i) list = cons(h, make_small(i), list);
  const Term object = tuple(h, make_small(1), list);
  TableObject* o = new_packed_object(object, 1);
  CHECK(flat_size_deep(object) == 43);
  CHECK(o->words <= 9);
  free_object(o);
  TableObject* counter = new_packed_object(tuple(h, make_small(1), make_small(7)), 1);
  CHECK(counter->form == TableObject::Form::plain);
  free_object(counter);
}
