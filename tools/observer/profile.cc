#include "tools/observer/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "vm/observe/json.h"

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

size_t FunctionTiers::most() const {
  return static_cast<size_t>(std::max_element(samples, std::end(samples)) - samples);
}

std::string FunctionTiers::text() const {
  double all = samples[0] + samples[1] + samples[2];
  std::string text;
  for (size_t k = std::size(samples); k-- > 0;) {
    if (samples[k] <= 0) continue;
    text +=
        fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", kNames[k], samples[k] / all * 100);
  }
  return text;
}

std::map<std::string, FunctionTiers> function_tiers(const JsonValue& profile) {
  std::map<std::string, FunctionTiers> all;
  for (const JsonValue& row : profile["tiers"].list()) {
    if (row.list().size() != 4) continue;
    FunctionTiers& of = all[row.list()[0].text()];
    for (size_t k = 0; k < 3; ++k) of.samples[k] = row.list()[k + 1].number();
  }
  return all;
}

std::string folded_stacks(const JsonValue& profile) {
  std::string out;
  for (const JsonValue& entry : profile["stacks"].list()) {
    if (entry.list().size() != 2) continue;
    out += entry.list()[0].text() + ' ' + std::to_string(entry.list()[1].integer()) + '\n';
  }
  return out;
}

std::string speedscope_json(const JsonValue& profile) {
  std::map<std::string, size_t> numbers;
  std::vector<const std::string*> names;
  std::string samples, weights, out;
  JsonWriter s(samples), n(weights), w(out);
  s.open('['), n.open('[');
  double all = 0;
  for (const JsonValue& entry : profile["stacks"].list()) {
    if (entry.list().size() != 2) continue;
    const std::string& stack = entry.list()[0].text();
    s.open('[');
    for (size_t at = 0; at < stack.size();) {
      size_t end = std::min(stack.find(';', at), stack.size());
      auto [known, fresh] = numbers.try_emplace(stack.substr(at, end - at), numbers.size());
      if (fresh) names.push_back(&known->first);
      s.number(known->second);
      at = end + 1;
    }
    s.close(']');
    n.number(entry.list()[1].integer());
    all += entry.list()[1].number();
  }
  s.close(']'), n.close(']');
  w.open('{').text("$schema", "https://www.speedscope.app/file-format-schema.json");
  w.object("shared").array("frames");
  for (const std::string* name : names) w.open('{').text("name", *name).close('}');
  w.close(']').close('}').array("profiles").open('{');
  w.text("type", "sampled").text("name", "whitebeam").text("unit", "none");
  w.number("startValue", 0).number("endValue", all);
  w.key("samples").raw(samples).key("weights").raw(weights).close('}').close(']').close('}');
  return out;
}

}  // namespace wb
