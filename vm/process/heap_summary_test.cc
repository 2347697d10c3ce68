#include "vm/process/heap_summary.h"

#include <catch2/catch.hpp>

namespace wb {

template <class Short>
static void check_short(double most_off, uint32_t bits) {
  for (uint64_t n = 0; n < 5000; ++n) {
    const uint64_t back = Short::decode(Short::encode(n));
    CHECK(back >= n);
    if (n < Short::kExact) CHECK(back == n);
  }
  uint32_t before = 0;
  for (uint64_t n = 1; n < uint64_t{1} << 40; n += n / 7 + 1) {
    const uint32_t code = Short::encode(n);
    CHECK(code >= before);
    CHECK(code < 1u << bits);
    before = code;
    const auto back = static_cast<double>(Short::decode(code));
    CHECK(back >= static_cast<double>(n));
    CHECK(back <= static_cast<double>(n) * (1 + most_off));
  }
  CHECK(Short::encode(UINT64_MAX) < 1u << bits);
}

TEST_CASE("short numbers are exact while small, then nearly so, and in order") {
  check_short<ShortHeap>(0.001, 15);
  check_short<ShortBinaries>(0.002, 14);
}

TEST_CASE("a summary has what a heap has") {
  Process p;
  p.heap.init(1000);
  CHECK(words_of_summary(summarize_heap(p)) == p.heap.outer_words());
  CHECK(binary_words_of_summary(summarize_heap(p)) == 0);
  CHECK(warnings_of_summary(summarize_heap(p)) == 0);
}

}  // namespace wb
