// What columns.def says of each column.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wb {

enum class ProcessColumn : uint8_t {
#define NUMBER(name, ...) name,
#define CHANGE NUMBER
#define MINUTE NUMBER
#define RANK NUMBER
#define TEXT NUMBER
#define TOLD NUMBER
#include "vm/observe/columns.def"
};

/// What a number counts. `columns` tells some of these in other units (told_unit).
enum class ColumnUnit : uint8_t {
  count,
  bytes,
  pauses,       ///< of kPauseTicks; told as nanoseconds
  waits,        ///< codes of wait_times.h; told as nanoseconds
  rate,         ///< a change, shown as so many a second
  growth,       ///< a change, shown with its sign
  byte_rate,    ///< a change of bytes, shown as so many a second, with its sign
  byte_pace,    ///< bytes a minute
  pause_share,  ///< a change of pauses; told as nanoseconds, shown as a share of the time
  text,
};

constexpr std::string_view told_unit(ColumnUnit unit) {
  switch (unit) {
    case ColumnUnit::count:
      return "count";
    case ColumnUnit::bytes:
      return "bytes";
    case ColumnUnit::pauses:
    case ColumnUnit::waits:
      return "ns";
    case ColumnUnit::rate:
      return "rate";
    case ColumnUnit::growth:
      return "growth";
    case ColumnUnit::byte_rate:
      return "byte rate";
    case ColumnUnit::byte_pace:
      return "bytes a minute";
    case ColumnUnit::pause_share:
      return "share";
    case ColumnUnit::text:
      return "text";
  }
}

struct ColumnFacts {
  enum Kind : uint8_t { number, change, rank, text, told };
  enum Place : uint8_t { near, block, afar };
  enum Quiet : uint8_t { noted, zero, unknown };

  Kind kind;
  std::string_view name, key, title;
  ColumnUnit unit;
  int width;
  Place place;
  Quiet quiet;
  std::string_view hint;

  bool is_text() const { return kind == rank || kind == text; }
  bool is_change() const { return kind == change; }
  /// Measured only once somebody orders or filters by it.
  bool is_growth() const { return unit == ColumnUnit::byte_rate || unit == ColumnUnit::byte_pace; }
};

constexpr ColumnFacts kColumns[] = {
#define FACTS(kind, name, key, title, unit, width, place, quiet, hint)                  \
  {ColumnFacts::kind,  #name, #key, title, ColumnUnit::unit, width, ColumnFacts::place, \
   ColumnFacts::quiet, hint},
#define NUMBER(name, key, title, unit, width, place, quiet, type, reader, hint) \
  FACTS(number, name, key, title, unit, width, place, quiet, hint)
#define CHANGE(name, key, title, unit, width, place, hint) \
  FACTS(change, name, key, title, unit, width, place, zero, hint)
#define MINUTE(name, key, title, unit, width, place, hint) \
  FACTS(change, name, key, title, unit, width, place, noted, hint)
#define RANK(name, key, title, width, place, type, reader, shown, hint) \
  FACTS(rank, name, key, title, text, width, place, unknown, hint)
#define TEXT(name, key, title, width, place, order, shown, hint) \
  FACTS(text, name, key, title, text, width, place, unknown, hint)
#define TOLD(key, title, width, hint) FACTS(told, key, key, title, text, width, afar, unknown, hint)
#include "vm/observe/columns.def"
#undef FACTS
};

class JsonWriter;
/// As `columns` answers it: an object.
void write_column(JsonWriter& w, const ColumnFacts& c);

constexpr const ColumnFacts& facts_of(ProcessColumn c) { return kColumns[static_cast<size_t>(c)]; }

/// One that processes are ordered and filtered by.
constexpr std::optional<ProcessColumn> column_named(std::string_view name) {
  for (size_t k = 0; k < std::size(kColumns); ++k) {
    if (kColumns[k].name == name && kColumns[k].kind != ColumnFacts::told) {
      return static_cast<ProcessColumn>(k);
    }
  }
  return {};
}

}  // namespace wb
