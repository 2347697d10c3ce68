#include "loader/code.h"

#include <algorithm>
#include <cstdlib>

namespace wb {

const Module::Function* Module::function_at(const Word* pc) const {
  auto offset = static_cast<uint32_t>(pc - code);
  auto it = std::upper_bound(functions.begin(), functions.end(), offset,
                             [](uint32_t o, const Function& f) { return o < f.start; });
  return it == functions.begin() ? nullptr : &*(it - 1);
}

SourceLocation Module::location(const Word* pc) const {
  auto offset = static_cast<uint32_t>(pc - code);
  auto it = std::upper_bound(lines.begin(), lines.end(), offset,
                             [](uint32_t o, const LineEntry& e) { return o < e.offset; });
  if (it == lines.begin()) return {};
  --it;
  if (it->line == 0 || it->file >= files.size()) return {};
  return {files[it->file], it->line};
}

Module::~Module() { free(code); }

}  // namespace wb
