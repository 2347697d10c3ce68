#include "term/map.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "term/atom.h"
#include "term/hash_trie.h"
#include "term/order.h"
#include "term/test_heap.h"
#include "term/trie_hash.h"

using namespace wb;

namespace {

// Every rule of the representation; returns the number of keys below a node at `level`.
size_t check_trie(Term t, int level) {
  if (is_cons(t)) return 1;
  trie::Node n = trie::node(t);
  CHECK((level == trie::kLevels) == (n.bitmap == 0));
  if (level < trie::kLevels) CHECK(n.count == unsigned(__builtin_popcount(n.bitmap)));
  size_t keys = 0;
  for (unsigned i = 0; i < n.count; ++i) {
    Term child = n.children[i];
    if (is_cons(child) && level < trie::kLevels) {
      unsigned d = trie::digit(trie_hash(head(child)), level);
      CHECK(n.child(d) == child);
    }
    keys += check_trie(child, level + 1);
  }
  if (level > 0) CHECK(keys > 1);
  return keys;
}

void check_map(Term m) {
  if (is_flatmap(m)) {
    CHECK(map_size(m) <= kMaxFlatMap);
    Term previous = kNone, key, value;
    for (MapIterator i(m); i.next(&key, &value); previous = key) {
      if (previous != kNone) CHECK(compare_keys(previous, key) < 0);
    }
  } else {
    CHECK(map_size(m) > kMaxFlatMap);
    CHECK(check_trie(m, 0) == map_size(m));
  }
}

Term from_model(Heap& h, const std::map<int, int>& model, Term (*key)(Heap&, int)) {
  std::vector<Term> pairs;
  for (auto [k, v] : model) pairs.insert(pairs.end(), {key(h, k), make_small(v)});
  return map_from_pairs(h, pairs.data(), model.size());
}

Term small_key(Heap&, int k) { return make_small(k); }
Term atom_key(Heap&, int k) { return intern("key_" + std::to_string(k)); }
Term tuple_key(Heap& h, int k) { return tuple(h, make_small(k / 7), make_small(k % 7)); }
Term float_key(Heap& h, int k) { return k % 2 ? make_float(h, k) : make_small(k); }
/// Tuples that differ first in integers, atoms, tuples, sizes and in what is none of these.
Term variable_key(Heap& h, int k) {
  const Term v = intern("v"), n = make_small(k), name = intern("n" + std::to_string(k / 8));
  switch (k % 8) {
    case 0:
      return tuple(h, v, n);
    case 1:
      return tuple(h, v, name);
    case 2:
      return tuple(h, v, tuple(h, name, n));
    case 3:
      return tuple(h, v, name, n);
    case 4:
      return tuple(h, v, make_float(h, k));
    case 5:
      return tuple(h, v, cons(h, n, kNil), n);
    case 6:
      return tuple(h, tuple(h, v, n), name);
    default:
      return name;
  }
}

void random_model(Term (*key)(Heap&, int), int range, int steps, uint32_t seed) {
  TestHeap h;
  std::mt19937 random(seed);
  std::map<int, int> model;
  Term m = empty_map(h);
  for (int step = 0; step < steps; ++step) {
    int k = static_cast<int>(random() % static_cast<unsigned>(range));
    bool grow = (step / range) % 2 == 0;
    if (random() % 4 != (grow ? 0u : 1u) && grow) {
      m = map_put(h, m, key(h, k), make_small(step));
      model[k] = step;
    } else {
      Term before = m;
      m = map_remove(h, m, key(h, k));
      if (model.erase(k) == 0) CHECK(m == before);
    }
    CHECK(map_size(m) == model.size());
    int other = static_cast<int>(random() % static_cast<unsigned>(range));
    Term found = map_get(m, key(h, other));
    CHECK(found == (model.count(other) ? make_small(model[other]) : kNone));
    if (step % 41 == 0) {
      check_map(m);
      CHECK(equal_exact(m, from_model(h, model, key)));  // canonical
      size_t pairs = 0;
      Term k2, v2;
      for (MapIterator i(m); i.next(&k2, &v2);) ++pairs;
      CHECK(pairs == model.size());
    }
  }
}

}  // namespace

TEST_CASE("maps behave like std::map") {
  random_model(small_key, 40, 2000, 1);
  random_model(small_key, 500, 4000, 2);
  random_model(atom_key, 70, 1500, 3);
  random_model(tuple_key, 200, 2000, 4);
  random_model(float_key, 60, 1500, 5);
  random_model(variable_key, 40, 3000, 6);
  random_model(variable_key, 90, 3000, 7);
}

TEST_CASE("the border between 32 and 33 keys") {
  TestHeap h;
  std::map<int, int> model;
  for (int i = 0; i < 32; ++i) model[i] = i;
  Term flat = from_model(h, model, small_key);
  CHECK(is_flatmap(flat));
  Term trie = map_put(h, flat, make_small(99), am::ok);
  CHECK(is_hashmap(trie));
  Term back = map_remove(h, trie, make_small(99));
  CHECK(is_flatmap(back));
  CHECK(equal_exact(back, flat));
}

TEST_CASE("what changes nothing returns the same map") {
  TestHeap h;
  std::map<int, int> model;
  for (int i = 0; i < 100; ++i) model[i] = i;
  Term m = from_model(h, model, small_key);
  CHECK(map_put(h, m, make_small(5), make_small(5)) == m);
  CHECK(map_remove(h, m, am::ok) == m);
  CHECK(map_merge(h, m, m) == m);
}

TEST_CASE("putting pairs at once is putting one after the other") {
  TestHeap h;
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    std::map<int, int> model;
    for (unsigned i = random() % 40; i > 0; --i) model[int(random() % 45)] = 0;
    Term m = from_model(h, model, tuple_key);
    std::vector<Term> pairs;
    for (unsigned i = random() % 12; i > 0; --i) {
      int k = int(random() % 45), v = int(random() % 5);
      pairs.insert(pairs.end(), {tuple_key(h, k), make_small(v)});
      model[k] = v;
    }
    Term put = map_put_pairs(h, m, pairs.data(), pairs.size() / 2);
    check_map(put);
    CHECK(equal_exact(put, from_model(h, model, tuple_key)));
  }
}

TEST_CASE("a later duplicate wins") {
  TestHeap h;
  std::vector<Term> pairs;
  for (int i = 0; i < 100; ++i) pairs.insert(pairs.end(), {make_small(i % 40), make_small(i)});
  for (size_t n : {20, 33, 45, 100}) {
    Term m = map_from_pairs(h, pairs.data(), n);
    check_map(m);
    CHECK(map_size(m) == std::min<size_t>(n, 40));
    for (size_t i = 0; i < n; ++i) {
      size_t last = i;
      while (last + 40 < n) last += 40;
      CHECK(map_get(m, pairs[2 * i]) == make_small(static_cast<int64_t>(last)));
    }
  }
}

TEST_CASE("merging is putting all of the second into the first") {
  TestHeap h;
  std::mt19937 random(7);
  for (int sizes : {0, 5, 31, 40, 300})
    for (int other : {0, 5, 31, 40, 300}) {
      std::map<int, int> x, y;
      while (static_cast<int>(x.size()) < sizes) x[static_cast<int>(random() % 400)] = 1;
      while (static_cast<int>(y.size()) < other) y[static_cast<int>(random() % 400)] = 2;
      Term merged = map_merge(h, from_model(h, x, tuple_key), from_model(h, y, tuple_key));
      std::map<int, int> both = y;
      both.insert(x.begin(), x.end());
      check_map(merged);
      CHECK(equal_exact(merged, from_model(h, both, tuple_key)));
    }
}

TEST_CASE("an iterator over a trie may start at any hash") {
  TestHeap h;
  std::map<int, int> model;
  for (int i = 0; i < 500; ++i) model[i] = i;
  Term m = from_model(h, model, small_key);
  std::vector<Term> keys;
  Term key, value;
  for (MapIterator i(m); i.next(&key, &value);) keys.push_back(key);
  for (size_t k = 0; k < keys.size(); ++k) {
    uint32_t hash = trie_hash(keys[k]);
    MapIterator at = MapIterator::from_hash(m, hash), behind = MapIterator::from_hash(m, hash + 1);
    CHECK((at.next(&key, &value) && key == keys[k]));
    bool more = behind.next(&key, &value);
    CHECK(more == (k + 1 < keys.size()));
    if (more) CHECK(key == keys[k + 1]);
  }
  MapIterator all = MapIterator::from_hash(m, 0);
  CHECK((all.next(&key, &value) && key == keys[0]));
}

// Two sets of five small integers with one hash each.
TEST_CASE("keys whose hashes are the same, and duplicates of them") {
  TestHeap h;
  constexpr int64_t kAlike[] = {16483091, 44037551,  92086867,  164043309, 185708676,
                                20699734, 121996385, 126856425, 154806812, 207899638};
  std::mt19937 random(3);
  for (size_t n : {34, 60, 511, 512, 513, 3000, 70000}) {
    std::map<int64_t, int64_t> model;
    std::vector<Term> pairs;
    for (size_t i = 0; i < n; ++i) {
      const bool alike = random() % 8 < 6;
      const int64_t key =
          alike ? kAlike[random() % std::size(kAlike)] : int64_t(random() % (2 * n));
      pairs.insert(pairs.end(), {make_small(key), make_small(static_cast<int64_t>(i))});
      model[key] = static_cast<int64_t>(i);
    }
    for (int64_t i = 0; i < 33; ++i) {
      pairs.insert(pairs.end(), {make_small(-i), make_small(i)});
      model[-i] = i;
    }
    Term m = map_from_pairs(h, pairs.data(), pairs.size() / 2);
    check_map(m);
    CHECK(map_size(m) == model.size());
    for (auto [key, value] : model) CHECK(map_get(m, make_small(key)) == make_small(value));
    Term one_by_one = empty_map(h);
    for (size_t i = 0; i < pairs.size(); i += 2)
      one_by_one = map_put(h, one_by_one, pairs[i], pairs[i + 1]);
    CHECK(equal_exact(m, one_by_one));
  }
}
