#include <catch2/catch.hpp>

#include "gc/process_heap.h"
#include "term/random_terms.h"
#include "term/releasing_literals.h"

namespace wb {

namespace {

Term list_of(Heap& h, int n) {
  Term t = kNil;
  for (int i = 0; i < n; ++i) t = cons(h, make_small(i), t);
  return t;
}
int length(Term t) {
  int n = 0;
  for (; is_cons(t); t = tail(t)) ++n;
  return n;
}
Roots root(Term* t) {
  Roots r;
  r.add(t, 1);
  return r;
}

}  // namespace

TEST_CASE("heap sizes follow OTP's schedule") {
  const size_t first[] = {12, 38, 51, 90, 142, 233, 376, 610, 987, 1598, 2586, 4185, 6772};
  for (size_t i = 0; i < std::size(first); ++i) CHECK(heap_sizes()[i] == first[i]);
  CHECK(heap_sizes()[24] == 1199557);
  CHECK(heap_sizes()[kHeapSizes - 1] == 885767171276247);
  CHECK(heap_size_at_least(0) == 12);
  CHECK(heap_size_at_least(12) == 12);
  CHECK(heap_size_at_least(234) == 376);
  CHECK(heap_size_at_least(833027) == 999631);
}

TEST_CASE("a full block hands out fragments and a collection takes them in") {
  ProcessHeap h;
  h.init(20 + ProcessHeap::kStackSlack);
  Term t = list_of(h, 1000);
  CHECK(h.fragments() != nullptr);
  CHECK(h.fragment_words() == 1980);
  CHECK(h.wants_collection());
  int n = 0;
  for (HeapFragment* f = h.fragments(); f; f = f->next) ++n;
  CHECK(n < 8);  // they grow
  CHECK(h.collect(0, root(&t)));
  CHECK(h.fragments() == nullptr);
  CHECK(h.used_words() == 2000);
  CHECK(length(t) == 1000);
}

TEST_CASE("trim gives the rest back, in the block and in a fragment") {
  ProcessHeap h;
  h.init(20 + ProcessHeap::kStackSlack);
  Term* p = h.alloc(10);
  h.trim(p, 10, p + 2);
  CHECK(h.used_words() == 2);
  p = h.alloc(50);
  CHECK(h.fragment_words() == 50);
  h.trim(p, 50, p + 30);
  CHECK(h.fragment_words() == 30);
  CHECK(h.alloc(25) == p + 30);
  h.trim(p, 30, p + 10);  // not the newest any more: filled
  CHECK(p[10] == make_small(0));
  CHECK(p[29] == make_small(0));
}

TEST_CASE("what survives twice becomes old, and a major collection brings it back") {
  ProcessHeap h;
  h.init(233);
  Term t = list_of(h, 50);
  CHECK(h.collect(0, root(&t)));
  CHECK(h.old_used_words() == 0);
  CHECK(h.recent_words() == 100);
  Term y[2] = {t, list_of(h, 10)};
  Roots r;
  r.add(y, 2);
  CHECK(h.collect(0, r));
  CHECK(h.old_used_words() == 100);
  CHECK(h.recent_words() == 20);
  CHECK(h.minor_since_major() == 1);  // the first, with nothing old, counts as a major one
  CHECK(h.collect(0, r, true));
  CHECK(h.old_words() == 0);
  CHECK(h.used_words() == 120);
  CHECK(h.minor_since_major() == 0);
}

TEST_CASE("fullsweep_after 0 collects everything every time") {
  ProcessHeap h;
  h.fullsweep_after = 0;
  h.init(233);
  Term t = list_of(h, 50);
  GcStats s;
  for (int i = 0; i < 5; ++i) CHECK(h.collect(0, root(&t), false, &s));
  CHECK(s.collections == 5);
  CHECK(s.major == 5);
  CHECK(h.old_words() == 0);
}

TEST_CASE("a heap grows with what lives and shrinks when it dies") {
  ProcessHeap h;
  h.init(233);
  Term t = list_of(h, 100000);
  CHECK(h.collect(1000, root(&t)));
  CHECK(h.young_words() >= 201000);
  CHECK(h.has_room(1000));
  CHECK(h.collect(2000000, root(&t)));
  CHECK(h.has_room(2000000));
  CHECK(length(t) == 100000);
  t = kNil;
  CHECK(h.collect(0, root(&t), true));
  CHECK(h.young_words() == 233);
  CHECK(h.used_words() == 0);
}

TEST_CASE("a working set that stays does not make the heap grow without end") {
  ProcessHeap h;
  h.init(233);
  Term keep = list_of(h, 1000), t = kNil;
  Roots r;
  r.add(&keep, 1);
  r.add(&t, 1);
  GcStats s;
  for (int i = 0; i < 2000; ++i) {
    t = list_of(h, 300);
    CHECK(h.collect(100, r, false, &s));
  }
  CHECK(h.total_words() < 20000);
  CHECK(s.words_reclaimed > 2000 * 500);
  CHECK(length(keep) == 1000);
}

TEST_CASE("max_words says no and leaves the heap valid") {
  ProcessHeap h;
  h.init(233);
  Term t = list_of(h, 3000);
  CHECK_FALSE(h.collect(0, root(&t), false, nullptr, 5000));
  CHECK(length(t) == 3000);
  CHECK(h.collect(0, root(&t), false, nullptr, 12000));
  t = kNil;
  CHECK(h.collect(0, root(&t), false, nullptr, 500));
  CHECK_FALSE(h.collect(size_t{1} << 60, root(&t)));
}

TEST_CASE("the first block in the control block is used again after hibernation") {
  struct {
    ProcessHeap heap;
    Term block[32];
  } process;
  ProcessHeap& h = process.heap;
  Term* const block = process.block;
  h.min_heap_words = 0;
  h.init_inline(block, 32);
  Term t = list_of(h, 10);
  CHECK(cons_ptr(t) >= block);
  Term* frame = h.stack() - 2;
  h.set_stack(frame);
  frame[0] = 0x1008;
  frame[1] = t;
  CHECK(h.collect(30, root(&t)));
  CHECK(h.start() != block);
  t = list_of(h, 200);
  t = kNil;
  h.shrink(root(&t));
  CHECK(h.start() == block);
  CHECK(h.stack_words() == 2);
  CHECK(h.stack()[0] == 0x1008);
  CHECK(length(h.stack()[1]) == 10);
  h.set_stack(h.stack_base());
  h.destroy();
}

TEST_CASE("shrink leaves no room to spare") {
  ProcessHeap h;
  h.init(1000);
  Term t = list_of(h, 33);
  h.shrink(root(&t));
  CHECK(h.young_words() == 66 + ProcessHeap::kStackSlack);
  CHECK(h.free_words() == 0);
  CHECK(h.collect(10, root(&t)));
  CHECK(h.young_words() == 233);
}

TEST_CASE("owners die young or old, and off-heap data makes collections due") {
  int live = 0;
  ProcessHeap h;
  h.min_bin_vheap_words = 1000;
  h.init(233);
  RandomTerms random(1, &live);
  Term x[3] = {make_counted_ref(h, &live), make_counted_ref(h, &live), kNil};
  Roots r;
  r.add(x, 3);
  x[1] = kNil;
  CHECK(h.collect(0, r));
  CHECK(live == 1);
  CHECK(h.collect(0, r));
  CHECK(h.old_off_heap() != nullptr);
  x[0] = kNil;
  CHECK(h.collect(0, r));
  CHECK(live == 1);  // old: a minor collection does not look
  CHECK(h.collect(0, r, true));
  CHECK(live == 0);

  x[0] = random.bytes(h, 9000);
  CHECK(h.wants_collection());
  CHECK(h.would_like_collection());
  CHECK(h.collect(0, r));
  CHECK_FALSE(h.wants_collection());
  CHECK_FALSE(h.would_like_collection());
  CHECK(h.vheap_limit() >= 2 * h.vheap_words());
  CHECK(h.collect(0, r));
  CHECK(h.old_vheap_words() == 9000 / 8);
  h.destroy();
  h.init(12);  // a heap may be used again
  x[0] = cons(h, kNil, kNil);
}

TEST_CASE("a large block is promoted as it is") {
  int live = 0;
  ProcessHeap h;
  h.init(233);
  Term x[4] = {list_of(h, 20000), make_counted_ref(h, &live), make_counted_ref(h, &live), kNil};
  Roots r;
  r.add(x, 4);
  CHECK(h.collect(100, r, true));
  Term* cell = cons_ptr(x[0]);
  size_t block = h.young_words();
  x[3] = make_counted_ref(h, &live);
  x[1] = kNil;
  GcStats s;
  CHECK(h.collect(100, r, false, &s));
  CHECK(cons_ptr(x[0]) == cell);
  CHECK(s.words_copied == 5);
  CHECK(h.old_words() == block);
  CHECK(h.old_used_words() == 40010);
  CHECK(live == 3);  // the dead one is old now
  CHECK(h.collect(100, r));
  CHECK(h.old_used_words() == 40015);  // promoted into the rest of the block
  CHECK(live == 3);
  CHECK(h.collect(100, r, true));
  CHECK(live == 2);
  CHECK(cons_ptr(x[0]) != cell);
  CHECK(length(x[0]) == 20000);
  h.destroy();
  CHECK(live == 0);
}

TEST_CASE("messages are adopted with what they own") {
  int live = 0;
  ProcessHeap h;
  h.init(100);
  Term message;
  {
    FragmentHeap f(4);
    Term own = make_counted_ref(f, &live);
    make_counted_ref(f, &live);
    message = cons(f, own, list_of(f, 100));
    h.adopt(f.take_fragments());
    FragmentHeap dropped(5);
    make_counted_ref(dropped, &live);
    CHECK(live == 3);
  }
  CHECK(live == 2);
  CHECK(h.contains(cons_ptr(message)));
  CHECK(h.collect(0, root(&message)));
  CHECK(live == 1);
  CHECK(length(message) == 101);
  h.destroy();
  CHECK(live == 0);
  FragmentHeap empty(0);
  CHECK(empty.take_fragments() == nullptr);
}

TEST_CASE("literals of an area being released are copied once, shared as they were") {
  int live = 0;
  Term x[3];
  ProcessHeap h;
  h.init(100);
  {
    LiteralArea other;
    LiteralArea releasing;
    Term shared =
        cons(releasing, make_counted_ref(releasing, &live), cons(other, make_small(1), kNil));
    x[0] = tuple(h, shared, shared);
    x[1] = shared;
    x[2] = cons(other, kNil, kNil);
    Roots r;
    r.add(x, 3);
    ReleasingLiterals spans;
    spans.add(releasing);
    spans.seal();
    CHECK(h.evict_literals(spans, r));
    CHECK(h.contains(cons_ptr(x[1])));
    CHECK(tuple_elements(x[0])[0] == x[1]);
    CHECK(tuple_elements(x[0])[1] == x[1]);
    CHECK(other.contains(cons_ptr(x[2])));
    CHECK(other.contains(cons_ptr(tail(x[1]))));
  }
  CHECK(live == 1);
  Roots none;
  CHECK(h.collect(0, none));
  CHECK(live == 0);
}

}  // namespace wb
