#include "vm/core/cpu_topology.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

namespace wb {

// --- bind types ----------------------------------------------------------------------------------
namespace {
struct Named {
  BindType type;
  std::string_view name, flag;
};
constexpr Named kTypes[] = {
#define BIND_TYPE(name, flag) {BindType::name, #name, flag},
#include "vm/core/bind_types.def"
#undef BIND_TYPE
};
}  // namespace

std::string_view name_of(BindType type) { return kTypes[static_cast<size_t>(type)].name; }
std::optional<BindType> bind_type_of_flag(std::string_view flag) {
  if (flag == "db") return kDefaultBind;
  for (const Named& t : kTypes) {
    if (t.flag == flag) return t.type;
  }
  return std::nullopt;
}
std::optional<BindType> bind_type_of_name(std::string_view name) {
  if (name == "default_bind") return kDefaultBind;
  for (const Named& t : kTypes) {
    if (t.name == name) return t.type;
  }
  return std::nullopt;
}

// --- what makes sense ----------------------------------------------------------------------------
static auto place_of(const Cpu& c) {
  return std::tuple(c.processor, c.processor_node, c.core, c.thread);
}
/// Each processor is in one node or has nodes of its own, which no other has; all say so, or none.
static bool has_right_nodes(const CpuTopology& t) {
  std::map<int32_t, std::pair<int32_t, bool>> of_processor;
  std::map<int32_t, int32_t> holder;  // of a node: -1, or the processor that it is in
  const bool says_nodes = t[0].node >= 0 || t[0].processor_node >= 0;
  for (const Cpu& c : t) {
    if ((c.node >= 0 || c.processor_node >= 0) != says_nodes) return false;
    const std::pair inside(c.node, c.processor_node >= 0);
    if (of_processor.try_emplace(c.processor, inside).first->second != inside) return false;
    if (!says_nodes) continue;
    const int32_t number = c.node >= 0 ? c.node : c.processor_node;
    const int32_t of = c.node >= 0 ? -1 : c.processor;
    if (holder.try_emplace(number, of).first->second != of) return false;
  }
  return true;
}

std::string_view settle(CpuTopology* t) {
  if (t->empty()) return "missing cpu topology";
  if (!has_right_nodes(*t)) return "invalid nodes declaration";
  std::vector<int32_t> logical;
  for (const Cpu& c : *t) logical.push_back(c.logical);
  std::sort(logical.begin(), logical.end());
  if (std::ranges::adjacent_find(logical) != logical.end()) return "not unique logical identifiers";
  // Processors of one node stand together: where its first one is.
  std::map<int32_t, int32_t> first;
  for (const Cpu& c : *t) {
    int32_t& least = first.try_emplace(c.node, c.processor).first->second;
    least = std::min(least, c.processor);
  }
  std::ranges::sort(*t, {}, [&](const Cpu& c) {
    return std::tuple(c.node >= 0 ? first[c.node] : c.processor, place_of(c));
  });
  const auto same = [](const Cpu& a, const Cpu& b) { return place_of(a) == place_of(b); };
  if (std::ranges::adjacent_find(*t, same) != t->end()) return "not unique entities";
  return {};
}

// --- +sct ----------------------------------------------------------------------------------------
namespace {
constexpr int32_t kMostIds = 65536;

struct Ids {
  std::vector<int32_t> all;
  std::string_view wrong;
};
bool take_number(std::string_view* text, int32_t* n) {
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, *n);
  if (error != std::errc() || rest == text->data() || (*text)[0] == '-') return false;
  text->remove_prefix(static_cast<size_t>(rest - text->data()));
  return *n < kMostIds;
}
/// N, N-M, and several of those with commas between.
Ids take_ids(std::string_view* text) {
  Ids ids;
  for (;;) {
    int32_t from, to;
    if (!take_number(text, &from)) return {{}, "invalid identifier"};
    to = from;
    if (text->starts_with('-')) {
      text->remove_prefix(1);
      if (!take_number(text, &to)) return {{}, "invalid identifier range"};
    }
    const int32_t step = from <= to ? 1 : -1;
    for (int32_t n = from; n != to + step; n += step) ids.all.push_back(n);
    if (ids.all.size() > kMostIds) return {{}, "invalid identifier range"};
    if (!text->starts_with(',')) return ids;
    text->remove_prefix(1);
  }
}

/// Levels in the order in which they may be said.
enum Level { logical, thread, core, processor, node, levels, none = -1 };
Level level_of(char c) {
  switch (c) {
    case 'L':
      return logical;
    case 'T':
    case 't':
      return thread;
    case 'C':
    case 'c':
      return core;
    case 'P':
    case 'p':
      return processor;
    case 'N':
    case 'n':
      return node;
    default:
      return none;
  }
}

/// What stands between two colons.
std::string_view take_cpus(std::string_view* text, CpuTopology* t) {
  std::array<std::vector<int32_t>, levels> ids;
  Level last = none;
  bool node_inside = false;
  while (!text->empty() && !text->starts_with(':')) {
    const Level level = level_of(text->front());
    if (level == none) return "invalid identifier type";
    const bool inner_node = last == node && level == processor && !node_inside;
    if (!ids[level].empty() || (level < last && !inner_node)) return "invalid hierarchy";
    if (last == none && level != logical) {
      const bool comes = text->substr(0, text->find(':')).find('L') != std::string_view::npos;
      return comes ? "invalid hierarchy" : "missing logical identifier";
    }
    text->remove_prefix(1);
    Ids found = take_ids(text);
    if (!found.wrong.empty()) return found.wrong;
    ids[level] = std::move(found.all);
    node_inside |= inner_node;
    last = inner_node ? node : level;
  }
  const size_t n = ids[logical].size();
  if (n == 0) return "missing logical identifier";
  for (const auto& some : ids) {
    if (some.size() > 1 && some.size() != n) return "invalid identifier range";
  }
  for (size_t k = 0; k < n; ++k) {
    const auto id = [&](Level level, int32_t otherwise) {
      const auto& some = ids[level];
      return some.empty() ? otherwise : some[some.size() == 1 ? 0 : k];
    };
    Cpu c;
    c.processor = id(processor, 0), c.core = id(core, 0), c.thread = id(thread, 0);
    c.logical = id(logical, -1);
    (node_inside ? c.processor_node : c.node) = id(node, -1);
    t->push_back(c);
  }
  return {};
}
}  // namespace

std::string_view parse_topology(std::string_view text, CpuTopology* t) {
  t->clear();
  while (!text.empty()) {
    const std::string_view wrong = take_cpus(&text, t);
    if (!wrong.empty()) return wrong;
    if (!text.empty()) text.remove_prefix(1);
  }
  return settle(t);
}

// --- of this computer ----------------------------------------------------------------------------
namespace {
int32_t number_in(const std::string& file) {
  std::ifstream in(file);
  int32_t n = -1;
  return in >> n ? n : -1;
}
/// "0-3,8": the kernel's lists are of the form of +sct's.
std::vector<int32_t> list_in(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line.empty()) return {};
  std::string_view text = line;
  Ids ids = take_ids(&text);
  return ids.wrong.empty() ? std::move(ids.all) : std::vector<int32_t>();
}
}  // namespace

CpuTopology detect_topology(const std::string& root) {
  const std::string system = root + "/sys/devices/system";
  std::map<int32_t, int32_t> node_of;
  for (int32_t n : list_in(system + "/node/online")) {
    for (int32_t l : list_in(system + "/node/node" + std::to_string(n) + "/cpulist"))
      node_of[l] = n;
  }
  CpuTopology t;
  std::map<std::pair<int32_t, int32_t>, int32_t> threads;  // of a core, so far
  std::map<int32_t, int32_t> first_node;                   // of a processor
  bool nodes_inside = false, nodes_known = true;
  for (int32_t l : list_in(system + "/cpu/online")) {
    const std::string place = system + "/cpu/cpu" + std::to_string(l) + "/topology/";
    Cpu c;
    c.processor = number_in(place + "physical_package_id");
    c.core = number_in(place + "core_id");
    c.logical = l;
    if (c.processor < 0 || c.core < 0) return {};
    c.thread = threads[{c.processor, c.core}]++;
    auto at = node_of.find(l);
    nodes_known &= at != node_of.end();
    if (at != node_of.end()) {
      c.node = at->second;
      nodes_inside |= first_node.try_emplace(c.processor, c.node).first->second != c.node;
    }
    t.push_back(c);
  }
  const bool many = std::ranges::any_of(t, [&](const Cpu& c) { return c.node != t[0].node; });
  for (Cpu& c : t) {
    const int32_t node = std::exchange(c.node, -1);
    if (many && nodes_known) (nodes_inside ? c.processor_node : c.node) = node;
  }
  return settle(&t).empty() ? t : CpuTopology();
}

// --- orders --------------------------------------------------------------------------------------
namespace {
/// Where a logical processor is: numbers from 0, by the order of the whole.
struct Place {
  int32_t logical, position;
  int32_t top;                // of the node or processor that is in nothing
  int32_t node;               // of all nodes
  int32_t processor;          // of all processors
  int32_t processor_in_node;  // 0 in what has nodes of its own
  int32_t node_in_processor;
  int32_t core_in_processor, core_in_node, thread;
};

/// Numbers what is new to it within what holds it.
class Numbers {
 public:
  using Key = std::tuple<int32_t, int32_t, int32_t>;
  int32_t of(Key holder, Key key) {
    auto& seen = seen_[holder];
    return seen.try_emplace(key, static_cast<int32_t>(seen.size())).first->second;
  }

 private:
  std::map<Key, std::map<Key, int32_t>> seen_;
};

std::vector<Place> places(const CpuTopology& t) {
  Numbers tops, nodes, processors, in_node, in_processor, cores, node_cores, threads;
  std::vector<Place> all;
  constexpr Numbers::Key whole = {};
  for (const Cpu& c : t) {
    const Numbers::Key top =
        c.node >= 0 ? Numbers::Key{0, c.node, 0} : Numbers::Key{1, c.processor, 0};
    const Numbers::Key processor = {c.processor, 0, 0}, core = {c.processor_node, c.core, 0};
    const Numbers::Key node = c.processor_node >= 0 ? Numbers::Key{1, c.processor, c.processor_node}
                              : c.node >= 0         ? top
                                                    : whole;
    Place p = {};
    p.logical = c.logical;
    p.position = static_cast<int32_t>(all.size());
    p.top = tops.of(whole, top);
    p.node = nodes.of(whole, node);
    p.processor = processors.of(whole, processor);
    p.processor_in_node = c.node >= 0 ? in_node.of(top, processor) : 0;
    p.node_in_processor = c.processor_node >= 0 ? in_processor.of(processor, node) : 0;
    p.core_in_processor = cores.of(processor, core);
    p.core_in_node = node_cores.of({c.processor, c.processor_node, 0}, core);
    p.thread = threads.of({c.processor, c.processor_node, c.core}, {c.thread, 0, 0});
    all.push_back(p);
  }
  return all;
}

using Key = std::array<int32_t, 6>;
Key key_of(const Place& p, BindType type) {
  switch (type) {
    case BindType::unbound:
    case BindType::no_spread:
      return {p.position};
    case BindType::thread_spread:
      return {p.thread, p.position};
    case BindType::processor_spread:
      return {p.thread, p.core_in_processor, p.processor, p.position};
    case BindType::spread:
      return {p.thread, p.core_in_node, p.node_in_processor, p.processor_in_node,
              p.top,    p.position};
    case BindType::no_node_thread_spread:
      return {p.node, p.thread, p.position};
    case BindType::no_node_processor_spread:
      return {p.node, p.thread, p.core_in_processor, p.processor, p.position};
    case BindType::thread_no_node_processor_spread:
      return {p.thread, p.node, p.core_in_processor, p.processor, p.position};
  }
  return {};
}
}  // namespace

std::vector<int32_t> binding_order(const CpuTopology& t, BindType type) {
  std::vector<Place> all = places(t);
  std::ranges::sort(all, {}, [&](const Place& p) { return key_of(p, type); });
  std::vector<int32_t> order;
  for (const Place& p : all) order.push_back(p.logical);
  return order;
}

}  // namespace wb
