#include "vm/jit/handler_names.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "bytecode/instructions.h"

namespace wb {

int handler_named(const std::string& symbol) {
  static const std::map<std::string, Instr> by_name = [] {
    std::map<std::string, Instr> m;
    for (unsigned i = 0; i < kInstrCount; ++i) m[kInstrInfo[i].name] = static_cast<Instr>(i);
    return m;
  }();
  if (symbol.rfind("_ZN2wb", 0) != 0 || symbol.find("3runE") == std::string::npos) return -1;
  char* rest;
  unsigned long length = strtoul(symbol.c_str() + 6, &rest, 10);
  std::string name(rest, length);
  if (name.rfind("h_", 0) != 0) return -1;
  auto it = by_name.find(name.substr(2));
  if (it == by_name.end()) return -1;
  OperandKind kinds[3] = {};
  unsigned n = 0;
  std::string args = symbol.substr(rest + length - symbol.c_str(), symbol.find("3runE"));
  for (const char* p = args.c_str(); n < 3 && *p; ++p) {
    for (const char* prefix : {"LNS_11OperandKindE", "LS1_"}) {
      size_t size = strlen(prefix);
      if (strncmp(p, prefix, size) == 0) kinds[n++] = static_cast<OperandKind>(p[size] - '0');
    }
  }
  if (n != shape_operands(info_of(it->second).shape)) return -1;
  return static_cast<int>(handler_index(it->second, kinds));
}

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
