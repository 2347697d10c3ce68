// Both kinds of table against simple models, alone and from several threads.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <thread>

#include "term/atom.h"
#include "term/binary.h"
#include "term/order.h"
#include "term/print.h"
#include "term/test_heap.h"
#include "vm/ets/deferred_free.h"
#include "vm/ets/hash_table.h"
#include "vm/ets/ordered_table.h"
#include "vm/ets/search.h"

using namespace wb;

namespace {

Term n(int64_t i) { return make_small(i); }

struct Fixture {
  TestHeap h;
  DeferredFree deferred_free;
  Table* t;
  explicit Fixture(TableType type, TableOptions o = {}) {
    o.type = type;
    o.protection = Protection::public_;
    t = type == TableType::ordered_set ? new_ordered_table(o, am::ok) : new_hash_table(o, am::ok);
  }
  ~Fixture() { t->release(); }
  bool put_tuple(Term tuple, bool only_new = false) {
    std::vector<TableObject*> objects{t->make_object(tuple)};
    return t->insert(objects, only_new);
  }
  bool put(int64_t k, int64_t v) { return put_tuple(tuple(h, n(k), n(v))); }
  struct Collector final : Visitor {
    Collector(Heap& h, Verdict v) : h(h), verdict(v) {}
    Verdict visit(const TableObject& o) override {
      list = cons(h, copy_object(h, &o), list);
      ++count;
      return verdict;
    }
    bool full() override { return count >= limit; }
    Heap& h;
    Verdict verdict;
    Term list = kNil;
    size_t count = 0, limit = SIZE_MAX;
  };
  std::string lookup(Term key, Visitor::Verdict verdict = Visitor::Verdict::keep) {
    Collector c(h, verdict);
    t->visit_key(key, c, verdict != Visitor::Verdict::keep);
    return to_text(c.list);
  }
  std::vector<Term> keys() {
    std::vector<Term> all;
    for (Term k = t->first(h); k != kNone; k = t->next(h, k)) all.push_back(k);
    return all;
  }
  uint64_t clear() {
    uint64_t count;
    t->clear(deferred_free, &count);
    return count;
  }
};

}  // namespace

TEST_CASE("ets: sets hold one object a key, =:= keys") {
  Fixture f(TableType::set);
  f.put(1, 1);
  f.put(1, 2);
  f.put_tuple(tuple(f.h, make_float(f.h, 1.0), n(3)));
  CHECK(f.lookup(n(1)) == "[{1,2}]");
  CHECK(f.lookup(make_float(f.h, 1.0)) == "[{1.0,3}]");
  CHECK(f.t->size() == 2);
  CHECK(!f.put_tuple(tuple(f.h, n(1), n(9)), true));
  CHECK(f.lookup(n(1), Visitor::Verdict::erase) == "[{1,2}]");
  CHECK(f.lookup(n(1)) == "[]");
  CHECK(f.t->size() == 1);
}

TEST_CASE("ets: bags keep the order of insertion") {
  Fixture bag(TableType::bag), dup(TableType::duplicate_bag);
  for (Fixture* f : {&bag, &dup})
    for (int64_t v : {1, 2, 1, 3}) f->put(7, v);
  CHECK(bag.lookup(n(7)) == "[{7,1},{7,2},{7,3}]");
  CHECK(dup.lookup(n(7)) == "[{7,1},{7,2},{7,1},{7,3}]");
  CHECK(bag.t->size() == 3);
  CHECK(dup.t->size() == 4);
}

TEST_CASE("ets: ordered sets are in order and compare with ==") {
  Fixture f(TableType::ordered_set);
  for (int64_t k : {5, 3, 9, 1, 7}) f.put(k, k);
  f.put_tuple(tuple(f.h, make_float(f.h, 3.0), n(33)));
  CHECK(f.t->size() == 5);
  CHECK(f.lookup(n(3)) == "[{3.0,33}]");
  std::string order;
  for (Term k : f.keys()) order += to_text(k) + " ";
  CHECK(order == "1 3.0 5 7 9 ");
  CHECK(f.t->next(f.h, n(4)) == n(5));
  CHECK(f.t->prev(f.h, n(4)) != kNone);
  CHECK(f.t->prev(f.h, n(1)) == kNone);
  CHECK(f.t->last(f.h) == n(9));
  CHECK(f.clear() == 5);
  CHECK(f.t->first(f.h) == kNone);
  CHECK(f.t->last(f.h) == kNone);
}

TEST_CASE("ets: random operations agree with a model") {
  for (TableType type : {TableType::set, TableType::ordered_set}) {
    Fixture f(type);
    std::map<int64_t, int64_t> model;
    std::mt19937 random(1);
    for (int i = 0; i < 60000; ++i) {
      // grows to thousands, then shrinks again
      int64_t k = random() % (i < 30000 ? 5000 : 50000), v = random() % 100;
      if (random() % 10 < (i < 30000 ? 7u : 2u)) {
        f.put(k, v);
        model[k] = v;
      } else if (i < 30000) {
        f.t->erase(n(k));
        model.erase(k);
      } else if (!model.empty()) {
        k = model.begin()->first;
        f.t->erase(n(k));
        model.erase(k);
      }
    }
    CHECK(f.t->size() == model.size());
    size_t wrong = 0;
    for (auto& [k, v] : model)
      wrong += f.lookup(n(k)) != "[{" + std::to_string(k) + "," + std::to_string(v) + "}]";
    CHECK(wrong == 0);
    auto keys = f.keys();
    CHECK(keys.size() == model.size());
    if (type == TableType::ordered_set) {
      size_t i = 0;
      for (auto& [k, v] : model) wrong += keys[i++] != n(k);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("ets: buckets grow and shrink with the table") {
  Fixture f(TableType::set);
  auto& t = static_cast<HashTable&>(*f.t);
  const uint64_t small = t.buckets();
  for (int64_t k = 0; k < 20000; ++k) f.put(k, k);
  CHECK(t.buckets() > 10000);
  CHECK(t.stats().objects == 20000);
  CHECK(t.stats().longest < 20);
  for (int64_t k = 0; k < 20000; ++k) f.t->erase(n(k));
  CHECK(t.size() == 0);
  CHECK(t.buckets() == small + 2048);
  for (int64_t k = 0; k < 30000; ++k) f.put(k, k);
  CHECK(f.clear() == 30000);
  CHECK(t.buckets() == small);
  CHECK(f.t->first(f.h) == kNone);
}

TEST_CASE("ets: a fixed table keeps the place of what is deleted") {
  Fixture f(TableType::set);
  for (int64_t k = 0; k < 1000; ++k) f.put(k, k);
  f.t->fix();
  size_t seen = 0;
  for (Term k = f.t->first(f.h); k != kNone; k = f.t->next(f.h, k)) {
    f.t->erase(k);
    ++seen;
  }
  CHECK(seen == 1000);
  CHECK(f.t->size() == 0);
  f.put(5, 50);
  CHECK(f.lookup(n(5)) == "[{5,50}]");
  f.t->unfix();
  CHECK(f.t->size() == 1);
  CHECK(f.t->next(f.h, n(6)) == kBadarg);
  CHECK(f.keys().size() == 1);
}

TEST_CASE("ets: searches stop and go on") {
  for (TableType type : {TableType::set, TableType::ordered_set}) {
    Fixture f(type);
    for (int64_t k = 0; k < 500; ++k) f.put(k, k);
    Term spec_term =
        cons(f.h, tuple(f.h, am::underscore, kNil, cons(f.h, am::dollar_underscore, kNil)), kNil);
    MatchSpec* spec = MatchSpec::compile(spec_term);
    CHECK(spec->is_identity());
    SearchPlan plan(*spec, *f.t);
    CHECK(plan.kind() == SearchPlan::Kind::everything);
    Cursor cursor;
    size_t total = 0;
    for (bool more = true; more;) {
      Fixture::Collector c(f.h, Visitor::Verdict::keep);
      c.limit = 7;
      more = search(*f.t, plan, cursor, c, false);
      if (is_cons(c.list)) cursor.after = tuple_elements(head(c.list))[0];
      total += c.count;
    }
    CHECK(total == 500);
    spec->release();
  }
}

TEST_CASE("ets: a key that begins like the pattern bounds the search") {
  Fixture f(TableType::ordered_set);
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t j = 0; j < 20; ++j) f.put_tuple(tuple(f.h, tuple(f.h, n(i), n(j)), n(0)));
  f.put_tuple(tuple(f.h, tuple(f.h, n(7)), n(0)));
  f.put_tuple(tuple(f.h, n(7), n(0)));
  Term head = tuple(f.h, tuple(f.h, n(7), intern("$1")), am::underscore);
  MatchSpec* spec =
      MatchSpec::compile(cons(f.h, tuple(f.h, head, kNil, cons(f.h, am::true_, kNil)), kNil));
  SearchPlan plan(*spec, *f.t);
  CHECK(plan.kind() == SearchPlan::Kind::range);
  for (bool reverse : {false, true}) {
    Cursor cursor;
    cursor.reverse = reverse;
    Fixture::Collector c(f.h, Visitor::Verdict::keep);
    search(*f.t, plan, cursor, c, false);
    CHECK(c.count == 20);
    CHECK(to_text(wb::head(c.list)) == (reverse ? "{{7,0},0}" : "{{7,19},0}"));
  }
  spec->release();
}

TEST_CASE("ets: objects own what they refer to") {
  TestHeap h;
  Binary* b = new_binary(100);
  memset(b->data, 'x', 100);
  b->retain();
  {
    Fixture f(TableType::set);
    TestHeap mine;
    f.put_tuple(tuple(mine, n(1), wrap_binary(mine, b)));
    CHECK(b->refs.load() == 3);
    {
      TestHeap out;
      Fixture::Collector c(out, Visitor::Verdict::keep);
      f.t->visit_key(n(1), c, false);
      CHECK(b->refs.load() == 4);
    }
    CHECK(b->refs.load() == 3);
    f.t->erase(n(1));
    CHECK(b->refs.load() == 2);
  }
  CHECK(b->refs.load() == 1);
  b->release();
}

TEST_CASE("ets: threads insert, erase, look up and walk at once") {
  for (TableType type : {TableType::set, TableType::bag, TableType::ordered_set}) {
    Fixture f(type);
    std::vector<std::thread> threads;
    std::atomic<size_t> wrong{0};
    for (int id = 0; id < 4; ++id)
      threads.emplace_back([&, id] {
        for (int64_t i = 0; i < 4000; ++i) {
          TestHeap h;
          int64_t k = i * 4 + id;
          std::vector<TableObject*> one{f.t->make_object(tuple(h, n(k), n(id)))};
          f.t->insert(one, false);
          if (!f.t->member(n(k))) ++wrong;
          if (i % 2) f.t->erase(n(k));
          if (i % 500 == 0) {
            f.t->fix();
            Term last = kNone;
            for (Term key = f.t->first(h); key != kNone && key != kBadarg; key = f.t->next(h, key))
              last = key;
            if (last == kBadarg) ++wrong;
            f.t->unfix();
          }
        }
      });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(f.t->size() == 8000);
    CHECK(f.keys().size() == 8000);
  }
}
