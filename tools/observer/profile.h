// Sampled stacks as a tree, and as files other programs read.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/observer/client.h"

namespace wb {

struct FlameNode {
  std::string function;
  double total = 0, self = 0;
  std::vector<std::unique_ptr<FlameNode>> children;
  FlameNode& child(const std::string& name);
};

/// Of the answer to `profile`; children with most samples first.
FlameNode flame_tree(const JsonValue& profile);
/// Samples with a function on their stack, by what ran it then.
struct FunctionTiers {
  static constexpr const char* kNames[] = {"interpreter", "baseline", "LLVM"};
  double samples[3] = {};
  size_t most() const;
  /// "LLVM 97 %, baseline 3 %"
  std::string text() const;
};
std::map<std::string, FunctionTiers> function_tiers(const JsonValue& profile);
/// `outermost;...;innermost COUNT` lines: flamegraph.pl and speedscope read them.
std::string folded_stacks(const JsonValue& profile);
/// For speedscope.app.
std::string speedscope_json(const JsonValue& profile);

}  // namespace wb
