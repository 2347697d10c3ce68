// What `groups` says, as rows of a table: the tree of groups, what each uses of its budgets.
#pragma once

#include <vector>

#include "tools/observer/json_value.h"
#include "tools/observer/table.h"

namespace wb {

std::vector<Column> group_columns();

/// Groups below the one that they are part of. A row's key is a filter of processes. `before`: an
/// earlier answer, of which rates are made, or null.
std::vector<TableWidget::Row> group_rows(const JsonValue& now, const JsonValue& before);

}  // namespace wb
