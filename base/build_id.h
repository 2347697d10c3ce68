// Which build of the machine this is: what one build has written another does not understand.
#pragma once

#include <array>
#include <cstdint>

namespace wb {

using BuildId = std::array<uint8_t, 24>;  ///< 20 bytes

/// The executable's, from the note that the linker leaves in it. False: there is none.
bool find_build_id(BuildId* id);

}  // namespace wb
