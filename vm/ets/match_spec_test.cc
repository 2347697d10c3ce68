#include "vm/ets/match_spec.h"

#include <catch2/catch.hpp>

#include "term/atom.h"
#include "term/map.h"
#include "term/number.h"
#include "term/order.h"
#include "term/print.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

Term v(const char* text) { return intern(text); }
Term n(int64_t i) { return make_small(i); }

struct Bench {
  TestHeap h;
  std::vector<std::string> errors;

  template <class... T>
  Term t(T... e) {
    return tuple(h, e...);
  }
  template <class... T>
  Term list(T... e) {
    Term all[] = {e..., kNil};
    Term l = kNil;
    for (size_t i = sizeof...(e); i-- > 0;) l = cons(h, all[i], l);
    return l;
  }
  Term spec(Term head, Term guards, Term body) { return list(t(head, guards, body)); }

  /// The text of the result of running `spec` over `object`; "none" or the errors.
  std::string run(Term object, Term spec, bool copy = true) {
    errors.clear();
    MatchSpec* program = MatchSpec::compile(spec, MatchDialect::table, &errors);
    if (!program) return "error";
    match::Context context{.self = make_pid(7, 1), .node = am::nonode_at_nohost};
    Term r;
    TestHeap out;
    {
      Matcher m(*program, context);
      r = m.run(object, out, copy);
    }
    program->release();
    return r == kNone ? "none" : to_text(r);
  }
  std::string body(Term b) { return run(t(n(1), n(2)), spec(t(v("$1"), v("$2")), kNil, list(b))); }
  std::string guard(Term g) {
    return run(t(n(1), n(2)), spec(t(v("$1"), v("$2")), list(g), list(v("yes"))));
  }
};

}  // namespace

TEST_CASE("match: heads bind, compare and take apart") {
  Bench b;
  Term one_two = b.t(n(1), n(2));
  CHECK(b.run(one_two, b.spec(v("_"), kNil, b.list(v("$_")))) == "{1,2}");
  CHECK(b.run(one_two, b.spec(v("$1"), kNil, b.list(v("$$")))) == "[{1,2}]");
  CHECK(b.run(one_two, b.spec(b.t(v("$3"), v("$1")), kNil, b.list(v("$$")))) == "[2,1]");
  CHECK(b.run(one_two, b.spec(b.t(v("$1"), v("$1")), kNil, b.list(v("$_")))) == "none");
  CHECK(b.run(b.t(n(1), n(1)), b.spec(b.t(v("$1"), v("$1")), kNil, b.list(v("$_")))) == "{1,1}");
  CHECK(b.run(one_two, b.spec(b.t(v("$01"), v("_")), kNil, b.list(v("$_")))) == "none");
  CHECK(b.run(one_two, b.spec(v("foo"), kNil, b.list(v("$_")))) == "none");
  CHECK(b.run(one_two, b.spec(b.t(make_float(b.h, 1.0), v("_")), kNil, b.list(v("$_")))) == "none");
  Term nested = b.t(b.list(n(1), b.t(n(2)), n(3)), n(4));
  CHECK(b.run(nested, b.spec(b.t(b.list(v("_"), b.t(v("$1")), v("$2")), n(4)), kNil,
                             b.list(v("$$")))) == "[2,3]");
  CHECK(b.run(nested, b.spec(b.t(cons(b.h, v("_"), v("$1")), v("_")), kNil, b.list(v("$1")))) ==
        "[{2},3]");
}

TEST_CASE("match: maps in heads take some of the keys") {
  Bench b;
  Term pairs[] = {v("a"), n(1), v("b"), n(2)};
  Term object = b.t(map_from_pairs(b.h, pairs, 2));
  Term want_a[] = {v("a"), v("$1")};
  Term want_c[] = {v("c"), v("_")};
  Term want_var[] = {v("$1"), n(1)};
  CHECK(b.run(object, b.spec(b.t(map_from_pairs(b.h, want_a, 1)), kNil, b.list(v("$1")))) == "1");
  CHECK(b.run(object, b.spec(b.t(map_from_pairs(b.h, want_c, 1)), kNil, b.list(n(1)))) == "none");
  CHECK(b.run(object, b.spec(b.t(empty_map(b.h)), kNil, b.list(v("yes")))) == "yes");
  CHECK(b.run(object, b.spec(b.t(map_from_pairs(b.h, want_var, 1)), kNil, b.list(n(1)))) ==
        "error");
  CHECK(b.errors.at(0) == "Variable found in map key.");
}

TEST_CASE("match: bodies build terms, failing calls become 'EXIT'") {
  Bench b;
  CHECK(b.body(b.t(b.t(v("$2"), v("$1")))) == "{2,1}");
  CHECK(b.body(b.t(b.t())) == "{}");
  CHECK(b.body(cons(b.h, b.t(b.t(v("$1"))), v("$2"))) == "[{1}|2]");
  CHECK(b.body(b.t(am::const_, v("$1"))) == "'$1'");
  CHECK(b.body(b.t(v("+"), v("$1"), b.t(v("*"), v("$2"), n(10)))) == "21");
  CHECK(b.body(b.t(v("element"), n(7), v("$_"))) == "'EXIT'");
  CHECK(b.body(b.t(b.t(v("$1"), b.t(v("hd"), n(1))))) == "{1,'EXIT'}");
  Term pairs[] = {v("$1"), v("$2")};
  CHECK(b.body(map_from_pairs(b.h, pairs, 1)) == "#{1=>2}");
  CHECK(b.body(b.t(v("node"))) == "'nonode@nohost'");
  CHECK(b.body(b.t(v("bsl"), n(1), n(100))) == "1267650600228229401496703205376");
}

TEST_CASE("match: booleans as OTP has them") {
  Bench b;
  Term t = am::true_, f = am::false_;
  Term bad = b.t(v("hd"), n(1));
  CHECK(b.body(b.t(am::andalso, n(1), t)) == "'EXIT'");
  CHECK(b.body(b.t(am::andalso, t, n(1))) == "1");
  CHECK(b.body(b.t(am::andalso, f, bad)) == "false");
  CHECK(b.body(b.t(am::orelse, f, f, n(5))) == "5");
  CHECK(b.body(b.t(am::orelse, n(5), f)) == "'EXIT'");
  CHECK(b.body(b.t(am::orelse, b.t(am::andalso, t, f), v("foo"))) == "foo");
  CHECK(b.body(b.t(am::and_, t, t, t)) == "true");
  CHECK(b.body(b.t(am::and_, t, n(1))) == "'EXIT'");
  CHECK(b.body(b.t(am::or_, f, f, t)) == "true");
  CHECK(b.body(b.t(am::not_, b.t(am::orelse, b.t(am::andalso, t, f), t))) == "false");
  CHECK(b.guard(b.t(am::orelse, t, bad)) == "yes");
  CHECK(b.guard(b.t(am::or_, bad, t)) == "none");
  CHECK(b.guard(v("$1")) == "none");
  CHECK(b.guard(b.t(v("<"), v("$1"), v("$2"))) == "yes");
}

TEST_CASE("match: what is wrong with a specification") {
  Bench b;
  auto error = [&](Term spec) {
    CHECK(b.run(b.t(n(1), n(2)), spec) == "error");
    return b.errors.empty() ? std::string() : b.errors[0];
  };
  Term head = b.t(v("$1"), v("$2"));
  CHECK(error(kNil) == "Match programs are not in a list.");
  CHECK(error(b.list(v("foo"))) == "Match program part is not a tuple of arity 3.");
  CHECK(error(b.spec(head, kNil, kNil)) == "Body clause does not return anything.");
  CHECK(error(b.spec(head, v("foo"), b.list(n(1)))) == "Match expression is not a list.");
  CHECK(error(b.spec(head, kNil, b.list(v("$3")))) == "Variable $3 is unbound.");
  CHECK(error(b.spec(head, kNil, b.list(b.t(v("foo"), n(1))))) == "Function foo/1 does_not_exist.");
  CHECK(error(b.spec(head, kNil, b.list(b.t(n(1), n(2))))) ==
        "{1,2} is neither a function call, nor a tuple (tuples are written {{ ... }}).");
  CHECK(error(b.spec(head, kNil, b.list(b.t(v("message"), n(2))))) ==
        "Special form 'message' used in wrong dialect.");
  CHECK(error(b.spec(head, kNil, b.list(b.t(am::andalso)))) ==
        "Special form 'andalso' called without arguments in {andalso}.");
}

TEST_CASE("match: depth and length of a specification are no problem") {
  Bench b;
  Term deep = v("$1"), value = n(1), expression = v("$1");
  for (int i = 0; i < 100000; ++i) {
    deep = b.t(deep);
    value = b.t(value);
    expression = b.t(v("+"), expression, n(1));
  }
  CHECK(b.run(value, b.spec(deep, kNil, b.list(expression))) == "100001");
}

TEST_CASE("match: results are copies when asked for") {
  Bench b;
  Term object = b.t(n(1), b.list(n(2), n(3)));
  MatchSpec* program =
      MatchSpec::compile(b.spec(b.t(v("_"), v("$1")), kNil, b.list(b.t(b.t(v("$1"))))));
  Matcher m(*program, {});
  TestHeap out;
  Term copied = m.run(object, out, true), shared = m.run(object, out, false);
  CHECK(equal_exact(copied, shared));
  CHECK(tuple_elements(copied)[0] != tuple_elements(object)[1]);
  CHECK(tuple_elements(shared)[0] == tuple_elements(object)[1]);
  CHECK(!m.is_true(object));
  program->release();
}
