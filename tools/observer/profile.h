// Sampled stacks as a tree, and as files other programs read.
#pragma once

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
/// `outermost;...;innermost COUNT` lines: flamegraph.pl and speedscope read them.
std::string folded_stacks(const JsonValue& profile);
/// For speedscope.app.
std::string speedscope_json(const JsonValue& profile);

}  // namespace wb
