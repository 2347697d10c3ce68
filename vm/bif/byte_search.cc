#include "vm/bif/byte_search.h"

#include <algorithm>
#include <utility>

namespace wb {

namespace {
constexpr size_t kMaxEntries = size_t{1} << 28;
constexpr size_t kChunk = 1 << 16;
}  // namespace

std::unique_ptr<ByteSearch> ByteSearch::make(const std::vector<std::string>& needles) {
  std::unique_ptr<ByteSearch> s(new ByteSearch);
  if (needles.size() == 1) {
    s->needle_ = needles[0];
    return s;
  }
  size_t bytes = 0;
  bool used[256] = {};
  for (const std::string& n : needles) {
    bytes += n.size();
    for (char c : n) used[static_cast<uint8_t>(c)] = true;
  }
  // Class 0 is "in no needle", unless every byte is in one.
  size_t count = static_cast<size_t>(std::count(used, used + 256, true));
  unsigned next_class = count < 256 ? 1 : 0;
  s->classes_ = static_cast<unsigned>(count) + next_class;
  for (int b = 0; b < 256; ++b) {
    if (used[b]) s->class_of_[b] = static_cast<uint8_t>(next_class++);
  }
  if ((bytes + 1) > kMaxEntries / s->classes_) return nullptr;
  s->next_.assign(s->classes_, 0);
  s->depth_.assign(1, 0);
  s->longest_.assign(1, 0);
  for (const std::string& n : needles) s->add(n);
  s->finish();
  return s;
}

void ByteSearch::add(std::string_view needle) {
  State s = 0;
  for (char c : needle) {
    unsigned k = class_of_[static_cast<uint8_t>(c)];
    State to = next(s, k);
    if (to == 0) {
      to = static_cast<State>(depth_.size());
      depth_.push_back(depth_[s] + 1);
      longest_.push_back(0);
      next_.resize(next_.size() + classes_, 0);
      next(s, k) = to;
    }
    s = to;
  }
  longest_[s] = depth_[s];
}

// Breadth first: a state's missing transitions are those of its longest proper suffix.
void ByteSearch::finish() {
  for (int b = 0; b < 256; ++b) starts_[b] = next(0, class_of_[b]) != 0;
  std::vector<State> suffix(depth_.size(), 0), queue{0};
  for (size_t i = 0; i < queue.size(); ++i) {
    State s = queue[i];
    if (longest_[s] == 0) longest_[s] = longest_[suffix[s]];
    for (unsigned k = 0; k < classes_; ++k) {
      State to = next(s, k), fallback = s == 0 ? 0 : next(suffix[s], k);
      if (to != 0) {
        suffix[to] = fallback;
        queue.push_back(to);
      } else {
        next(s, k) = fallback;
      }
    }
  }
}

namespace {

using Bytes16 = uint8_t __attribute__((ext_vector_type(16)));
using Equal16 = char __attribute__((ext_vector_type(16)));  // 0, or -1: equal
using Bits16 = bool __attribute__((ext_vector_type(16)));

Bytes16 load16(const uint8_t* p) {
  Bytes16 v;
  memcpy(&v, p, sizeof v);
  return v;
}
unsigned equal_bits(Equal16 equal) {
  return __builtin_bit_cast(uint16_t, __builtin_convertvector(equal != 0, Bits16));
}

/// Searches the `starts` positions of a chunk for a needle of two bytes and more.
class NeedleScan {
 public:
  NeedleScan(std::string_view needle, const uint8_t* bytes, size_t starts)
      : needle_(needle), bytes_(bytes), starts_(starts) {}

  const uint8_t* run() {
    const uint8_t* hit = by_last_byte();
    if (!hit && at_ < starts_) hit = by_both_ends();
    if (hit || at_ >= starts_) return hit;
    return static_cast<const uint8_t*>(
        memmem(bytes_ + at_, starts_ - at_ + reach(), needle_.data(), needle_.size()));
  }

 private:
  size_t reach() const { return needle_.size() - 1; }
  bool is_at(size_t i) {
    compared_ += needle_.size();
    return memcmp(bytes_ + i, needle_.data(), needle_.size()) == 0;
  }
  /// Comparing may cost as much as looking, and a little: memmem, which is linear, does the rest.
  bool is_hostile() const { return compared_ > at_ + 1024; }

  /// While that byte is rare, nothing is as fast.
  const uint8_t* by_last_byte() {
    constexpr size_t kRare = 64;
    const uint8_t last = static_cast<uint8_t>(needle_.back());
    for (size_t seen = 0; at_ < starts_ && seen * kRare <= at_; ++seen) {
      const void* hit = memchr(bytes_ + at_ + reach(), last, starts_ - at_);
      at_ =
          hit ? static_cast<size_t>(static_cast<const uint8_t*>(hit) - bytes_) - reach() : starts_;
      if (hit && is_at(at_)) return bytes_ + at_;
      if (hit) ++at_;
    }
    return nullptr;
  }

  /// Sixteen starts at a time: those at which the needle's first and last byte are in their places.
  const uint8_t* by_both_ends() {
    const Bytes16 first = Bytes16(static_cast<uint8_t>(needle_.front()));
    const Bytes16 last = Bytes16(static_cast<uint8_t>(needle_.back()));
    for (; at_ + 16 <= starts_ && !is_hostile(); at_ += 16) {
      const uint8_t* p = bytes_ + at_;
      unsigned bits = equal_bits((load16(p) == first) & (load16(p + reach()) == last));
      for (; bits; bits &= bits - 1) {
        const size_t i = at_ + static_cast<size_t>(__builtin_ctz(bits));
        if (is_at(i)) return bytes_ + i;
      }
    }
    return nullptr;
  }

  const std::string_view needle_;
  const uint8_t* const bytes_;
  const size_t starts_;
  size_t at_ = 0;        // no start before
  size_t compared_ = 0;  // bytes
};

}  // namespace

// Looks at a chunk of possible starts at a time; the last ones' matches reach into the next chunk.
bool find_needle(std::string_view needle, const uint8_t* bytes, size_t from, size_t end,
                 ByteMatch* m, WorkBudget& budget) {
  const size_t size = needle.size();
  const size_t chunk = std::max(kChunk, 8 * size);
  while (from < end && end - from >= size) {
    const size_t starts = std::min(chunk, end - from - size + 1);
    const void* hit = size == 1 ? memchr(bytes + from, static_cast<uint8_t>(needle[0]), starts)
                                : NeedleScan(needle, bytes + from, starts).run();
    if (hit) {
      const auto at = static_cast<size_t>(static_cast<const uint8_t*>(hit) - bytes);
      budget.steps(static_cast<int64_t>((at - from) / 16));
      *m = {at, size};
      return true;
    }
    from += starts;
    if (!budget.steps(static_cast<int64_t>(starts / 16))) return false;
  }
  return false;
}

bool ByteSearch::find(const uint8_t* bytes, size_t from, size_t end, ByteMatch* m,
                      WorkBudget& budget) const {
  if (from >= end) return false;
  if (single()) return find_needle(needle_, bytes, from, end, m, budget);
  State s = 0;
  bool found = false;
  size_t paid = from, i = from;
  auto pay = [&] { return budget.steps(static_cast<int64_t>((i - std::exchange(paid, i)) / 16)); };
  for (; i < end; ++i) {
    if (WB_UNLIKELY(i >= paid + kChunk) && !pay()) return false;
    if (s == 0 && !found) {
      const size_t stop = std::min(end, paid + kChunk);
      while (i < stop && !starts_[bytes[i]]) ++i;
      if (i == end) break;
      if (i == stop) {
        --i;
        continue;
      }
    }
    s = next_[size_t{s} * classes_ + class_of_[bytes[i]]];
    if (found && i + 1 - depth_[s] > m->at) break;
    if (uint32_t n = longest_[s]) {
      size_t at = i + 1 - n;
      if (!found || at <= m->at) *m = {at, n};
      found = true;
    }
  }
  return pay() && found;
}

size_t ByteSearch::memory() const {
  return sizeof *this + needle_.size() + next_.size() * sizeof(State) + depth_.size() * 8;
}

}  // namespace wb
