// Large messages of which fragments have still to come: each is put together in one Binary, so that
// a large binary of it is a part of that when it is decoded, and not copied again.
//
// What the other side says of sizes is believed as far as it costs nothing: it gets room
// beforehand, which no byte has been written to, up to kMostRoom for all messages together; from
// there on what has come is the measure. A message that nothing could hold, or messages that
// together take more than half of the memory there is (base/memory_limit.h), are refused: fragments
// that never end must end somewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "term/binary.h"

namespace wb {

class Assemblies {
 public:
  struct Whole {
    Whole() = default;
    Whole(Whole&& other) noexcept;
    Whole& operator=(Whole&&) = delete;
    ~Whole() {
      if (bytes) bytes->release();
    }
    std::vector<Term> atoms;
    Binary* bytes = nullptr;
  };
  enum class Added : uint8_t { more, whole, refused };

  /// A message begins, `left` fragments still to come. False: refused.
  bool begin(uint64_t number, uint64_t left, std::span<const Term> atoms, const uint8_t* bytes,
             size_t n);
  /// The fragment after which left - 1 are to come. When it was the last one, *whole.
  Added add(uint64_t number, uint64_t left, const uint8_t* bytes, size_t n, Whole* whole);
  size_t count() const { return incomplete_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr uint64_t kMostFragments = uint64_t{1} << 32;
  static constexpr size_t kMostRoom = size_t{1} << 30;
  struct Incomplete {
    uint64_t left;
    Whole whole;
  };
  static size_t most_bytes();
  bool append(Incomplete& m, const uint8_t* bytes, size_t n);
  bool make_room(Incomplete& m, size_t n);
  /// Room that nothing has been written to, of all messages but one.
  size_t empty_room() const { return room_ - bytes_; }

  std::unordered_map<uint64_t, Incomplete> incomplete_;
  size_t bytes_ = 0, room_ = 0;  ///< what has come, what there is for it
};

}  // namespace wb
