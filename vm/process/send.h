// Sending a message to anything that can receive one.
#pragma once

#include "vm/process/process.h"

namespace wb {

/// `to`: pid, registered name, {Name, Node}, alias reference, port. A receiver that is gone is no
/// error. am::ok; kBadarg for an unregistered name or a `to` of another type; from a busy port
/// kYield (`from` is suspended and does it again) or, with `nosuspend`, am::nosuspend.
enum class SendBy : uint8_t { bif, nosuspend, instruction };
Term send_term(Process& from, Term to, Term message, SendBy by = SendBy::bif);
/// To a pid from outside any process.
bool send_message(Vm& vm, Term pid, Term message);

}  // namespace wb
