// doc_tables NAME: a table of the documents, made of the .def file that says it
// (tests/generated_docs).
#include <fmt/format.h>

#include <string_view>

#include "vm/observe/columns.h"

namespace wb {
namespace {

void print_columns() {
  fmt::print("| column | in a row | unit | shown as | |\n|---|---|---|---|---|\n");
  for (const ColumnFacts& c : kColumns) {
    std::string name = c.kind == ColumnFacts::told ? "" : fmt::format("`{}`", c.name);
    fmt::print("| {} | `{}` | {} | {} | {}{} |\n", name, c.key, told_unit(c.unit), c.title, c.hint,
               c.is_change() ? ", since the last tick" : "");
  }
}

constexpr struct {
  std::string_view name;
  void (*print)();
} kTables[] = {{"columns", print_columns}};

}  // namespace
}  // namespace wb

int main(int argc, char** argv) {
  for (const auto& table : wb::kTables) {
    if (argc == 2 && table.name == argv[1]) return table.print(), 0;
  }
  fmt::print(stderr, "no such table\n");
  return 1;
}
