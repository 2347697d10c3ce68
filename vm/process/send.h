// Sending a message to anything that can receive one.
#pragma once

#include "vm/process/process.h"

namespace wb {

/// `to`: pid, registered name, {Name, Node}, alias reference, port. A receiver that is gone is no
/// error; false (badarg) for an unregistered name or a `to` of another type.
bool send_term(Process& from, Term to, Term message);
/// To a pid from outside any process.
bool send_message(Vm& vm, Term pid, Term message);

}  // namespace wb
