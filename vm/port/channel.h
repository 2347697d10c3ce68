// Whoever has taken over what a stream socket carries: packets that come are its, and not the
// owner's, and what goes out is fetched from it whenever the socket takes more. So packets wait
// with it, where they can be counted and put in order, and not in the socket.
//
// Threads. receive(), fetch() and ended() come with the port's lock held; they may route signals.
// Who has something to send says so by Port::pull(), holding no lock: the thread that gets the
// port's lock, or has it already, fetches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "term/spliced_bytes.h"
#include "term/term.h"

namespace wb {

class PortChannel {
 public:
  virtual ~PortChannel() = default;
  /// A packet, without its length. False: it makes no sense, and the port ends.
  virtual bool receive(const uint8_t* packet, size_t n) = 0;
  /// Some packets, lengths included, into `out`, which is empty; how many they are.
  virtual size_t fetch(SplicedBytes* out) = 0;
  /// The port ends.
  virtual void ended(Term reason) = 0;
};

}  // namespace wb
