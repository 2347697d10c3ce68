// Sending a message to anything that can receive one.
#pragma once

#include "vm/process/process.h"

namespace wb {

struct SendOptions {
  bool by_instruction = false;  ///< not by a BIF
  bool nosuspend = false;
  bool noconnect = false;       ///< no connection is made for it
  bool priority = false;        ///< it overtakes others, if it goes to an alias that lets it
  bool trace_admitted = false;  ///< it is traced once a bounded mailbox has room for it
};

/// `to`: pid, registered name, {Name, Node}, alias reference, port. A receiver that is gone is no
/// error. am::ok; kBadarg for an unregistered name or a `to` of another type; from a busy port, a
/// connection that is, or a full mailbox, kYield (`from` is suspended and does it again) or, with
/// `nosuspend`, am::nosuspend; with `noconnect` am::noconnect; kRaised: see WhenFull::error.
Term send_term(Process& from, Term to, Term message, SendOptions options = {});
/// To a pid from outside any process.
bool send_message(Vm& vm, Term pid, Term message);

}  // namespace wb
