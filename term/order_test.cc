#include "term/order.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "term/atom.h"
#include "term/binary.h"
#include "term/map.h"
#include "term/number.h"
#include "term/test_funs.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

Term s(int64_t v) { return make_small(v); }
Term a(const char* text) { return intern(text); }

struct Terms {
  TestHeap h;
  Term f(double d) { return make_float(h, d); }
  Term list(std::initializer_list<Term> elements, Term rest = kNil) {
    for (auto p = elements.end(); p != elements.begin();) rest = cons(h, *--p, rest);
    return rest;
  }
  Term map(std::initializer_list<Term> pairs) {
    return map_from_pairs(h, pairs.begin(), pairs.size() / 2);
  }
  Term bits(std::initializer_list<uint8_t> bytes, size_t n) {
    return make_bitstring(h, bytes.begin(), 0, n);
  }
  Term ref(uint32_t n0, uint32_t n1, uint32_t n2) {
    Term* p = h.alloc(3);
    p[0] = make_header(Kind::ref, 2);
    p[1] = n0 | Word{n1} << 32;
    p[2] = n2;
    return make_boxed(p);
  }
  Term external(Kind kind, const char* node, uint32_t creation, Word data) {
    Term* p = h.alloc(4);
    p[0] = make_header(kind, 3, kind == Kind::ext_ref);  // of a reference: one number
    p[3] = data;
    own_node(h, p, {a(node), creation});
    return make_boxed(p);
  }
  // A map of 40 keys 1..40 that all have `value`, and key => value besides.
  Term big_map(Term value, Term key, Term key_value) {
    std::vector<Term> pairs;
    for (int i = 1; i <= 40; ++i) pairs.insert(pairs.end(), {s(i), value});
    pairs.insert(pairs.end(), {key, key_value});
    return map_from_pairs(h, pairs.data(), pairs.size() / 2);
  }
};

void check_ascending(const std::vector<Term>& terms, int (*cmp)(Term, Term)) {
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t j = 0; j < terms.size(); ++j) {
      INFO(i << " and " << j);
      int c = cmp(terms[i], terms[j]);
      CHECK((c < 0) == (i < j));
      CHECK((c > 0) == (i > j));
    }
}

}  // namespace

TEST_CASE("types are ordered, and terms within them") {
  TestFuns funs;
  Terms t;
  Term* e = t.h.alloc(2);
  e[0] = make_header(Kind::export_fun, 1);
  e[1] = reinterpret_cast<Word>(funs.export_entry(a("lists"), a("map"), 2));
  check_ascending({s(-5),
                   t.f(-1.5),
                   s(0),
                   s(1),
                   t.f(1.5),
                   a(""),
                   a("a"),
                   a("b"),
                   t.external(Kind::ext_ref, "a@b", 1, 5),
                   t.ref(4, 0, 0),
                   t.ref(3, 2, 1),
                   t.ref(1, 1, 2),
                   make_boxed(e),
                   t.external(Kind::ext_port, "a@b", 1, 5),
                   make_port(4),
                   make_pid(1, 0),
                   make_pid(2, 0),
                   make_pid(32767, 0),
                   make_pid(1, 1),
                   tuple(t.h),
                   tuple(t.h, s(5)),
                   tuple(t.h, s(0), s(0)),
                   t.map({}),
                   t.map({s(1), s(1)}),
                   kNil,
                   t.list({s(1)}, s(2)),
                   t.list({s(1)}),
                   t.list({s(2)}),
                   t.bits({}, 0),
                   t.bits({0}, 8),
                   t.bits({0, 0}, 16),
                   t.bits({1, 2}, 16),
                   t.bits({2}, 8),
                   t.bits({0x80}, 1),
                   t.bits({255}, 8)},
                  compare);
}

TEST_CASE("1 equals 1.0 but not exactly") {
  Terms t;
  CHECK(equal(s(1), t.f(1.0)));
  CHECK_FALSE(equal_exact(s(1), t.f(1.0)));
  CHECK(equal(tuple(t.h, s(1)), tuple(t.h, t.f(1.0))));
  CHECK(equal(t.list({s(1)}), t.list({t.f(1.0)})));
  CHECK(equal_exact(t.f(0.0), t.f(-0.0)));
  CHECK(equal(t.map({a("a"), s(1)}), t.map({a("a"), t.f(1.0)})));
  CHECK_FALSE(equal_exact(t.map({a("a"), s(1)}), t.map({a("a"), t.f(1.0)})));
  CHECK_FALSE(equal(t.map({s(1), a("a")}), t.map({t.f(1.0), a("a")})));
}

TEST_CASE("0.0 and -0.0 are two values since OTP 27, and one number") {
  TermInstance instance;
  InstanceScope scope(instance);
  instance.release = 27;
  Terms t;
  const Term zero = t.f(0.0), minus = t.f(-0.0);
  CHECK_FALSE(equal_exact(zero, minus));
  CHECK(equal_exact(minus, t.f(-0.0)));
  CHECK(equal(zero, minus));
  CHECK(compare(zero, minus) == 0);
  CHECK_FALSE(equal(t.map({zero, s(1)}), t.map({minus, s(1)})));
  CHECK(compare(t.map({minus, s(1)}), t.map({zero, s(1)})) < 0);
  CHECK(map_size(t.map({zero, s(1), minus, s(2)})) == 2);
}

TEST_CASE("keys: every integer before every float, at any depth") {
  Terms t;
  check_ascending({s(-3), s(2), t.f(-7.0), t.f(0.5), t.f(1.0), a("a"), tuple(t.h, s(2)),
                   tuple(t.h, t.f(1.0)), t.list({s(1)}), t.list({s(2)}), t.list({t.f(1.0)})},
                  compare_keys);
}

TEST_CASE("maps: size, then keys, then values") {
  Terms t;
  auto less = [](Term x, Term y) { return compare(x, y) < 0 && compare(y, x) > 0; };
  CHECK(less(t.map({a("a"), s(2), a("b"), s(1)}), t.map({a("a"), s(1), a("c"), s(1)})));
  CHECK_FALSE(less(t.map({a("b"), s(0)}), t.map({a("a"), s(1)})));
  CHECK(less(t.map({s(1), a("x")}), t.map({t.f(1.0), a("y")})));
  CHECK_FALSE(less(t.map({t.f(1.0), a("a")}), t.map({s(2), a("a")})));
  CHECK(less(t.map({a("a"), t.f(1.0), a("b"), s(2)}), t.map({a("a"), s(1), a("b"), s(3)})));
}

TEST_CASE("large maps are ordered by the same rules") {
  Terms t;
  Term m = t.big_map(s(0), s(50), s(1));
  CHECK(compare(m, t.big_map(s(0), s(50), t.f(1.0))) == 0);
  CHECK(equal(m, t.big_map(s(0), s(50), t.f(1.0))));
  CHECK(equal(m, t.big_map(t.f(0.0), s(50), t.f(1.0))));
  CHECK_FALSE(equal_exact(m, t.big_map(s(0), s(50), t.f(1.0))));
  CHECK(compare(m, t.big_map(s(9), s(49), s(1))) > 0);  // the keys decide before the values
  CHECK(compare(m, t.big_map(s(-9), t.f(0.5), s(1))) < 0);
  CHECK(compare(m, t.big_map(s(1), s(50), s(0))) < 0);  // key 1 before key 50
  CHECK(compare(m, t.big_map(s(0), s(50), s(0))) > 0);
  CHECK(compare_keys(m, t.big_map(s(0), s(50), t.f(1.0))) < 0);
}

TEST_CASE("tries as keys of tries, deeply: no recursion") {
  Terms t;
  Term x = s(1), y = s(2);
  for (int depth = 0; depth < 300; ++depth) {
    x = t.big_map(a("v"), tuple(t.h, x), a("v"));
    y = t.big_map(a("v"), tuple(t.h, y), a("v"));
  }
  CHECK(compare(x, y) < 0);
  CHECK(compare(y, x) > 0);
  CHECK_FALSE(equal(x, y));
}

TEST_CASE("terms deeper than the C stack") {
  Terms t;
  Term x = s(1), y = t.f(1.0);
  for (int depth = 0; depth < 300000; ++depth) {
    x = depth % 2 ? tuple(t.h, x) : cons(t.h, x, kNil);
    y = depth % 2 ? tuple(t.h, y) : cons(t.h, y, kNil);
  }
  CHECK(equal(x, y));
  CHECK_FALSE(equal_exact(x, y));
  CHECK(compare(x, y) == 0);
  CHECK(compare_keys(x, y) < 0);
}

TEST_CASE("what is too deep for recursion is looked at later, all of it") {
  for (int differs = 0; differs < 5; ++differs) {
    Terms t;
    // A hundred branches, each deep, in whose ends 2 and 2.0 stand, and in one of them 3.
    auto make = [&](bool other) {
      Term branches[100];
      for (int k = 0; k < 100; ++k) {
        const bool here = other && k == differs * 24;
        Term x = here && differs % 2 ? s(3) : here ? t.f(2.0) : s(2);
        for (int depth = 0; depth < 150 + k; ++depth)
          x = depth % 3 == 0   ? tuple(t.h, x, s(depth))
              : depth % 3 == 1 ? cons(t.h, x, s(depth))
                               : t.map({a("k"), x});
        branches[k] = x;
      }
      Term all = kNil;
      for (Term x : branches) all = cons(t.h, x, all);
      return all;
    };
    const Term one = make(false), same = make(false), other = make(true);
    CHECK(equal_exact(one, same));
    CHECK(equal(one, same));
    CHECK_FALSE(equal_exact(one, other));
    CHECK(equal(one, other) == (differs % 2 == 0));
  }
}

TEST_CASE("pids compare by data first, ports and references by node first") {
  Terms t;
  auto pid = [&](const char* node, uint32_t creation, uint32_t id, Word serial) {
    return t.external(Kind::ext_pid, node, creation, id | serial << 32);
  };
  CHECK(compare(pid("a@b", 1, 5, 0), pid("z@b", 1, 4, 0)) > 0);
  CHECK(compare(pid("a@b", 1, 5, 0), pid("a@b", 2, 5, 0)) < 0);
  CHECK(compare(pid("a@b", 2, 5, 0), pid("b@b", 1, 5, 0)) < 0);
  CHECK(compare(pid("a@b", 1, 5, 0), make_pid(5, 0)) < 0);
  CHECK(compare(pid("z@b", 1, 5, 0), make_pid(5, 0)) > 0);
  CHECK(compare(t.external(Kind::ext_port, "a@b", 1, 5), t.external(Kind::ext_port, "z@b", 1, 4)) <
        0);
  CHECK(equal_exact(pid("a@b", 1, 5, 0), pid("a@b", 1, 5, 0)));
  CHECK_FALSE(equal_exact(pid("a@b", 1, 5, 0), make_pid(5, 0)));
}
