#include "vm/bif/byte_search.h"

#include <algorithm>

namespace wb {

namespace {
constexpr size_t kMaxEntries = size_t{1} << 28;
}

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

bool ByteSearch::find_one(const uint8_t* bytes, size_t from, size_t end, ByteMatch* m) const {
  if (end - from < needle_.size()) return false;
  const void* hit = needle_.size() == 1
                        ? memchr(bytes + from, static_cast<uint8_t>(needle_[0]), end - from)
                        : memmem(bytes + from, end - from, needle_.data(), needle_.size());
  if (!hit) return false;
  *m = {static_cast<size_t>(static_cast<const uint8_t*>(hit) - bytes), needle_.size()};
  return true;
}

bool ByteSearch::find(const uint8_t* bytes, size_t from, size_t end, ByteMatch* m) const {
  if (from >= end) return false;
  if (single()) return find_one(bytes, from, end, m);
  State s = 0;
  bool found = false;
  for (size_t i = from; i < end; ++i) {
    if (s == 0 && !found) {
      while (i < end && !starts_[bytes[i]]) ++i;
      if (i == end) break;
    }
    s = next_[size_t{s} * classes_ + class_of_[bytes[i]]];
    if (found && i + 1 - depth_[s] > m->at) return true;
    if (uint32_t n = longest_[s]) {
      size_t at = i + 1 - n;
      if (!found || at <= m->at) *m = {at, n};
      found = true;
    }
  }
  return found;
}

size_t ByteSearch::memory() const {
  return sizeof *this + needle_.size() + next_.size() * sizeof(State) + depth_.size() * 8;
}

}  // namespace wb
