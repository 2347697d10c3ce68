// Random life of a process' heap: whatever is collected, moved, adopted or shrunk, what the roots
// reach stays what it was, and what they do not reach is let go.
#include <algorithm>
#include <catch2/catch.hpp>

#include "base/work_budget.h"
#include "gc/block_pool.h"
#include "gc/collector.h"
#include "term/copy.h"
#include "term/instance.h"
#include "term/random_terms.h"
#include "term/releasing_literals.h"

namespace wb {

namespace {

/// A process as the collector sees it: registers, a stack of frames, a mailbox.
class Life {
 public:
  Life(uint32_t seed, bool in_control_block) : terms_(seed, &live_) {
    if (in_control_block)
      heap.init_inline(inline_, 30);
    else
      heap.init(1 + terms_.below(300));
    heap.min_heap_words = static_cast<uint32_t>(terms_.below(2) * 233);
    heap.min_bin_vheap_words = heap.min_heap_words * 10;
    heap.fullsweep_after = static_cast<uint16_t>(terms_.below(30));
    for (Term& x : x_) x = kNil;
    literal_ = make_literal();
  }
  ~Life() {
    heap.destroy();
    CHECK(mailbox_live() == live_);
  }

  void step() {
    switch (terms_.below(12)) {
      case 0:
        receive();
        break;
      case 1:
        x_[terms_.below(kRegisters)] = kNil;
        break;
      case 2:
        push_frame();
        break;
      case 3:
        pop_frame();
        break;
      case 4:
        x_[terms_.below(kRegisters)] = literal_;
        break;
      case 5:
        deep_list();
        break;
      default:
        for (size_t n = terms_.below(40); n; --n)
          x_[terms_.below(kRegisters)] = terms_.make(heap, parts());
    }
    collect();
  }

  ProcessHeap heap;
  Term inline_[32];  ///< its first block, as in a control block

 private:
  static constexpr size_t kRegisters = 12;

  std::vector<Term> parts() {
    std::vector<Term> v(x_, x_ + kRegisters);
    v.insert(v.end(), mailbox_.begin(), mailbox_.end());
    return v;
  }

  Term make_literal() {
    std::vector<Term> made;
    for (int i = 0; i < 20; ++i) made.push_back(terms_.make(literals_, made));
    return made.back();
  }
  // Objects that live because literals do.
  int mailbox_live() {
    int n = 0;
    for (Term* p = literals_.off_heap(); p; p = reinterpret_cast<Term*>(p[2]))
      n += header_kind(*p) == Kind::magic_ref;
    return n;
  }

  void receive() {
    FragmentHeap h(terms_.below(2) ? 0 : terms_.below(50));
    std::vector<Term> made;
    for (size_t n = 1 + terms_.below(20); n; --n) made.push_back(terms_.make(h, made));
    Term message = copy_term(h, tuple(h, made.back(), x_[0]));
    heap.adopt(h.take_fragments());
    mailbox_.push_back(message);
    if (mailbox_.size() > 5) mailbox_.erase(mailbox_.begin());
  }

  void push_frame() {
    size_t n = 2 + terms_.below(5);
    if (heap.free_words() < 0) return;
    // A call may push into the slack although no word is free.
    if (!heap.has_room(n) && n > 2) return;
    Term* y = heap.stack() - n;
    heap.set_stack(y);
    y[0] = 0xdead0000dead0008;                                   // a return address
    y[1] = make_catch(reinterpret_cast<Word*>(0x7f0000000018));  // a catch tag
    for (size_t i = 2; i < n; ++i) y[i] = x_[terms_.below(kRegisters)];
    frames_.push_back(n);
  }
  void pop_frame() {
    if (frames_.empty()) return;
    heap.set_stack(heap.stack() + frames_.back());
    frames_.pop_back();
  }

  void deep_list() {
    Term t = x_[0];
    for (size_t n = terms_.below(20000); n; --n)
      t = n % 3 ? cons(heap, make_small(static_cast<int64_t>(n)), t) : cons(heap, t, kNil);
    x_[1] = t;
  }

  GraphChecksum checksum() {
    GraphChecksum sum;
    for (Term x : x_) sum.add(x);
    for (Term m : mailbox_) sum.add(m);
    for (Term* y = heap.stack(); y < heap.stack_base(); ++y) sum.add(*y);
    return sum;
  }

  void collect() {
    size_t what = terms_.below(20), need = terms_.below(50) ? terms_.below(200) : 30000;
    Roots roots;
    roots.add(x_, kRegisters);
    roots.context = this;
    roots.each = [](void* self, void (*visit)(void*, Term*), void* collector) {
      for (Term& m : static_cast<Life*>(self)->mailbox_) visit(collector, &m);
    };
    GraphChecksum before = checksum();
    GcStats stats;
    if (what == 0) {
      heap.shrink(roots, &stats);
    } else if (what == 1) {
      ReleasingLiterals releasing;
      releasing.add(literals_);
      releasing.seal();
      CHECK(heap.evict_literals(releasing, roots, &stats));
    } else {
      CHECK(heap.collect(need, roots, what == 2, &stats));
      CHECK(heap.has_room(need));
      CHECK_FALSE(heap.wants_collection());
    }
    CHECK(stats.collections == 1);
    check(before, what == 0 || what == 1 || stats.major);
  }

  void check(const GraphChecksum& before, bool major) {
    GraphChecksum after = checksum();
    CHECK(after.value() == before.value());
    CHECK(after.values() == before.values());
    CHECK(heap.fragments() == nullptr);
    CHECK(heap.recent_words() == heap.used_words());
    check_pointers();
    size_t owners = 0;
    for (Term* p = heap.off_heap(); p; p = reinterpret_cast<Term*>(p[2])) ++owners;
    for (Term* p = heap.old_off_heap(); p; p = reinterpret_cast<Term*>(p[2])) {
      ++owners;
      if (major) FAIL_CHECK("an old owner after a major collection");
    }
    if (major) CHECK(owners + literal_owners() >= after.owners());
    CHECK(owners <= 100000);
  }
  size_t literal_owners() {
    size_t n = 0;
    for (Term* p = literals_.off_heap(); p; p = reinterpret_cast<Term*>(p[2])) ++n;
    return n;
  }

  /// Walks the heap word by word: every pointer leads into it, and none from old to young.
  void check_pointers() {
    size_t stray = 0, young_from_old = 0;
    bool in_old = false;
    heap.each_range([&](const Term* p, const Term* end) {
      in_old = p == heap.old_start();
      while (p < end) {
        if (is_header(*p)) {
          size_t raw = raw_words(header_kind(*p));
          p += 1 + (raw == 255 ? header_size(*p) : raw);
          continue;
        }
        if (is_pointer(*p) && !is_literal(*p)) {
          const Term* to = pointer_of(*p);
          stray += !heap.contains(to);
          young_from_old += in_old && to >= heap.start() && to < heap.top();
        }
        ++p;
      }
    });
    CHECK(stray == 0);
    CHECK(young_from_old == 0);
  }

  int live_ = 0;
  RandomTerms terms_;
  LiteralArea literals_;
  Term literal_;
  Term x_[kRegisters];
  std::vector<Term> mailbox_;
  std::vector<size_t> frames_;
};

struct Poison {
  explicit Poison(bool on) { instance.poisons_freed = on; }
  TermInstance instance;
  InstanceScope scope{instance};
};

}  // namespace

TEST_CASE("what roots reach survives any sequence of collections") {
  for (uint32_t seed = 1; seed <= 24; ++seed) {
    Poison poison(seed % 2);
    {
      Life life(seed, seed % 3 == 0);
      for (int i = 0; i < 60; ++i) life.step();
    }
    for (auto& [node, references] : poison.instance.nodes.known()) CHECK(references == 0);
  }
}

/// Counts how often a collection lets others run: every 100,000 words.
struct Refills final : WorkBudget {
  Refills() : WorkBudget(100000) {}
  int count = 0;

 private:
  bool refill() override {
    left_ = 100000;
    return ++count != 0;
  }
};

TEST_CASE("a busy heap is large, and small again when its process waits") {
  ProcessHeap heap;
  heap.init(233);
  Term x[1] = {kNil};
  Roots roots;
  roots.add(x, 1);
  for (int n = 0; n < 30; ++n) {
    heap.collect_less_often();
    while (heap.has_room(2)) cons(heap, make_small(n), kNil);
    x[0] = cons(heap, make_small(n), kNil);
    REQUIRE(heap.collect(2, roots));
  }
  CHECK(heap.young_words() == ProcessHeap::kBusyWords);
  CHECK(heap.is_too_large_to_wait());
  heap.shrink_for_wait(roots);
  CHECK(heap.young_words() == ProcessHeap::kWaitingWords);
  CHECK_FALSE(heap.is_too_large_to_wait());
  CHECK(head(x[0]) == make_small(29));
}

TEST_CASE("lists of numbers that are met together lie one behind the other") {
  constexpr int kLists = 3, kLength = 100;
  ProcessHeap heap;
  heap.init(233);
  Term lists[kLists] = {kNil, make_small(-1), kNil};
  for (int i = 0; i < kLength; ++i)
    for (Term& list : lists) list = cons(heap, i == 50 ? lists[0] : make_small(i), list);
  Term all = tuple(heap, lists[0], lists[1], lists[2], tail(lists[2]));
  for (bool major : {false, false, true}) {
    Roots roots;
    roots.add(&all, 1);
    CHECK(heap.collect(10, roots, major));
    for (int k = 0; k < kLists; ++k) {
      int length = 0, beside = 0;
      Term t = tuple_elements(all)[k];
      for (; is_cons(t); t = tail(t), ++length) {
        beside += tail(t) == make_cons(cons_ptr(t) + 2);
        CHECK((length == kLength - 51 || head(t) == make_small(kLength - 1 - length)));
      }
      CHECK(t == (k == 1 ? make_small(-1) : kNil));
      CHECK(length == kLength);
      CHECK(beside > kLength - 10);
    }
    CHECK(tuple_elements(all)[3] == tail(tuple_elements(all)[2]));
  }
}

/// Words of a heap in which a list of 200,000 cells was promoted with its block.
static size_t words_of_heap(bool beside_others, bool repeatable) {
  constexpr int kLength = 200000;
  constexpr size_t kOthers = size_t{512} << 20;  // bytes, which nobody touches
  TermInstance instance;
  instance.is_repeatable = repeatable;
  InstanceScope scope(instance);
  void* others = beside_others ? pool_alloc(kOthers) : nullptr;
  ProcessHeap heap;
  heap.init(233);
  Term x[1] = {kNil};
  Roots roots;
  roots.add(x, 1);
  for (int i = 0; i < kLength; ++i) {
    if (!heap.has_room(2)) REQUIRE(heap.collect(2, roots));
    x[0] = cons(heap, make_small(i), x[0]);
  }
  REQUIRE(heap.collect(2, roots, true));
  while (heap.has_room(2)) cons(heap, kNil, kNil);
  REQUIRE(heap.collect(2, roots));
  CHECK(heap.old_used_words() == 2 * kLength);
  int length = 0;
  for (Term t = x[0]; is_cons(t); t = tail(t)) ++length;
  CHECK(length == kLength);
  if (others) pool_free(others, kOthers);
  return heap.young_words() + heap.old_words();
}

TEST_CASE("where most memory is in other heaps a young block is smaller") {
  const size_t alone = words_of_heap(false, false);
  CHECK(words_of_heap(true, false) < alone * 4 / 5);
  CHECK(words_of_heap(true, true) == alone);
}

TEST_CASE("a list of millions is collected without a stack") {
  ProcessHeap heap;
  heap.init(233);
  Term x[2] = {kNil, kNil};
  for (int i = 0; i < 2000000; ++i) {
    x[0] = cons(heap, x[0], kNil);           // nested in the head
    x[1] = cons(heap, make_small(i), x[1]);  // long
  }
  Refills refills;
  Roots roots;
  roots.add(x, 2);
  roots.budget = &refills;
  CHECK(heap.collect(10, roots));
  CHECK(refills.count > 70);
  CHECK(heap.collect(10, roots));
  CHECK(heap.old_used_words() == 8000000);
  refills.count = 0;
  CHECK(heap.collect(10, roots, true));
  CHECK(refills.count > 70);
  int nested = 0, length = 0;
  for (Term t = x[0]; is_cons(t); t = head(t)) ++nested;
  for (Term t = x[1]; is_cons(t); t = tail(t)) ++length;
  CHECK(nested == 2000000);
  CHECK(length == 2000000);
  x[0] = x[1] = kNil;
  CHECK(heap.collect(10, roots, true));
  CHECK(heap.young_words() <= 233);
}

}  // namespace wb
