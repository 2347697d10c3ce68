#include "loader/export_table.h"

#include <catch2/catch.hpp>
#include <thread>

#include "term/atom.h"

namespace wb {

static Export* add(ExportTable& t, uint32_t n) {
  return t.find_or_add(am::erlang, make_atom(n % 500), n / 500, [n] {
    auto* e = new Export{};
    e->module = am::erlang, e->function = make_atom(n % 500), e->arity = n / 500;
    return e;
  });
}

TEST_CASE("exports stay where they are while the table grows", "[export_table]") {
  ExportTable t;
  std::vector<Export*> made;
  for (uint32_t n = 0; n < 10000; ++n) made.push_back(add(t, n));
  for (uint32_t n = 0; n < 10000; ++n) {
    CHECK(t.find(am::erlang, make_atom(n % 500), n / 500) == made[n]);
    CHECK(add(t, n) == made[n]);
  }
  CHECK(t.find(am::lists, make_atom(1), 1) == nullptr);
  size_t count = 0;
  t.each([&](Export&) { ++count; });
  CHECK(count == 10000);
}

TEST_CASE("readers see every export that was there before they looked", "[export_table]") {
  ExportTable t;
  std::atomic<uint32_t> added{0};
  std::thread writer([&] {
    for (uint32_t n = 0; n < 20000; ++n) {
      add(t, n);
      added.store(n + 1, std::memory_order_release);
    }
  });
  uint32_t missing = 0;
  while (added.load(std::memory_order_acquire) < 20000) {
    uint32_t n = added.load(std::memory_order_acquire);
    if (n && !t.find(am::erlang, make_atom((n - 1) % 500), (n - 1) / 500)) ++missing;
  }
  writer.join();
  CHECK(missing == 0);
}

}  // namespace wb
