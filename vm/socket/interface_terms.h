// Names and flags of network interfaces.
#pragma once

#include "term/heap.h"

namespace wb {

Term text_term(Heap& h, const char* text);  ///< a list of characters
Term interface_flag_terms(Heap& h, unsigned flags);
Term hardware_type_term(int type);

}  // namespace wb
