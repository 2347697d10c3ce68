#include "vm/ets/order_index.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>

#include "term/order.h"
#include "term/test_heap.h"

using namespace wb;

namespace {
struct Less {
  bool operator()(Term a, Term b) const { return compare(a, b) < 0; }
};

/// An index of objects {Key}, and what it is to hold.
struct Fixture {
  OrderIndex index;
  OrderIndex::Place finger;
  std::map<Term, TableObject*, Less> model;  // by the key of the object
  TableObject* head;

  Fixture() {
    Term empty = make_header(Kind::tuple, 0);
    head = new_object(make_boxed(&empty));
    head->prev = head;
  }
  ~Fixture() {
    for (auto& [key, o] : model) free_object(o);
    free_object(head);
  }
  static TableObject* object(Term key) {
    Term words[2] = {make_header(Kind::tuple, 1), key};
    return new_object(make_boxed(words));
  }
  void put(Term key) {
    TableObject* o = object(key);
    if (index.locate(key, finger)) {
      TableObject* old = finger.object();
      REQUIRE(model.count(key));
      REQUIRE(model[key] == old);
      o->prev = old->prev, o->next = old->next;
      o->prev->next = o;
      (o->next ? o->next : head)->prev = o;
      index.replace(finger, o->key(1), o);
      model.erase(key);
      free_object(old);
    } else {
      REQUIRE_FALSE(model.count(key));
      TableObject* before = finger.object_before();
      o->prev = before ? before : head;
      o->next = o->prev->next;
      o->prev->next = o;
      (o->next ? o->next : head)->prev = o;
      index.insert(finger, o->key(1), o);
    }
    model[o->key(1)] = o;
  }
  void remove(Term key) {
    auto it = model.find(key);
    REQUIRE(index.locate(key, finger) == (it != model.end()));
    if (it == model.end()) return;
    TableObject* o = finger.object();
    REQUIRE(o == it->second);
    o->prev->next = o->next;
    (o->next ? o->next : head)->prev = o->prev;
    index.erase(finger);
    model.erase(it);
    free_object(o);
  }
  void check(Term key) {
    auto it = model.find(key);
    CHECK(index.find(key) == (it == model.end() ? nullptr : it->second));
    auto above = model.lower_bound(key);
    TableObject* last = index.last([=](Term k) { return compare(k, key) < 0; });
    CHECK(last == (above == model.begin() ? nullptr : std::prev(above)->second));
  }
  void check_all() {
    REQUIRE(index.is_sound());
    TableObject* o = head->next;
    for (auto& [key, object] : model) {
      REQUIRE(o == object);
      REQUIRE(index.find(key) == object);
      o = o->next;
    }
    REQUIRE(o == nullptr);
  }
};
}  // namespace

TEST_CASE("ets: an index holds what a map of the standard library does") {
  for (unsigned kind = 0; kind < 4; ++kind) {
    TestHeap heap;
    std::vector<Term> keys;
    for (int64_t i = 0; i < 3000; ++i) {
      const Term n = make_small(i - 1500);
      switch (kind == 3 ? i % 3 : kind) {
        case 0:
          keys.push_back(n);
          break;
        case 1:
          keys.push_back(make_float(heap, static_cast<double>(i / 2)));
          break;
        default:
          keys.push_back(tuple(heap, n, make_small(i)));
          break;
      }
    }
    std::mt19937 random(kind + 1);
    Fixture f;
    auto any = [&] { return keys[random() % keys.size()]; };
    for (int phase = 0; phase < 12; ++phase) {
      const unsigned puts = phase % 3 == 0 ? 9 : phase % 3 == 1 ? 5 : 1;  // of ten
      for (int k = 0; k < 3000; ++k) {
        const Term key = any();
        if (random() % 10 < puts)
          f.put(key);
        else
          f.remove(key);
        if (k % 16 == 0) f.check(any());
      }
      f.check_all();
    }
    for (Term key : keys) f.remove(key);
    f.check_all();
    CHECK(f.model.empty());
  }
}

TEST_CASE(
    "ets: keys in their order fill the nodes of an index, either way and over the same place") {
  Fixture f;
  for (int64_t i = 0; i < 20000; ++i) f.put(make_small(i));
  f.check_all();
  CHECK(f.index.bytes() < 20000 * sizeof(OrderIndex::Node) / 30);
  for (int64_t i = 0; i > -5000; --i) f.put(make_small(i));
  for (int64_t i = 0; i < 20000; i += 3) f.put(make_small(i));
  f.check_all();
  for (int64_t i = -5000; i < 20000; ++i)
    if (i % 64) f.remove(make_small(i));
  f.check_all();
  CHECK(f.index.bytes() < 80 * sizeof(OrderIndex::Node));
  for (int64_t i = 0; i < 3000; ++i) f.put(make_small(i * 7 % 3001));
  f.check_all();
}
