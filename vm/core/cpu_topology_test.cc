#include "vm/core/cpu_topology.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include <catch2/catch.hpp>

using namespace wb;

static CpuTopology topology(std::string_view text) {
  CpuTopology t;
  CHECK(parse_topology(text, &t) == "");
  return t;
}
static std::string wrong(std::string_view text) {
  CpuTopology t;
  return std::string(parse_topology(text, &t));
}

TEST_CASE("what +sct says and what is wrong with it") {
  CHECK(topology("L0-1c0-1p0:").size() == 2);
  CHECK(topology("L1-0c0-1p0")[0].logical == 1);
  CHECK(topology("L0c0n0p0:L1c0n1p0")[1].processor_node == 1);
  for (auto [text, why] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"", "missing cpu topology"},
           {":", "missing logical identifier"},
           {"c0p0", "missing logical identifier"},
           {"L0:::L1", "missing logical identifier"},
           {"x", "invalid identifier type"},
           {"L0 c0", "invalid identifier type"},
           {"L", "invalid identifier"},
           {"L-1", "invalid identifier"},
           {"L0c", "invalid identifier"},
           {"L70000c0", "invalid identifier"},
           {"L99999999999", "invalid identifier"},
           {"L0-", "invalid identifier range"},
           {"L0-3t0-1c0p0", "invalid identifier range"},
           {"T0L0", "invalid hierarchy"},
           {"c0-1p0L0-1", "invalid hierarchy"},
           {"L0c0c1", "invalid hierarchy"},
           {"L0-1", "not unique entities"},
           {"L0c0:L1c0", "not unique entities"},
           {"L0,0c0,1", "not unique logical identifiers"},
           {"L0p0n0:L1p1n0:L2p0n1:L3p1n1", "invalid nodes declaration"},
           {"L0n0:L1n1", "invalid nodes declaration"},
           {"L0c0n0:L1c1n1p0", "invalid nodes declaration"},
           {"L1c0p0n0:L0c1p1", "invalid nodes declaration"}}) {
    CHECK(wrong(text) == why);
  }
}

TEST_CASE("in which order logical processors are taken") {
  using Order = std::vector<int32_t>;
  const CpuTopology nodes = topology(
      "L0-1t0-1c0p0n0:L2-3t0-1c1p0n0:L4-5t0-1c0p1n0:L6-7t0-1c1p1n0"
      ":L8-9t0-1c0p2n1:L10-11t0-1c1p2n1:L12-13t0-1c0p3n1:L14-15t0-1c1p3n1");
  CHECK(binding_order(nodes, BindType::thread_spread) ==
        Order{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15});
  CHECK(binding_order(nodes, BindType::processor_spread) ==
        Order{0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15});
  CHECK(binding_order(nodes, BindType::spread) ==
        Order{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15});
  CHECK(binding_order(nodes, BindType::no_node_thread_spread) ==
        Order{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15});
  CHECK(binding_order(nodes, BindType::no_node_processor_spread) ==
        Order{0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15});
  CHECK(binding_order(nodes, kDefaultBind) ==
        Order{0, 4, 2, 6, 8, 12, 10, 14, 1, 5, 3, 7, 9, 13, 11, 15});

  const CpuTopology mixed = topology(
      "L0-1t0-1c0p0n0:L2-3t0-1c1p0n0:L4-5t0-1c0p1n0:L6-7t0-1c1p1n0"
      ":L8-9t0-1c0n1p2:L10-11t0-1c1n1p2:L12-13t0-1c2n2p2:L14-15t0-1c3n2p2"
      ":L16-17t0-1c0p3n3:L18-19t0-1c1p3n3:L20-21t0-1c0p4n3:L22-23t0-1c1p4n3"
      ":L24-25t0-1c0n4p5:L26-27t0-1c1n4p5:L28-29t0-1c2n5p5:L30-31t0-1c3n5p5");
  CHECK(binding_order(mixed, BindType::processor_spread) ==
        Order{0, 4, 8, 16, 20, 24, 2, 6, 10, 18, 22, 26, 12, 28, 14, 30,
              1, 5, 9, 17, 21, 25, 3, 7, 11, 19, 23, 27, 13, 29, 15, 31});
  CHECK(binding_order(mixed, BindType::spread) == Order{0,  8,  16, 24, 4,  20, 12, 28, 2,  10, 18,
                                                        26, 6,  22, 14, 30, 1,  9,  17, 25, 5,  21,
                                                        13, 29, 3,  11, 19, 27, 7,  23, 15, 31});
  CHECK(binding_order(mixed, BindType::no_node_processor_spread) ==
        Order{0,  4,  2,  6,  1,  5,  3,  7,  8,  10, 9,  11, 12, 14, 13, 15,
              16, 20, 18, 22, 17, 21, 19, 23, 24, 26, 25, 27, 28, 30, 29, 31});
}

TEST_CASE("the topology of a computer") {
  const CpuTopology here = detect_topology();
  std::set<int32_t> logical;
  for (const Cpu& c : here) logical.insert(c.logical);
  CHECK(logical.size() == here.size());
  CHECK(detect_topology("/nonexistent").empty());

  const std::string root = std::filesystem::temp_directory_path() / "wb_cpu_topology_test";
  const auto put = [&](const std::string& file, const std::string& text) {
    const std::filesystem::path path = root + "/sys/devices/system/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  };
  put("cpu/online", "0-7");
  put("node/online", "0-1");
  put("node/node0/cpulist", "0-1,4-5");
  put("node/node1/cpulist", "2-3,6-7");
  for (int l = 0; l < 8; ++l) {
    const std::string at = "cpu/cpu" + std::to_string(l) + "/topology/";
    put(at + "physical_package_id", std::to_string(l % 4 / 2));
    put(at + "core_id", std::to_string(l % 2));
  }
  const CpuTopology two = detect_topology(root);
  REQUIRE(two.size() == 8);
  CHECK(two[1] == Cpu{.node = 0, .processor = 0, .core = 0, .thread = 1, .logical = 4});
  CHECK(two[7] == Cpu{.node = 1, .processor = 1, .core = 1, .thread = 1, .logical = 7});
  std::filesystem::remove_all(root);
}
