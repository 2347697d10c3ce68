// Control data of messages: maps with level, type and data or value, and the system's bytes.
#pragma once

#include <string>

#include "term/heap.h"

namespace wb {

/// The list of maps that `size` bytes of control data are.
Term control_terms(Heap& h, const void* data, size_t size);
/// The bytes of a list of maps; false: it is none.
bool read_control(Term list, std::string* out);

}  // namespace wb
