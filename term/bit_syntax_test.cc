#include "term/bit_syntax.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "term/number.h"
#include "term/test_heap.h"

using namespace wb;

namespace {
Term bin(Heap& h, std::initializer_list<uint8_t> bytes) {
  return make_binary(h, std::data(bytes), bytes.size());
}
MatchContext* ctx_of(Heap& h, Term t) { return match_context(start_match(h, t)); }

std::string text(Term t) {
  ByteView v(t);
  return std::string(reinterpret_cast<const char*>(v.data()), v.size());
}
Term append_text(Heap& h, Term acc, const char* s) {
  BitWriter w;
  Term t = append_start(h, acc, 8 * strlen(s), 1, false, &w);
  w.put_string(reinterpret_cast<const uint8_t*>(s), 8 * strlen(s));
  return t;
}
}  // namespace

TEST_CASE("integers match and are built in every endianness", "[bits]") {
  TestHeap h;
  MatchContext* c = ctx_of(h, bin(h, {0x12, 0x34, 0xff, 0x80, 0, 1}));
  CHECK(get_integer(h, c, 16, false, false) == make_small(0x1234));
  CHECK(get_integer(h, c, 4, false, true) == make_small(-1));
  CHECK(get_integer(h, c, 12, true, false) ==
        integer_from_bits(h, base_bytes(c->base) + 2, 4, 12, true, false));
  CHECK(get_integer(h, c, 16, true, false) == make_small(0x100));
  CHECK(match_left(c) == 0);
  CHECK(get_integer(h, c, 1, false, false) == kNone);
  CHECK(get_integer(h, c, 0, false, true) == make_small(0));

  BitWriter w;
  Term t = new_bitstring(h, 3 + 16 + 5 + 70, &w);
  CHECK(w.put_integer(make_small(-1), 3, false) == kNone);
  CHECK(w.put_integer(make_small(0x0102), 16, true) == kNone);
  CHECK(w.put_integer(make_small(1), 5, false) == kNone);
  CHECK(w.put_integer(make_small(-2), 70, false) == kNone);
  CHECK(w.put_integer(am::ok, 8, false) == am::type);
  CHECK(w.left() == 0);
  c = ctx_of(h, t);
  CHECK(get_integer(h, c, 3, false, false) == make_small(7));
  CHECK(get_integer(h, c, 16, false, false) == make_small(0x0201));
  CHECK(get_integer(h, c, 5, false, false) == make_small(1));
  CHECK(get_integer(h, c, 70, false, true) == make_small(-2));
}

TEST_CASE("floats of three sizes", "[bits]") {
  TestHeap h;
  CHECK(float_to_bits(65519.0, 16) == 0x7bff);
  CHECK(float_to_bits(65520.0, 16) == 0x7c00);
  CHECK(float_to_bits(1 + std::ldexp(1, -11), 16) == 0x3c00);
  CHECK(float_to_bits(1 + std::ldexp(1, -11) + std::ldexp(1, -40), 16) == 0x3c01);  // one rounding
  CHECK(float_to_bits(std::ldexp(1, -25), 16) == 0);
  CHECK(float_to_bits(std::ldexp(1.5, -25), 16) == 1);
  CHECK(float_to_bits(-0.0, 16) == 0x8000);
  CHECK(float_to_bits(1e300, 32) == 0x7f800000);
  for (uint32_t i = 0; i < 0x10000; ++i) {
    if ((i & 0x7c00) != 0x7c00 && float_to_bits(float_from_bits(i, 16), 16) != i) CHECK(i == 0);
  }
  BitWriter w;
  Term t = new_bitstring(h, 1 + 64 + 32 + 16, &w);
  w.put_integer(make_small(1), 1, false);
  CHECK(w.put_float(make_float(h, 1.5), 64, true) == kNone);
  CHECK(w.put_float(make_small(-3), 32, false) == kNone);
  CHECK(w.put_float(make_float(h, 0.1), 17, false) == am::invalid);
  CHECK(w.put_float(am::ok, 16, false) == am::type);
  CHECK(w.put_float(make_float(h, 0.5), 16, true) == kNone);
  MatchContext* c = ctx_of(h, t);
  match_skip(c, 1);
  CHECK(float_value(get_float(h, c, 64, true)) == 1.5);
  CHECK(float_value(get_float(h, c, 32, false)) == -3.0);
  CHECK(get_float(h, c, 17, false) == kNone);
  CHECK(float_value(get_float(h, c, 16, true)) == 0.5);
  c = ctx_of(h, bin(h, {0x7f, 0xf0, 0, 0, 0, 0, 0, 0}));
  CHECK(get_float(h, c, 64, false) == kNone);
  CHECK(match_left(c) == 64);
}

TEST_CASE("utf-8 accepts every character and nothing else", "[bits]") {
  TestHeap h;
  for (uint32_t c = 0; c <= 0x110000; c += c < 0x3000 ? 1 : 61) {
    size_t n = 0;
    bool ok = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
    if ((utf8_bits(make_small(c), &n) == kNone) != ok) CHECK(c == 0);
    if (!ok) continue;
    BitWriter w;
    Term t = new_bitstring(h, n + 3, &w);
    w.put_integer(make_small(5), 3, false);
    w.put_utf8(make_small(c));
    MatchContext* ctx = ctx_of(h, t);
    match_skip(ctx, 3);
    if (get_utf8(ctx) != make_small(c) || match_left(ctx) != 0) CHECK(c == 0);
  }
  auto bad = [&](std::initializer_list<uint8_t> bytes) {
    MatchContext* ctx = ctx_of(h, bin(h, bytes));
    return get_utf8(ctx) == kNone && match_left(ctx) == bytes.size() * 8;
  };
  CHECK(bad({}));
  CHECK(bad({0x80}));
  CHECK(bad({0xc0, 0x80}));
  CHECK(bad({0xc1, 0xbf}));
  CHECK(bad({0xe0, 0x9f, 0xbf}));
  CHECK(bad({0xed, 0xa0, 0x80}));
  CHECK(bad({0xf0, 0x8f, 0xbf, 0xbf}));
  CHECK(bad({0xf4, 0x90, 0x80, 0x80}));
  CHECK(bad({0xf5, 0x80, 0x80, 0x80}));
  CHECK(bad({0xe2, 0x82}));
  CHECK(bad({0xe2, 0x82, 0x41}));
}

TEST_CASE("utf-16 and utf-32", "[bits]") {
  TestHeap h;
  BitWriter w;
  Term t = new_bitstring(h, 16 + 32 + 32, &w);
  w.put_utf16(make_small(0x20ac), true);
  w.put_utf16(make_small(0x1f600), false);
  w.put_utf32(make_small(0x1f600), true);
  CHECK(text(t) == std::string("\xac\x20\xd8\x3d\xde\x00\x00\xf6\x01\x00", 10));
  MatchContext* c = ctx_of(h, t);
  CHECK(get_utf16(c, true) == make_small(0x20ac));
  CHECK(get_utf16(c, false) == make_small(0x1f600));
  CHECK(get_utf32(c, false) == kNone);
  CHECK(get_utf32(c, true) == make_small(0x1f600));
  CHECK(get_utf16(ctx_of(h, bin(h, {0xdc, 0, 0xdc, 0})), false) == kNone);
  CHECK(get_utf16(ctx_of(h, bin(h, {0xd8, 0, 0, 0x41})), false) == kNone);
  CHECK(get_utf16(ctx_of(h, bin(h, {0xd8, 0})), false) == kNone);
  CHECK(get_utf32(ctx_of(h, bin(h, {0, 0, 0xd8, 0})), false) == kNone);
  CHECK(get_utf32(ctx_of(h, bin(h, {0, 0x11, 0, 0})), false) == kNone);
  CHECK(w.put_utf16(make_small(0xd800), false) == am::type);
}

TEST_CASE("sizes", "[bits]") {
  size_t bits = 8;
  CHECK(segment_bits(make_small(3), 8, &bits) == kNone);
  CHECK(bits == 32);
  CHECK(segment_bits(make_small(-1), 8, &bits) == am::size);
  CHECK(segment_bits(am::ok, 8, &bits) == am::size);
  CHECK(segment_bits(make_small(int64_t{1} << 58), 64, &bits) == am::system_limit);
  CHECK(!match_bits(make_small(-1), 1, &bits));
  CHECK(match_bits(make_small(7), 2, &bits));
  CHECK(bits == 14);
}

TEST_CASE("strings, rests, tails", "[bits]") {
  TestHeap h;
  Term t = make_binary(h, "hello world");
  MatchContext* c = ctx_of(h, t);
  CHECK(match_string(c, reinterpret_cast<const uint8_t*>("hello"), 40));
  CHECK(!match_string(c, reinterpret_cast<const uint8_t*>("hello"), 40));
  CHECK(text(match_tail(h, c)) == " world");
  CHECK(match_whole(h, c) == t);
  CHECK(match_skip(c, 3));
  CHECK(get_rest(h, c, 8) == kNone);
  Term rest = get_rest(h, c, 1);
  CHECK(bit_size(rest) == 45);
  CHECK(start_match(h, make_small(1)) == kNone);
  c = ctx_of(h, rest);
  CHECK(get_integer(h, c, 5, false, false) == make_small(0));
  CHECK(text(get_rest(h, c, 8)) == "world");
}

TEST_CASE("appending is in place for the owner of the room only", "[bits]") {
  TestHeap h;
  Term a = append_text(h, make_binary(h, "abc"), "def");
  const uint8_t* bytes = bits_of(a).bytes;
  Term b = append_text(h, a, "ghi");
  CHECK(bits_of(b).bytes == bytes);
  Term other = append_text(h, a, "XYZ");  // a no longer owns the room
  CHECK(bits_of(other).bytes != bytes);
  CHECK(text(a) == "abcdef");
  CHECK(text(b) == "abcdefghi");
  CHECK(text(other) == "abcdefXYZ");

  Binary* shared = refc_bin::object(boxed_ptr(sub_bin::base(boxed_ptr(b))));
  shared->retain();  // somebody else looks at it
  Term copy = append_text(h, b, "!");
  CHECK(bits_of(copy).bytes != bytes);
  shared->release();

  BitWriter w;
  CHECK(append_start(h, am::ok, 8, 1, false, &w) == kBadarg);
  CHECK(append_start(h, a, SIZE_MAX, 1, false, &w) == kSystemLimit);
}

TEST_CASE("many appends, whole bytes or not, grow and stay right", "[bits]") {
  TestHeap h;
  for (unsigned step : {8u, 3u, 13u}) {
    Term acc = init_writable(h, 0);
    for (int64_t i = 0; i < 5000; ++i) {
      BitWriter w;
      acc = append_start(h, acc, step, 1, step == 13, &w);
      w.put_integer(make_small(i), step, false);
    }
    CHECK(bit_size(acc) == 5000 * step);
    MatchContext* c = ctx_of(h, acc);
    bool same = true;
    for (int64_t i = 0; i < 5000; ++i) {
      same = same && get_integer(h, c, step, false, false) == make_small(i & ((1 << step) - 1));
    }
    CHECK(same);
  }
}
