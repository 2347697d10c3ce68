#include "vm/bif/byte_search.h"

#include <algorithm>
#include <utility>

namespace wb {

namespace {
constexpr size_t kMaxEntries = size_t{1} << 28;
constexpr size_t kChunk = 1 << 14;
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

// Looks at a chunk of possible starts at a time; the last ones' matches reach into the next chunk.
bool find_needle(std::string_view needle, const uint8_t* bytes, size_t from, size_t end,
                 ByteMatch* m, WorkBudget& budget) {
  const size_t size = needle.size();
  const size_t chunk = std::max(kChunk, 8 * size);
  while (from < end && end - from >= size) {
    const size_t starts = std::min(chunk, end - from - size + 1), span = starts + size - 1;
    const void* hit = size == 1 ? memchr(bytes + from, static_cast<uint8_t>(needle[0]), span)
                                : memmem(bytes + from, span, needle.data(), size);
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
