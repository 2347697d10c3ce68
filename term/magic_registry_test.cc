#include "term/instance.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "term/external.h"
#include "term/identifiers.h"
#include "term/order.h"
#include "term/print.h"
#include "term/test_heap.h"

namespace wb {
namespace {

struct Counted final : OffHeapObject {
  explicit Counted(std::atomic<int>* live) : live(live) {
    live->fetch_add(1);
    destroy = [](OffHeapObject* o) {
      auto* self = static_cast<Counted*>(o);
      self->live->fetch_sub(1);
      delete self;
    };
  }
  std::atomic<int>* live;
};

Term magic_ref(Heap& h, OffHeapObject* object, uint64_t number, uint16_t kib = 0) {
  Term* p = h.alloc(5);
  p[0] = make_header(Kind::magic_ref, 4, kib);
  p[1] = reinterpret_cast<Word>(object);
  p[3] = number | kMagicNumber;
  p[4] = 0;
  h.link_off_heap(p, 0);
  return make_boxed(p);
}

Term decoded(Heap& h, const std::vector<uint8_t>& bytes) {
  return decode_term(h, bytes.data(), bytes.size());
}

OffHeapObject* object_of(Term t) {
  return is_kind(t, Kind::magic_ref) ? reinterpret_cast<OffHeapObject*>(boxed_ptr(t)[1]) : nullptr;
}

}  // namespace

TEST_CASE("magic references: found by their numbers while the object lives") {
  TermInstance instance;
  InstanceScope scope(instance);
  std::atomic<int> live{0};
  std::vector<uint8_t> bytes;
  const uint64_t number = 0x700000005 | kMagicNumber;
  {
    TestHeap other;
    {
      TestHeap h;
      auto* object = new Counted(&live);
      Term ref = magic_ref(h, object, number, 3);
      CHECK(find_magic(other, number) == kNone);  // nobody has written it down
      encode_term(ref, {}, &bytes);
      Term again = decoded(other, bytes);
      REQUIRE(object_of(again) == object);
      CHECK(equal_exact(again, ref));
      CHECK(header_extra(header_of(again)) == 3);
      CHECK(find_magic(other, number + 1) == kNone);
      encode_term(again, {}, &bytes);  // noted twice is noted once
    }
    CHECK(live == 1);
    CHECK(object_of(find_magic(other, number)));
  }
  CHECK(live == 0);
  TestHeap h;
  CHECK(find_magic(h, number) == kNone);
  CHECK(is_kind(decoded(h, bytes), Kind::ref));
}

TEST_CASE("magic references: an object of several numbers") {
  TermInstance instance;
  InstanceScope scope(instance);
  std::atomic<int> live{0};
  {
    TestHeap h;
    auto* object = new Counted(&live);
    object->retain();
    for (uint64_t n : {8u, 9u}) to_text(magic_ref(h, object, n));
    CHECK(object_of(find_magic(h, 8 | kMagicNumber)) == object);
    CHECK(object_of(find_magic(h, 9 | kMagicNumber)) == object);
  }
  CHECK(live == 0);
  TestHeap h;
  CHECK(find_magic(h, 8 | kMagicNumber) == kNone);
  CHECK(find_magic(h, 9 | kMagicNumber) == kNone);
}

TEST_CASE("magic references: objects outlive the registry") {
  std::atomic<int> live{0};
  {
    TestHeap h;
    {
      TermInstance instance;
      InstanceScope scope(instance);
      to_text(magic_ref(h, new Counted(&live), 5));
    }
    CHECK(find_magic(h, 5 | kMagicNumber) == kNone);
    CHECK(live == 1);
  }
  CHECK(live == 0);
}

TEST_CASE("magic references: what dies is not revived") {
  TermInstance instance;
  InstanceScope scope(instance);
  std::atomic<int> live{0};
  std::atomic<uint64_t> newest{0};
  std::atomic<bool> over{false};
  int dead = 0;
  std::thread reader([&] {
    InstanceScope same(instance);
    while (!over.load()) {
      TestHeap h;
      Term t = find_magic(h, newest.load());
      // Its share keeps it alive until the heap goes.
      if (t != kNone) dead += static_cast<Counted*>(object_of(t))->live->load() < 1;
    }
  });
  for (uint64_t n = 1; n <= 20000; ++n) {
    TestHeap h;
    note_magic(boxed_ptr(magic_ref(h, new Counted(&live), n)));
    newest.store(n | kMagicNumber);
  }
  over.store(true);
  reader.join();
  CHECK(live == 0);
  CHECK(dead == 0);
}

}  // namespace wb
