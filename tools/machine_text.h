// Machine code as text, by binutils' objdump.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace wb {

/// Address -> text of the instruction there. `names`: of addresses that instructions mention.
/// False: there is no objdump, or it does not run.
bool machine_text(uint64_t address, const std::string& bytes,
                  const std::map<uint64_t, std::string>& names,
                  std::map<uint64_t, std::string>* out);

}  // namespace wb
