// Nothing else may stand in this file: see beliefs.h.
#include "loader/beliefs.h"

namespace wb {

std::unique_ptr<Beliefs> believe(const CodeUnit&) { return nullptr; }

}  // namespace wb
