// When a heap is collected, how, and how big it is afterwards.
//
// Young block: as big as before while a quarter of it holds what survives, the next size of the
// schedule when it does not. So copying is at most a third of what was allocated, where OTP, which
// lets three quarters survive, copies up to three times as much. A large one may be as full as on
// OTP: the next size would not stay in the processor's cache, which costs more than copying. A
// process that collects again and again in one slice gets up to kBusyWords, which it keeps as long
// as it is so busy and does not wait (at 51 words, where heaps begin, collecting took half the time
// of a program that keeps nothing). A pass always has room for everything that might live, so it
// cannot fail half-way; what turned out too small or far too big for what does live is copied once
// more into a block of the right size (what lives is then little compared with what was collected).
//
// Old block: made when something is promoted for the first time, half as large again as that, or up
// to four times if that is less than the young block. When the next promotion might not fit, the
// collection is a major one, which leaves no old block; so the old space grows with what lives, and
// a word is copied a bounded number of times per doubling. What a major collection left in a large
// block is promoted with the block, without being copied again: what of it has died since then is
// kept until the next major one, which is worth it. The young block beside it is as large again:
// memory for fewer collections. Where most memory is in other heaps it is half as large as what
// lives, and so is the room that a major collection leaves: fifty processes that each build a page
// of half a million words at a time then take half the memory, and three quarters of the processor
// time, for less of it is cleared and in no cache.
//
// Off-heap data counts too: `off_heap_words_` since the last collection against vheap_limit_, and
// what promoted owners keep alive against old_vheap_limit_. Each limit is twice what survived.
//
// Rejected: growing the old block in place (it moves, and everything points into it) and sizing by
// a target pause (a process' heap is small; collecting a large one yields between chunks).
#include <algorithm>

#include "base/instance.h"
#include "base/large_blocks.h"
#include "gc/collector.h"
#include "term/releasing_literals.h"

namespace wb {

namespace {

constexpr size_t kPromoteBlock = 16 * 1024;  // words
constexpr size_t kLargeHeap = 64 * 1024;     // words
constexpr size_t kShrinksInPlace = kLargeBlock / sizeof(Term);  // words
constexpr size_t kMaxNeed = size_t{1} << 44;

uint64_t vheap_limit_for(uint64_t survived, uint64_t least) {
  uint64_t twice = heap_size_at_least(survived * 2);
  return twice > least ? twice : least;
}

/// Is there much more memory in other heaps?
bool is_one_of_many(size_t words) {
  constexpr int64_t kMany = 8;
  if (!this_instance || this_instance->is_repeatable) return false;
  return live_bytes(Live::heaps) > kMany * static_cast<int64_t>(words * sizeof(Term));
}

}  // namespace

bool ProcessHeap::wants_major() const {
  if (minor_since_major_ >= fullsweep_after) return true;
  return old_ && (old_->vheap_words > old_->vheap_limit || old_->free_words() < recent_words());
}

/// Size of a new young block that can hold `live` words and the stack whatever happens.
size_t ProcessHeap::young_size(size_t live, size_t need) const {
  size_t words = std::max<size_t>(young_words() + grow_next_, min_heap_words);
  size_t all = live + stack_words() + kStackSlack;
  if (need > young_words() / 4) all += need;
  return heap_size_at_least(std::max(words, all));
}

bool ProcessHeap::make_old_block() {
  size_t words = heap_size_at_least(
      std::max(recent_words() + recent_words() / 2, std::min(young_words(), recent_words() * 4)));
  Term* block = new_block(words);
  if (!block) return false;
  if (make_old(block, block + words)) return true;
  free_block(block, words);
  return false;
}

bool ProcessHeap::minor_collection(size_t need, const Roots& roots, bool early, GcStats& stats) {
  bool whole_block = !old_ && recent_words() >= kPromoteBlock &&
                     recent_words() >= young_words() / 2 && !is_inline();
  if (!whole_block && !old_ && recent_words() && !make_old_block()) return false;
  const size_t fresh = used_words() - recent_words() + fragment_words_;
  size_t words = young_size(fresh, need);
  if (whole_block && is_one_of_many(young_words())) {
    const size_t frugal = std::max(recent_words() / 2, fresh + stack_words() + kStackSlack + need);
    words = std::min(words, heap_size_at_least(frugal));
  }
  const bool counts = !early && !is_first();
  if (!early) counted_ = true;
  Term* block = new_block(words);
  if (!block || (whole_block && !make_old(start_, high_water_))) {
    free_block(block, words);
    return false;
  }
  stats.words_copied += whole_block ? Collector::promote_block(*this, block, words, roots)
                                    : Collector::minor(*this, block, words, roots);
  minor_since_major_ += counts;
  vheap_limit_ = vheap_limit_for(off_heap_words_, min_bin_vheap_words);
  return true;
}

bool ProcessHeap::major_collection(size_t need, const Roots& roots,
                                   const ReleasingLiterals* releasing, GcStats& stats) {
  size_t live = used_words() + old_used_words() + fragment_words_;
  if (releasing) live += releasing->words();
  size_t words = young_size(live, need);
  Term* block = new_block(words);
  if (!block) return false;
  stats.words_copied += releasing ? Collector::evict(*this, block, words, roots, *releasing)
                                  : Collector::major(*this, block, words, roots);
  ++stats.major;
  minor_since_major_ = 0;
  counted_ = true;
  vheap_limit_ = vheap_limit_for(off_heap_words_, min_bin_vheap_words);
  return true;
}

/// Straight after a collection: what lives goes to a block of `words` words.
bool ProcessHeap::resize(size_t words, const Roots& roots, GcStats& stats) {
  if (words < young_words() && !is_inline()) {
    size_t frames = stack_words();
    Term* stack = start_ + words - frames;
    memmove(stack, this->stack(), frames * sizeof(Term));
    if (pool_shrink(start_, young_words() * sizeof(Term), words * sizeof(Term))) {
      end_ = start_ + words;
      set_stack(stack);
      return true;
    }
    memmove(this->stack(), stack, frames * sizeof(Term));
  }
  Term* block = new_block(words);
  if (!block) return false;
  high_water_ = start_;  // nothing is promoted
  stats.words_copied += Collector::minor(*this, block, words, roots);
  return true;
}

/// Straight after a collection: grows if `need` does not fit, shrinks if far too much is free.
bool ProcessHeap::fit(size_t need, const Roots& roots, bool after_major, size_t max_words,
                      GcStats& stats) {
  size_t used = used_words() + stack_words() + need;
  size_t words = young_words();
  bool stays = busy_ && words <= kBusyWords;
  bool gives_end = false;  // back, in place
  busy_ -= busy_ != 0;
  if (used > words) {
    words = heap_size_at_least(used + used / 3);
  } else if (after_major && !stays) {
    const size_t frugal = heap_size_at_least(used + used / 2);
    gives_end = frugal >= kShrinksInPlace && frugal < words && is_one_of_many(words);
    if (gives_end)
      words = frugal;
    else if (used < words / 4)
      words = heap_size_at_least(std::max<size_t>(used * 2, min_heap_words));
  } else if (!stays) {
    // Between major collections the young block may stay large beside a large old one: then it is
    // what makes collections rare.
    size_t keep = used + old_used_words() / 4 + 500;
    if (keep < words / 8) words = heap_size_at_least(std::max<size_t>(keep * 4, min_heap_words));
  }
  bool over = max_words && words + old_words() > max_words;
  if (over) {
    words = heap_size_at_least(used);
    if (words + old_words() > max_words) return false;
  }
  bool growing = words > young_words();
  if (growing || gives_end || words < young_words() / 2 || (over && words < young_words()))
    if (!resize(words, roots, stats) && growing) return false;
  grow_next_ = used > young_words() / 4 * (young_words() < kLargeHeap ? 1 : 3);
  return true;
}

bool ProcessHeap::collect(size_t need, const Roots& roots, bool force_major, GcStats* stats,
                          size_t max_words, bool asked) {
  if (need > kMaxNeed) return false;
  GcStats ignored;
  GcStats& s = stats ? *stats : ignored;
  size_t before = used_words() + old_used_words() + fragment_words_;
  bool is_major = force_major || wants_major();
  const bool early = !asked && collects_early(need);
  if (!(is_major ? major_collection(need, roots, nullptr, s)
                 : minor_collection(need, roots, early, s)))
    return false;
  ++s.collections;
  s.words_reclaimed += before - used_words() - old_used_words();
  if (fit(need + kStackSlack, roots, is_major, max_words, s)) return true;
  // What is over the limit may be garbage in the old block.
  return max_words && !is_major && collect(need, roots, true, stats, max_words);
}

void ProcessHeap::shrink_for_wait(const Roots& roots, GcStats* stats) {
  busy_ = 0;
  GcStats ignored;
  GcStats& s = stats ? *stats : ignored;
  if (!collect(0, roots, false, &s)) return;
  size_t used = used_words() + stack_words() + kStackSlack;
  size_t words = heap_size_at_least(std::max(used * 2, kWaitingWords));
  if (words < young_words()) resize(words, roots, s);
  grow_next_ = false;
}

bool ProcessHeap::evict_literals(const ReleasingLiterals& releasing, const Roots& roots,
                                 GcStats* stats) {
  GcStats ignored;
  GcStats& s = stats ? *stats : ignored;
  if (!major_collection(0, roots, &releasing, s)) return false;
  ++s.collections;
  return fit(kStackSlack, roots, true, 0, s);
}

void ProcessHeap::shrink(const Roots& roots, GcStats* stats) {
  GcStats ignored;
  GcStats& s = stats ? *stats : ignored;
  size_t before = used_words() + old_used_words() + fragment_words_;
  if (!major_collection(0, roots, nullptr, s)) return;
  ++s.collections;
  s.words_reclaimed += before - used_words();
  grow_next_ = false;
  size_t live = used_words() + stack_words() + kStackSlack;
  if (!is_inline() && live <= inline_words_) {
    high_water_ = start_;
    s.words_copied += Collector::minor(*this, inline_start(), inline_words_, roots);
  } else if (live < young_words()) {
    resize(live, roots, s);
  }
}

}  // namespace wb
