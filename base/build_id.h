// Which build of a program or library a file is: what one build has written another does not
// understand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace wb {

using BuildId = std::array<uint8_t, 24>;  ///< 20 bytes

constexpr size_t kElfPage = 4096;
/// The executable's, from the note that the linker leaves in it. False: there is none.
bool find_build_id(BuildId* id);
/// That of an ELF file, of which the first kElfPage bytes are enough. False: it is none, or has
/// none there.
bool find_build_id(const std::string& file, BuildId* id);

}  // namespace wb
