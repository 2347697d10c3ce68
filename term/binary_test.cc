#include "term/binary.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "term/bits.h"
#include "term/test_heap.h"

using namespace wb;

namespace {
bool bit_at(const uint8_t* p, size_t i) { return p[i >> 3] >> (7 - (i & 7)) & 1; }

std::vector<uint8_t> random_bytes(std::mt19937& rng, size_t n) {
  std::vector<uint8_t> v(n);
  for (auto& b : v) b = static_cast<uint8_t>(rng());
  return v;
}
}  // namespace

TEST_CASE("copy_bits moves exactly the asked bits", "[binary]") {
  std::mt19937 rng(1);
  for (int round = 0; round < 3000; ++round) {
    size_t from = rng() % 20, to = rng() % 20, bits = rng() % 200;
    auto src = random_bytes(rng, (from + bits + 7) / 8);
    auto dst = random_bytes(rng, (to + bits + 7) / 8 + 1), before = dst;
    copy_bits(dst.data(), to, src.data(), from, bits);
    bool same = true;
    for (size_t i = 0; i < dst.size() * 8; ++i) {
      bool inside = i >= to && i < to + bits;
      bool want = inside ? bit_at(src.data(), from + i - to) : bit_at(before.data(), i);
      same = same && bit_at(dst.data(), i) == want;
    }
    CHECK(same);
  }
}

TEST_CASE("read_bits and write_bits agree", "[binary]") {
  std::mt19937_64 rng(2);
  for (int round = 0; round < 3000; ++round) {
    size_t at = rng() % 30;
    unsigned n = static_cast<unsigned>(rng() % 65);
    uint64_t v = rng() & (n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1);
    std::vector<uint8_t> buffer((at + n + 7) / 8);
    write_bits(buffer.data(), at, v, n);
    CHECK(read_bits(buffer.data(), at, n) == v);
  }
}

TEST_CASE("binaries of every size", "[binary]") {
  TestHeap h;
  for (size_t n : {0, 1, 7, 8, 63, 64, 65, 1000}) {
    std::string text(n, 'x');
    Term t = make_binary(h, text.data(), n);
    CHECK(is_binary(t));
    CHECK(is_kind(t, n <= 64 ? Kind::heap_bin : Kind::refc_bin));
    CHECK(bit_size(t) == n * 8);
    ByteView v(t);
    CHECK(std::string(reinterpret_cast<const char*>(v.data()), v.size()) == text);
  }
  uint8_t* bytes;
  CHECK(new_bytes(h, size_t{1} << 60, &bytes) == kSystemLimit);
  CHECK(!is_binary(make_atom(3)));
}

TEST_CASE("windows are over bases and see the right bits", "[binary]") {
  TestHeap h;
  std::mt19937 rng(3);
  auto bytes = random_bytes(rng, 100);
  Term whole = make_binary(h, bytes.data(), bytes.size());
  for (int round = 0; round < 500; ++round) {
    size_t at = rng() % 400, n = rng() % 400, at2 = n ? rng() % n : 0, n2 = rng() % (n - at2 + 1);
    Term outer = sub_bitstring(h, whole, at, n);
    Term inner = sub_bitstring(h, outer, at2, n2);
    Bits b = bits_of(inner);
    CHECK(b.size == n2);
    CHECK(equal_bits(b.bytes, b.offset, bytes.data(), at + at2, n2));
    if (is_kind(inner, Kind::sub_bin)) {
      CHECK(!is_kind(sub_bin::base(boxed_ptr(inner)), Kind::sub_bin));
    }
  }
  CHECK(sub_bitstring(h, whole, 0, 800) == whole);
  CHECK(is_kind(sub_bitstring(h, whole, 8, 24 * 8), Kind::heap_bin));
  CHECK(is_kind(sub_bitstring(h, whole, 8, 25 * 8), Kind::sub_bin));
}

TEST_CASE("bit order is prefix order", "[binary]") {
  TestHeap h;
  auto cmp = [&](std::initializer_list<uint8_t> a, size_t an, std::initializer_list<uint8_t> b,
                 size_t bn) {
    Term x = make_bitstring(h, std::data(a), 0, an), y = make_bitstring(h, std::data(b), 0, bn);
    return compare_bits(bits_of(x), bits_of(y));
  };
  CHECK(cmp({1, 2}, 16, {2}, 8) < 0);
  CHECK(cmp({2}, 8, {0x80}, 1) < 0);
  CHECK(cmp({0}, 8, {0, 0}, 16) < 0);
  CHECK(cmp({255}, 8, {1, 0, 0}, 24) > 0);
  CHECK(cmp({0xa0}, 3, {0xa0}, 3) == 0);
  CHECK(cmp({}, 0, {}, 0) == 0);
}
