// Which logical processors there are and how they lie in threads, cores, processors and nodes of
// memory: as found in /sys or as somebody says (+sct, system_flag(cpu_topology, _)). A node holds
// processors, or a processor nodes. Numbers of processors and nodes are unique; a level about which
// nothing is said is number 0, a node -1.
//
// A bind type is an order in which schedulers take logical processors. All orders are made of the
// places of a logical processor: its number among the cores of its processor, and so on.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wb {

struct Cpu {
  int32_t node = -1, processor = 0, processor_node = -1, core = 0, thread = 0, logical = -1;
  bool operator==(const Cpu&) const = default;
};
using CpuTopology = std::vector<Cpu>;

enum class BindType : uint8_t {
#define BIND_TYPE(name, flag) name,
#include "vm/core/bind_types.def"
#undef BIND_TYPE
};
constexpr BindType kDefaultBind = BindType::thread_no_node_processor_spread;

std::string_view name_of(BindType type);
/// By its value of +sbt, `db` among them.
std::optional<BindType> bind_type_of_flag(std::string_view flag);
/// By its name, `default_bind` among them.
std::optional<BindType> bind_type_of_name(std::string_view name);

/// Brings it in order. What is wrong with it, in erl's words; empty: nothing.
std::string_view settle(CpuTopology* t);
/// The text of +sct: the same.
std::string_view parse_topology(std::string_view text, CpuTopology* t);
/// Of this computer; empty: it says nothing. `root`: where /sys is, for tests.
CpuTopology detect_topology(const std::string& root = "");
/// The logical processors in this order; `t` is settled.
std::vector<int32_t> binding_order(const CpuTopology& t, BindType type);

}  // namespace wb
