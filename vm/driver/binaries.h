// Binaries as drivers see them, I/O vectors, and the queue of a port.
//
// An ErlDrvBinary is one of ours (term/binary.h) seen from its last field before the bytes: its
// size there is our capacity. So a binary goes from a program to a driver and back without a copy,
// and its shares are counted in one place.
//
// A queue's vectors lie in one piece, as driver_peekq shows them: what is taken from the front only
// moves `first_`, and what is pushed there takes that room again. Every piece has a share of its
// binary. Not safe by itself: it is used under its port's lock, and where a driver has made a port
// data lock (linked_port.h) under that.
#pragma once

#include <erl_driver.h>

#include <cstddef>
#include <vector>

#include "term/binary.h"

namespace wb {

inline ErlDrvBinary* driver_view(Binary* b) {
  WB_DCHECK(reinterpret_cast<uint8_t*>(&b->capacity + 1) == b->data);
  return reinterpret_cast<ErlDrvBinary*>(&b->capacity);
}
inline Binary* binary_of(ErlDrvBinary* b) {
  constexpr size_t kBefore = sizeof(Binary) - sizeof(b->orig_size);
  return reinterpret_cast<Binary*>(reinterpret_cast<char*>(b) - kBefore);
}

/// A term for `n` bytes of it, with a share of its own. No value: it has not so many.
Term term_of_binary(Heap& h, ErlDrvBinary* b, size_t offset, size_t n);

/// Vectors beside the binaries that they lie in.
struct IoVectors {
  std::vector<SysIOVec> bytes;
  std::vector<ErlDrvBinary*> binaries;
  size_t size = 0;

  ~IoVectors();
  IoVectors() = default;
  IoVectors(const IoVectors&) = delete;
  /// An iolist's, behind the empty one that a driver may fill with a header. False: no memory.
  bool read(Term iolist);
  ErlIOVec view();

 private:
  bool add_copy(const std::vector<uint8_t>& bytes);
};

class DriverQueue {
 public:
  ~DriverQueue() { drop(size_); }
  size_t size() const { return size_; }
  /// Behind what is there, or before it. False: the vector has fewer bytes than `skip`, or there is
  /// no memory.
  bool add(const ErlIOVec& v, size_t skip, bool in_front);
  bool add_copy(const char* bytes, size_t n, bool in_front);
  /// So many bytes from the front. False: there are fewer.
  bool drop(size_t n);
  SysIOVec* vectors(int* count);
  ErlIOVec view();

 private:
  void insert(bool in_front, const std::vector<SysIOVec>& bytes,
              const std::vector<ErlDrvBinary*>& binaries);
  std::vector<SysIOVec> bytes_;
  std::vector<ErlDrvBinary*> binaries_;
  size_t first_ = 0, size_ = 0;
};

}  // namespace wb
