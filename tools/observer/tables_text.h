// What `tables` says, as rows of a table: what each takes, how much it is used, by whom.
#pragma once

#include <string>
#include <vector>

#include "tools/observer/json_value.h"
#include "tools/observer/table.h"

namespace wb {

std::vector<Column> ets_columns();

/// A row's key is the table's id. `before`: an earlier answer, of which rates are made, or null.
std::vector<TableWidget::Row> ets_rows(const JsonValue& now, const JsonValue& before);

/// Who has made or searched something, and where.
std::string maker_text(const JsonValue& maker);

}  // namespace wb
