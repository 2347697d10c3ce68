#include "term/record.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "term/atom.h"
#include "term/copy.h"
#include "term/external.h"
#include "term/hash.h"
#include "term/instance.h"
#include "term/map.h"
#include "term/order.h"
#include "term/print.h"
#include "term/test_heap.h"
#include "term/trie_hash.h"

using namespace wb;

namespace {

struct Field {
  const char* name;
  Term value;
};

Term record(Heap& h, const char* module, const char* name, bool exported,
            std::initializer_list<Field> fields) {
  Term *names, *values;
  const Term d = new_definition(h, intern(module), intern(name), exported, fields.size(), &names);
  for (const Field& f : fields) *names++ = intern(f.name);
  const Term t = new_record(h, d, &values);
  for (const Field& f : fields) *values++ = f.value;
  return t;
}

std::vector<uint8_t> encode(Term t) {
  std::vector<uint8_t> bytes;
  encode_term(t, {}, &bytes);
  return bytes;
}

constexpr Term kOne = make_small(1), kTwo = make_small(2);

/// The VM of these tests follows OTP 29.
struct Release29 {
  TermInstance instance;
  InstanceScope scope{instance};
  Release29() { instance.release = 29; }
};

}  // namespace

TEST_CASE("records: equality and order", "[record]") {
  TestHeap h;
  // Ascending: by module, name, whether exported, number of fields, names, values.
  const Term ascending[] = {
      tuple(h, kOne, kOne, kOne),
      record(h, "a", "p", false, {}),
      record(h, "a", "p", false, {{"f", kTwo}}),
      record(h, "a", "p", true, {}),
      record(h, "a", "p", true, {{"f", kOne}}),
      record(h, "a", "p", true, {{"f", kTwo}}),
      record(h, "a", "p", true, {{"g", kOne}}),
      record(h, "a", "p", true, {{"f", kOne}, {"g", kTwo}}),
      record(h, "a", "p", true, {{"g", kOne}, {"f", kOne}}),
      record(h, "a", "q", false, {}),
      record(h, "b", "a", false, {}),
      map_from_pairs(h, nullptr, 0),
  };
  const size_t n = std::size(ascending);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      INFO(to_text(ascending[i]) << " " << to_text(ascending[j]));
      const int c = compare(ascending[i], ascending[j]);
      CHECK((c < 0) == (i < j));
      CHECK((c == 0) == (i == j));
      CHECK(equal_exact(ascending[i], ascending[j]) == (i == j));
    }
  }
  const Term float_field = record(h, "a", "p", true, {{"f", make_float(h, 1)}});
  CHECK(compare(ascending[4], float_field) == 0);
  CHECK(!equal_exact(ascending[4], float_field));
}

TEST_CASE("records: equal ones have equal hashes, whatever they share", "[record]") {
  TestHeap h, other;
  const Term t = record(h, "m", "p", true, {{"a", kOne}, {"b", kTwo}});
  const Term copy = copy_term_deep(other, t);
  CHECK(definition_term(t) != definition_term(copy));
  CHECK(equal_exact(t, copy));
  CHECK(phash2(t) == phash2(copy));
  CHECK(map_hash(t) == map_hash(copy));
  // As OTP 29 hashes them.
  CHECK(phash2(record(h, "m", "p", true, {})) == 3784271813u);
  CHECK(phash2(record(h, "m", "p", false, {})) == 371004381u);
  CHECK(phash2(record(h, "m", "p", true, {{"a", kOne}})) == 3002349171u);
}

TEST_CASE("records: as text", "[record]") {
  TestHeap h;
  CHECK(to_text(record(h, "m", "p", true, {})) == "#m:p{}");
  const Term inner = record(h, "m", "p", true, {{"a", kOne}, {"B c", kNil}});
  CHECK(to_text(record(h, "M m", "p", true, {{"x", inner}, {"y", kTwo}})) ==
        "#'M m':p{x=#m:p{a=1,'B c'=[]},y=2}");
}

TEST_CASE("records: the external format, of OTP 29 only", "[record]") {
  TestHeap h;
  const Term t = record(h, "m", "p", true, {{"a", kOne}, {"b", record(h, "m", "q", false, {})}});
  std::vector<uint8_t> bytes;
  {
    Release29 release;
    bytes = encode(t);
    CHECK(external_size(t) == bytes.size());
    const Term back = decode_term(h, bytes.data(), bytes.size(), {});
    CHECK(equal_exact(t, back));
    for (size_t n = 0; n < bytes.size(); ++n) {
      CHECK(is_fault(decode_term(h, bytes.data(), n, {})));
    }
    auto damaged = bytes;
    damaged[6] = 2;  // neither exported nor not
    CHECK(is_fault(decode_term(h, damaged.data(), damaged.size(), {})));
    damaged = bytes;
    damaged[2] = damaged[3] = 0xff;  // fields
    CHECK(is_fault(decode_term(h, damaged.data(), damaged.size(), {})));
  }
  CHECK(is_fault(decode_term(h, bytes.data(), bytes.size(), {})));
}

TEST_CASE("records: what is a template", "[record]") {
  TestHeap h;
  Term* names;
  const Term d = new_definition(h, am::ok, am::error, false, 1, &names);
  *names = am::true_;
  CHECK(is_record_template(tuple(h, d, kNil)));
  CHECK(is_record_template(tuple(h, d, cons(h, kOne, kNil))));
  CHECK(!is_record_template(tuple(h, d)));
  CHECK(!is_record_template(tuple(h, d, kNil, kNil)));
  CHECK(!is_record_template(tuple(h, d, kOne)));
  CHECK(!is_record_template(tuple(h, am::ok, am::error)));
  CHECK(!is_record_template(d));
  CHECK(!is_record_template(kNil));
  *names = kOne;
  CHECK(!is_record_template(tuple(h, d, kNil)));
}
