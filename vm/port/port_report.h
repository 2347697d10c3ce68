// Ports as text, in the words of BEAM's dumps, which tools take apart.
#pragma once

#include <string>

namespace wb {

class Vm;

/// "=port:#Port<0.3>" and what follows, of each port that is open.
std::string port_report(Vm& vm);

}  // namespace wb
