// Priority messages (OTP 28): they overtake the ordinary ones in the queue, not each other.
//
// A process that has made an alias, monitor or link with the option `priority` lets what comes by
// it, sent with that option, go before the messages that wait. So the queue begins with a block of
// such messages, and a new one is put behind that block. In the block each has the kind
// priority_message: whether a link of the queue lies in the block can then be told from the message
// that holds it, without looking for it. Where the block ends is one of the receive markers, which
// those who take messages out of the queue keep right anyway: receiving does no more than before.
//
// A message may be put before the place where a receive or a marker stands, and has to be found:
//   a receive that has gone past the block goes back to it
//   one that is looking at a message just now cannot: it does so at the end of the queue, before it
//     waits (look_again)
//   a marker set earlier goes back to it as well, once: what is put in later comes behind that
//
// Rejected: a second queue for them, which every receive would have to ask.
#pragma once

#include "vm/process/extra.h"
#include "vm/process/process.h"
#include "vm/process/signal.h"

namespace wb {

/// A message on its way into the queue of the running process.
void overtake(Process& p, Signal* s);
/// At the end of the queue: true if the receive has to begin again.
inline bool look_again(Process& p) {
  ReceiveParts* r = receive_of(p);
  if (WB_LIKELY(!r || !r->overtaken)) return false;
  r->overtaken = false;
  p.save = &p.messages;
  return p.messages != nullptr;
}

}  // namespace wb
