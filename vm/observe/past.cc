// past: the last ten minutes.
#include "vm/observe/past.h"

#include <zlib.h>

#include <algorithm>

#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"

namespace wb {

int Past::due_in_ms(uint64_t now_ns) const {
  return now_ns >= next_ns_ ? 0 : static_cast<int>((next_ns_ - now_ns) / 1'000'000 + 1);
}

void Past::keep(uint64_t now_ns, uint64_t time_ms, const std::string& home) {
  next_ns_ = now_ns >= next_ns_ + kApart ? now_ns + kApart : next_ns_ + kApart;
  uLongf size = compressBound(home.size());
  std::vector<uint8_t> room(size);
  auto* text = reinterpret_cast<const Bytef*>(home.data());
  if (compress2(room.data(), &size, text, home.size(), Z_BEST_SPEED) != Z_OK) return;
  looks_.push_back({time_ms,
                    static_cast<uint32_t>(home.size()),
                    {room.begin(), room.begin() + static_cast<ptrdiff_t>(size)}});
  bytes_ += size;
  while (looks_.size() > kMostLooks || bytes_ > kMostBytes) {
    bytes_ -= looks_.front().packed.size();
    looks_.pop_front();
  }
}

void Past::write(JsonWriter& w, uint64_t since_ms, uint64_t every) const {
  size_t length = 0;
  for (const Look& l : looks_) length += l.time_ms > since_ms ? l.length : 0;
  every = std::max<uint64_t>(every, length / kMostAnswered + 1);
  w.number("kept", looks_.size()).number("bytes", memory()).number("every", every).array("looks");
  for (size_t k = 0; k < looks_.size(); ++k) {
    const Look& l = looks_[k];
    if (l.time_ms <= since_ms || (looks_.size() - 1 - k) % every) continue;
    std::string text(l.length, '\0');
    uLongf size = l.length;
    if (uncompress(reinterpret_cast<Bytef*>(text.data()), &size, l.packed.data(),
                   l.packed.size()) == Z_OK)
      w.open('{').raw(text).close('}');
  }
  w.close(']');
}

/// {"since_ms": 0, "every": 1}
std::string answer_past(RequestContext& a) {
  const auto since = static_cast<uint64_t>(a.request.number("since_ms", 0, 0, int64_t{1} << 53));
  const auto every = static_cast<uint64_t>(a.request.number("every", 1, 1, Past::kMostLooks));
  a.observer.past.write(a.out, since, every);
  return {};
}

}  // namespace wb
