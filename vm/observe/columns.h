// What columns.def says of each column.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wb {

enum class ProcessColumn : uint8_t {
#define NUMBER(name, place, quiet) name,
#define TEXT NUMBER
#include "vm/observe/columns.def"
#undef TEXT
#undef NUMBER
};

struct ColumnFacts {
  enum Place : uint8_t { near, block, afar };
  enum Quiet : uint8_t { noted, zero, nothing };

  std::string_view name;
  bool is_text;
  Place place;
  Quiet quiet;

  bool is_change() const { return quiet == zero; }
};

constexpr ColumnFacts kColumns[] = {
#define NUMBER(name, place, quiet) {#name, false, ColumnFacts::place, ColumnFacts::quiet},
#define TEXT(name, place, quiet) {#name, true, ColumnFacts::place, ColumnFacts::quiet},
#include "vm/observe/columns.def"
#undef TEXT
#undef NUMBER
};

constexpr const ColumnFacts& facts_of(ProcessColumn c) { return kColumns[static_cast<size_t>(c)]; }

constexpr std::optional<ProcessColumn> column_named(std::string_view name) {
  for (size_t k = 0; k < std::size(kColumns); ++k) {
    if (kColumns[k].name == name) return static_cast<ProcessColumn>(k);
  }
  return {};
}

}  // namespace wb
