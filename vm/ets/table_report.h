// A table as text, in the words of BEAM's dumps, which tools take apart.
#pragma once

#include <string>

namespace wb {

class Table;

/// "=ets:<0.42.0>" and what follows. `objects`: with what stands in its slots, which of an ordered
/// set BEAM does not show either.
std::string table_report(Table& t, bool objects);

}  // namespace wb
