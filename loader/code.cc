#include "loader/code.h"

#include <cstdlib>

#include "loader/code_words.h"

namespace wb {

namespace {

/// The last of what is in order whose start is not behind `offset`, or nullptr. Traces ask for
/// places all over a module, which no branch predictor can know: there is none to predict.
template <class T, class Start>
const T* last_from(const std::vector<T>& all, uint32_t offset, Start start) {
  const T* at = all.data();
  if (all.empty() || start(*at) > offset) return nullptr;
  for (size_t n = all.size(); n > 1;) {
    const size_t half = n / 2;
    at += half & -static_cast<size_t>(start(at[half]) <= offset);
    n -= half;
  }
  return at;
}

}  // namespace

const Module::Function* Module::function_at(const Word* pc) const {
  auto offset = static_cast<uint32_t>(pc - code);
  return last_from(functions, offset, [](const Function& f) { return f.start; });
}

SourceLocation Module::location(const Word* pc) const {
  auto offset = static_cast<uint32_t>(pc - code);
  const LineEntry* e = last_from(lines, offset, [](const LineEntry& l) { return l.offset; });
  if (!e || e->line == 0 || e->file >= files.size()) return {};
  return {files[e->file].name, files[e->file].pair, e->line};
}

Module::Module() = default;
Module::~Module() {
  hot.reset();  // until then somebody may still invalidate it, who writes words
  native.reset();
  free(code);
}

}  // namespace wb
