#include "tools/observer/column_chooser.h"

#include <algorithm>

#include "tools/observer/terminal.h"

namespace wb {

void ColumnChooser::open(const ProcessColumns& columns, const ObserverSettings& settings) {
  open_ = true;
  table_.select(0);
  list(columns, settings);
}

void ColumnChooser::list(const ProcessColumns& columns, const ObserverSettings& settings) {
  const std::vector<Column> shown = columns.of_table(settings.columns);
  table_.rows.clear();
  for (size_t k = 0; k < shown.size(); ++k) {
    const ProcessColumns::Column& c = columns.all[k];
    table_.rows.push_back(
        {{shown[k].hidden ? "[ ]" : "[x]", c.title, c.name, c.hint}, c.id(), kPlain});
  }
}

void ColumnChooser::draw(Screen& s, int first, int end) {
  s.put(first, 0, "columns, those in front first if there is no room for all", kBold);
  table_.draw(s, first + 1, end);
}

bool ColumnChooser::key(int key, const ProcessColumns& columns, ObserverSettings& settings,
                        Navigation& where) {
  if (key == 'b' || key == 'C' || key == kKeyEscape || key == kKeyBackspace) {
    open_ = false;
    return true;
  }
  if (key == 'a') {
    settings.columns.clear();
  } else if ((key == ' ' || key == kKeyEnter) && table_.selected()) {
    const std::string turned = table_.selected()->key;
    std::vector<std::string> chosen;
    for (const TableWidget::Row& row : table_.rows) {
      const bool was = row.cells[0] == "[x]";
      if (was != (row.key == turned)) chosen.push_back(row.key);
    }
    if (chosen.empty()) return true;
    for (const std::string& name : settings.columns) {  // of other machines
      const bool here = std::any_of(columns.all.begin(), columns.all.end(),
                                    [&](const auto& c) { return c.id() == name; });
      if (!here) chosen.push_back(name);
    }
    settings.columns = std::move(chosen);
  } else {
    return table_.key(key);
  }
  const std::string error = settings.save();
  if (!error.empty()) where.message = "not kept: " + settings.path + ": " + error;
  list(columns, settings);
  return true;
}

}  // namespace wb
