// The nodes that are known as text, in the words of BEAM's dumps, which tools take apart.
#pragma once

#include <string>

namespace wb {

class Vm;

std::string node_report(Vm& vm);

}  // namespace wb
