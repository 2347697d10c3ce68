// What the machine says of itself.
#pragma once

#include <string>

namespace wb {

class Vm;
struct BifInfo;

/// system_info(system_version): the banner's line, with its end.
std::string system_version(Vm& vm);
/// False: native here, but in that release of OTP a function of a NIF library, or of Erlang, or not
/// there at all.
bool is_bif_in_otp(const BifInfo& bif, int release);

}  // namespace wb
