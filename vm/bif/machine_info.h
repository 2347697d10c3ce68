// What the machine says of itself.
#pragma once

#include <string>

namespace wb {

class Vm;

/// system_info(system_version): the banner's line, with its end.
std::string system_version(Vm& vm);

}  // namespace wb
