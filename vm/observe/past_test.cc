#include "vm/observe/past.h"

#include <catch2/catch.hpp>

#include "vm/observe/json.h"

using namespace wb;

namespace {

std::string written(const Past& past, uint64_t since_ms, uint64_t every) {
  std::string text;
  JsonWriter w(text);
  past.write(w, since_ms, every);
  return text;
}
size_t looks_in(const std::string& text) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find("\"look\"", at)) != text.npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("the past: ten minutes, the oldest go") {
  Past past;
  past.begin(0);
  CHECK(past.due_in_ms(0) > 900);
  CHECK(past.due_in_ms(Past::kApart) == 0);
  for (uint64_t k = 1; k <= 1000; ++k) {
    past.keep(k * Past::kApart, k * 1000, "\"look\":" + std::to_string(k));
    CHECK(past.due_in_ms(k * Past::kApart) == 1001);
  }
  const std::string all = written(past, 0, 1);
  CHECK(looks_in(all) == Past::kMostLooks);
  CHECK(all.find("{\"look\":401}") != all.npos);
  CHECK(all.find("{\"look\":400}") == all.npos);
  CHECK(all.find("{\"look\":1000}]") != all.npos);
  CHECK(looks_in(written(past, 990'000, 1)) == 10);
  CHECK(looks_in(written(past, 0, 10)) == 60);
  CHECK(written(past, 0, 10).find("{\"look\":1000}]") != all.npos);
  CHECK(past.memory() < Past::kMostBytes);
}

TEST_CASE("the past: its memory is bounded, and so are answers") {
  Past past;
  past.begin(0);
  std::string large = "\"look\":\"";
  for (uint64_t k = 0, x = 1; k < 60'000; ++k) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    large += static_cast<char>('a' + (x >> 33) % 26);
  }
  large += '"';
  for (uint64_t k = 1; k <= 600; ++k) past.keep(k * Past::kApart, k, large);
  CHECK(past.memory() < Past::kMostBytes + 100'000);
  const std::string all = written(past, 0, 1);
  CHECK(looks_in(all) > 50);
  CHECK(all.size() < Past::kMostAnswered + 100'000);
}
