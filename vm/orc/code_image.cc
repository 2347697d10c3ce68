#include "vm/orc/code_image.h"

#include <algorithm>
#include <cstring>

#include "bytecode/instructions.h"

namespace wb {

namespace {
constexpr size_t size_of(CodeImage::Field f) {
  return f == CodeImage::Field::absolute64 ? sizeof(uint64_t) : sizeof(uint32_t);
}
}  // namespace

bool CodeImage::place(uint8_t* write, const uint8_t* run, std::span<const Word> symbol_values,
                      const Word* handler_table) const {
  memcpy(write, bytes.data(), bytes.size());
  for (const Fixup& f : fixups) {
    const Word to = f.refers == Refers::symbol    ? symbol_values[f.to]
                    : f.refers == Refers::handler ? handler_table[f.to]
                                                  : reinterpret_cast<Word>(run);
    const auto value = static_cast<int64_t>(to) + f.addend;
    const int64_t relative = value - reinterpret_cast<int64_t>(run + f.at);
    switch (f.field) {
      case Field::absolute64:
        memcpy(write + f.at, &value, sizeof value);
        break;
      case Field::absolute32:
        if (value < 0 || value > INT32_MAX) return false;
        memcpy(write + f.at, &value, sizeof(int32_t));
        break;
      case Field::relative32:
        if (relative != static_cast<int32_t>(relative)) return false;
        memcpy(write + f.at, &relative, sizeof(int32_t));
        break;
      case Field::count:
        return false;
    }
  }
  return true;
}

bool CodeImage::is_sound(size_t function_words) const {
  auto fits = [&](const Fixup& f) {
    if (f.field >= Field::count || f.at > bytes.size() || bytes.size() - f.at < size_of(f.field))
      return false;
    switch (f.refers) {
      case Refers::symbol:
        return f.to < symbols.size();
      case Refers::handler:
        return f.to < kHandlerCount;
      case Refers::itself:
        return true;
      case Refers::count:
        break;
    }
    return false;
  };
  auto is_entry = [&](const Entry& e) { return e.at < function_words && e.code < bytes.size(); };
  auto is_line = [&](const Line& l) { return l.code < bytes.size(); };
  return !entries.empty() && std::ranges::all_of(fixups, fits) &&
         std::ranges::all_of(entries, is_entry) && std::ranges::all_of(lines, is_line) &&
         std::ranges::all_of(symbols,
                             [](const Symbol& s) { return s.kind < Symbol::Kind::count; }) &&
         std::ranges::all_of(handlers, [](uint32_t h) { return h < kHandlerCount; });
}

}  // namespace wb
