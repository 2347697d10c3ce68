#include "term/external.h"
#include "term/instance.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <span>
#include <sstream>
#include <string>

#include "base/md5.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/map.h"
#include "term/number.h"
#include "term/order.h"
#include "term/test_funs.h"
#include "term/test_heap.h"

using namespace wb;

namespace {
using Bytes = std::vector<uint8_t>;

Bytes from_hex(const std::string& hex) {
  Bytes b;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    b.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return b;
}
std::string to_hex(std::span<const uint8_t> bytes) {
  std::string s;
  for (uint8_t b : bytes) {
    s += "0123456789abcdef"[b >> 4];
    s += "0123456789abcdef"[b & 15];
  }
  return s;
}

struct Sample {
  std::string expression, external_size, hex, deterministic_md5;
};
std::vector<Sample> samples() {
  std::ifstream in(WB_SOURCE_DIR "/tests/data/otp25_samples.tsv");
  std::vector<Sample> all;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> f;
    std::stringstream s(line);
    for (std::string x; std::getline(s, x, '\t');) f.push_back(x);
    if (f.size() < 11 || f[9].find_first_not_of("0123456789abcdef") != std::string::npos) continue;
    all.push_back({f[1], f[7], f[9], f[10]});
  }
  return all;
}

Bytes encode(Term t, EncodeOptions options = {}) {
  Bytes out;
  encode_term(t, options, &out);
  return out;
}
Term decode(Heap& h, const Bytes& b, DecodeOptions options = {}) {
  return decode_term(h, b.data(), b.size(), options);
}
bool has_big_map(const std::string& hex) {  // iteration order of tries is not OTP's
  return hex.find("7400000021") != hex.npos || hex.find("7400000064") != hex.npos ||
         hex.find("7400000028") != hex.npos;
}
}  // namespace

TEST_CASE("OTP's own encodings decode, and encode to the same bytes", "[external]") {
  TestFuns funs;
  TestHeap h;
  auto all = samples();
  CHECK(all.size() > 200);
  for (const Sample& s : all) {
    INFO(s.expression);
    Bytes bytes = from_hex(s.hex);
    size_t used = 0;
    Term t = decode_term(h, bytes.data(), bytes.size(), {}, &used);
    CHECK(is_value(t));
    if (!is_value(t)) continue;
    CHECK(used == bytes.size());
    if (!has_big_map(s.hex)) CHECK(to_hex(encode(t)) == s.hex);
    Term again = decode(h, encode(t));
    CHECK(equal_exact(t, again));
    CHECK(std::to_string(external_size(t)) == s.external_size);
    EncodeOptions deterministic;
    deterministic.deterministic = true;
    CHECK(to_hex(md5(encode(t, deterministic))) == s.deterministic_md5);
  }
}

TEST_CASE("truncated and damaged input is refused, never more", "[external]") {
  TestFuns funs;
  std::mt19937 rng(5);
  for (const Sample& s : samples()) {
    Bytes bytes = from_hex(s.hex);
    if (bytes.size() > 400) continue;
    TestHeap h;
    for (size_t n = 0; n < bytes.size(); ++n) {
      Bytes cut(bytes.begin(), bytes.begin() + static_cast<long>(n));
      CHECK(is_fault(decode(h, cut)));
    }
    for (int i = 0; i < 200; ++i) {
      Bytes bad = bytes;
      for (unsigned flips = 1 + rng() % 3; flips; --flips)
        bad[rng() % bad.size()] ^= 1 << rng() % 8;
      Term t = decode(h, bad);
      if (is_value(t)) encode(t);
    }
  }
}

TEST_CASE("noise made of tags only", "[external]") {
  TestFuns funs;
  std::mt19937 rng(6);
  const uint8_t tags[] = {70,  77,  88,  89,  90,  97,  98,  99,  100, 101, 102,
                          103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113,
                          114, 115, 116, 118, 119, 120, 0,   1,   2,   255};
  for (int round = 0; round < 20000; ++round) {
    TestHeap h;
    Bytes b{131};
    for (unsigned n = rng() % 60; n; --n) b.push_back(tags[rng() % sizeof tags]);
    Term t = decode(h, b);
    if (is_value(t)) encode(t);
  }
}

TEST_CASE("lying lengths cost nothing", "[external]") {
  TestHeap h;
  CHECK(decode(h, from_hex("8369ffffffff")) == kBadarg);
  CHECK(decode(h, from_hex("836cffffffff6161")) == kBadarg);
  CHECK(decode(h, from_hex("8374ffffffff6161")) == kBadarg);
  CHECK(decode(h, from_hex("836dffffffff61")) == kBadarg);
  CHECK(decode(h, from_hex("836fffffffff0061")) == kBadarg);
  CHECK(decode(h, from_hex("8350ffffffff789c030000000001")) == kBadarg);
  Bytes nested{131};  // each tuple claims all that is left
  for (int i = 0; i < 200000; ++i) {
    for (uint8_t b : {0x69, 0x00, 0x01, 0x00, 0x00}) nested.push_back(b);
  }
  CHECK(decode(h, nested) == kBadarg);
}

TEST_CASE("depth is no limit", "[external]") {
  TestHeap h;
  Term t = kNil;
  for (int i = 0; i < 500000; ++i) t = i & 1 ? tuple(h, t) : cons(h, t, am::ok);
  Bytes b = encode(t);
  Term back = decode(h, b);
  CHECK(is_value(back));
  CHECK(encode(back) == b);
}

TEST_CASE("forms OTP accepts but does not write", "[external]") {
  TestHeap h;
  auto is = [&](const char* hex, Term want) {
    Term t = decode(h, from_hex(hex));
    return is_value(t) && equal_exact(t, want);
  };
  CHECK(is("836c000000006105", make_small(5)));
  CHECK(is("836b0000", kNil));
  CHECK(is("83610102", make_small(1)));  // trailing bytes
  CHECK(is("836e010005", make_small(5)));
  CHECK(is("836e010205", make_small(-5)));
  CHECK(is("836e0000", make_small(0)));
  CHECK(is("8373026f6b", am::ok));
  CHECK(is("8377026f6b", am::ok));
  CHECK(is("837600026f6b", am::ok));
  CHECK(decode(h, from_hex("83630000")) == kBadarg);
  CHECK(decode(h, from_hex("834d0000000001")) == kBadarg);
  CHECK(decode(h, from_hex("834d000000010001")) == kBadarg);
  CHECK(decode(h, from_hex("834d000000010901")) == kBadarg);
  CHECK(is_binary(decode(h, from_hex("834d000000010801"))));
  CHECK(decode(h, from_hex("83467ff0000000000000")) == kBadarg);
  CHECK(decode(h, from_hex("8374000000026101610161016102")) == kBadarg);  // a key twice
  CHECK(decode(h, from_hex("837702c080")) == kBadarg);
  Term t = decode(h, from_hex("83640001c8"));
  CHECK(atom_text(t) == "\xc3\x88");
  DecodeOptions safe;
  safe.safe = true;
  CHECK(decode(h, from_hex("83770a7a71787a71787a71787a71"), safe) == kBadarg);
}

TEST_CASE("compressed", "[external]") {
  TestHeap h;
  EncodeOptions options;
  options.compressed = 6;
  Term list = kNil;
  for (int i = 0; i < 16; ++i) {
    CHECK(encode(list, options).size() <= encode(list).size());
    list = cons(h, make_small('a'), list);
  }
  Bytes b = encode(list, options);
  CHECK(b.size() == 19);  // plain is 20
  CHECK(b[1] == 80);
  CHECK(equal_exact(decode(h, b), list));
  for (size_t n = 0; n < b.size(); ++n) {
    CHECK(is_fault(decode(h, Bytes(b.begin(), b.begin() + static_cast<long>(n)))));
  }
  b[5] ^= 1;  // another size than the stream has
  CHECK(is_fault(decode(h, b)));
}

TEST_CASE("minor versions", "[external]") {
  TestHeap h;
  EncodeOptions v0, v2;
  v0.minor_version = 0;
  v2.minor_version = 2;
  CHECK(to_hex(encode(make_float(h, 1.5), v0)) ==
        "8363312e3530303030303030303030303030303030303030652b30300000000000");
  CHECK(float_value(decode(h, encode(make_float(h, 1.5), v0))) == 1.5);
  CHECK(to_hex(encode(am::ok, v2)) == "8377026f6b");
  CHECK(to_hex(encode(am::ok)) == "836400026f6b");
}

TEST_CASE("atoms are UTF-8 since OTP 26", "[external]") {
  TermInstance instance;
  InstanceScope scope(instance);
  instance.release = 26;
  CHECK(to_hex(encode(am::ok)) == "8377026f6b");
  CHECK(external_size(am::ok) == 5);
  EncodeOptions v1;
  v1.minor_version = 1;
  CHECK(to_hex(encode(am::ok, v1)) == "836400026f6b");
}

TEST_CASE("pids, ports and references of ours and of others", "[external]") {
  TermInstance instance;
  InstanceScope scope(instance);
  TestHeap h;
  Term pid = make_pid(85, 3);
  CHECK(decode(h, encode(pid)) == pid);
  CHECK(decode(h, encode(make_port(5))) == make_port(5));
  CHECK(decode(h, encode(make_port(uint64_t{1} << 40))) == make_port(uint64_t{1} << 40));
  Bytes b = encode(pid);
  b.back() = 7;  // another creation: another node
  Term other = decode(h, b);
  CHECK(is_kind(other, Kind::ext_pid));
  CHECK(encode(other) == b);
  set_local_node({intern("a@b"), 7});
  CHECK(to_hex(encode(pid)) == "8358640003614062000000550000000300000007");
  CHECK(is_kind(decode(h, b), Kind::ext_pid));
}
