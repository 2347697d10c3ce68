#include "vm/jit/hole_names.h"

#include <utility>

namespace wb {

bool hole_named(std::string_view symbol, HoleKind* kind, unsigned* operand) {
  static constexpr std::pair<std::string_view, HoleKind> kNames[] = {
      {"wb_next", HoleKind::next},
      {"wb_otherwise", HoleKind::otherwise},
      {"wb_finish", HoleKind::finish},
      {"wb_preempt", HoleKind::preempt_here},
      {"wb_number_", HoleKind::number},
      {"wb_bytes_", HoleKind::bytes},
      {"wb_minus_bytes_", HoleKind::minus_bytes},
      {"wb_word_", HoleKind::word},
      {"wb_list_", HoleKind::list},
      {"wb_branch_", HoleKind::branch},
      {"wb_preempt_", HoleKind::preempt}};
  for (auto [name, k] : kNames) {
    bool numbered = name.back() == '_';
    if (!symbol.starts_with(name) || symbol.size() != name.size() + numbered) continue;
    *kind = k;
    *operand = numbered ? static_cast<unsigned>(symbol.back() - '0') : 0;
    return true;
  }
  return false;
}

}  // namespace wb
