#include "term/spliced_bytes.h"

#include <catch2/catch.hpp>

using namespace wb;

namespace {

Binary* binary_of(char first, size_t n) {
  Binary* b = new_binary(n);
  for (size_t k = 0; k < n; ++k) b->data[k] = static_cast<uint8_t>(first + k % 23);
  return b;
}
std::string_view text_of(const Binary* b, size_t from, size_t n) {
  return {reinterpret_cast<const char*>(b->data) + from, n};
}
std::string all_of(const SplicedBytes& s) {
  SplicedBytes::Cursor at;
  std::string out;
  s.copy_some(&at, s.size(), &out);
  CHECK(at.done == s.size());
  return out;
}

/// Own bytes, a large piece, short ones, two large ones in a row, own bytes.
struct Sample {
  Binary* a = binary_of('a', 10'000);
  Binary* b = binary_of('A', 20'000);
  SplicedBytes bytes;
  std::string text;
  Sample() {
    own("head");
    piece(a, 0, 10'000);
    own("between");
    piece(b, 100, 50);  // short: copied
    piece(b, 1, SplicedBytes::kLeast);
    piece(a, 5'000, 4'500);
    own("");
    own("tail");
  }
  ~Sample() {
    bytes.clear();
    a->release();
    b->release();
  }
  void own(std::string_view t) { bytes.append(t), text += t; }
  void piece(Binary* b, size_t from, size_t n) {
    bytes.splice(b, b->data + from, n);
    text += text_of(b, from, n);
  }
};

}  // namespace

TEST_CASE("spliced bytes are what was put in, in order") {
  Sample s;
  CHECK(s.bytes.size() == s.text.size());
  CHECK(all_of(s.bytes) == s.text);
}

TEST_CASE("spliced bytes are read in steps of every size") {
  Sample s;
  for (size_t step : {1, 3, 7, 4095, 4096, 4097, 10'003, 60'000}) {
    SplicedBytes::Cursor at;
    std::string out;
    while (at.done < s.bytes.size()) {
      const size_t before = at.done;
      s.bytes.copy_some(&at, step, &out);
      REQUIRE(at.done == std::min(before + step, s.bytes.size()));
    }
    CHECK(out == s.text);
    s.bytes.copy_some(&at, step, &out);  // there are no more
    CHECK(out.size() == s.text.size());
  }
}

TEST_CASE("spliced bytes are passed on in parts") {
  Sample s;
  for (size_t step : {5, 4'000, 5'000, 9'999, 64 * 1024}) {
    SplicedBytes::Cursor at;
    SplicedBytes whole;
    while (at.done < s.bytes.size()) {
      SplicedBytes part;
      part.append_some(s.bytes, &at, step);
      CHECK(part.size() <= step);
      whole.append(part);
    }
    CHECK(whole.size() == s.text.size());
    CHECK(all_of(whole) == s.text);
  }
}

TEST_CASE("spliced bytes hold the binaries as long as they need them") {
  Binary* a = binary_of('a', 10'000);
  const std::string text(text_of(a, 0, 10'000));
  SplicedBytes first;
  first.splice(a, a->data, 10'000);
  a->release();
  SplicedBytes second, third;
  second.append(first);
  first.clear();
  CHECK(first.empty());
  CHECK(all_of(second) == text);
  third = std::move(second);
  CHECK(second.empty());
  CHECK(all_of(third) == text);
  third = SplicedBytes();
  CHECK(third.empty());
}

TEST_CASE("a reader of spliced bytes that takes no more leaves the rest") {
  Sample s;
  SplicedBytes::Cursor at;
  int pieces = 0;
  s.bytes.each_piece(&at, s.bytes.size(),
                     [&](Binary*, const uint8_t*, size_t) { return ++pieces <= 2; });
  CHECK(at.done == 10'004);
  std::string rest;
  s.bytes.copy_some(&at, s.bytes.size(), &rest);
  CHECK(rest == s.text.substr(10'004));
}
