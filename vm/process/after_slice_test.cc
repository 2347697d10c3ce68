#include "vm/process/after_slice.h"

#include <catch2/catch.hpp>

using namespace wb;

namespace {
struct Counted {
  int done = 0;
  static void count(void* what) { ++static_cast<Counted*>(what)->done; }
  static void other(void* what) { static_cast<Counted*>(what)->done += 100; }
};
}  // namespace

TEST_CASE("what a slice leaves is done once when it is over, and not outside of one") {
  AfterSlice left;
  After how = After::requeue;
  auto a = std::make_shared<Counted>(), b = std::make_shared<Counted>();
  CHECK_FALSE(left.add(a, Counted::count));
  left.begin();
  for (int k = 0; k < 5; ++k) CHECK(left.add(a, Counted::count));
  CHECK(left.add(b, Counted::count));
  CHECK(left.add(b, Counted::other));
  CHECK(a->done == 0);
  left.end(After::parked, how);
  CHECK(a->done == 1);
  CHECK(b->done == 101);
  CHECK(how == After::parked);
  CHECK_FALSE(left.add(a, Counted::count));
  left.begin();
  left.end(After::parked, how);
  CHECK(a->done == 1);
}

TEST_CASE("what is left keeps its object alive") {
  static bool gone;
  gone = false;
  struct Held {
    ~Held() { gone = true; }
  };
  AfterSlice left;
  After how = After::requeue;
  left.begin();
  CHECK(left.add(std::make_shared<Held>(), [](void*) { CHECK_FALSE(gone); }));
  CHECK_FALSE(gone);
  left.end(After::parked, how);
  CHECK(gone);
}
