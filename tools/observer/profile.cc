#include "tools/observer/profile.h"

#include <algorithm>

namespace wb {

FlameNode& FlameNode::child(const std::string& name) {
  for (auto& c : children) {
    if (c->function == name) return *c;
  }
  children.push_back(std::make_unique<FlameNode>());
  children.back()->function = name;
  return *children.back();
}

static void sort(FlameNode& node) {
  std::sort(node.children.begin(), node.children.end(),
            [](const auto& a, const auto& b) { return a->total > b->total; });
  for (auto& c : node.children) sort(*c);  // as deep as stacks: 100
}

FlameNode flame_tree(const JsonValue& profile) {
  FlameNode root;
  for (const JsonValue& entry : profile["stacks"].list()) {
    if (entry.list().size() != 2) continue;
    const std::string& stack = entry.list()[0].text();
    double count = entry.list()[1].number();
    FlameNode* node = &root;
    node->total += count;
    for (size_t at = 0; at <= stack.size() && !stack.empty();) {
      size_t end = std::min(stack.find(';', at), stack.size());
      node = &node->child(stack.substr(at, end - at));
      node->total += count;
      at = end + 1;
    }
    node->self += count;
  }
  sort(root);
  return root;
}

std::string folded_stacks(const JsonValue& profile) {
  std::string out;
  for (const JsonValue& entry : profile["stacks"].list()) {
    if (entry.list().size() != 2) continue;
    out += entry.list()[0].text() + ' ' + std::to_string(entry.list()[1].integer()) + '\n';
  }
  return out;
}

}  // namespace wb
