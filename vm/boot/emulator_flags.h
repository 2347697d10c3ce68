// The command line of `beam.smp`, which erlexec makes of erl's: `beam.smp [flags] -- boot
// arguments`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vm/core/clock.h"
#include "vm/core/cpu_topology.h"

namespace wb {

/// What a break (SIGINT) does: +B.
enum class BreakMode : uint8_t { menu, shell, disabled, ignored };

struct EmulatorFlags {
  static constexpr uint64_t kForEver = UINT64_MAX;
  uint32_t schedulers = 0, schedulers_online = 0;              ///< 0: as many as the machine suits
  uint32_t dirty_schedulers = 0, dirty_schedulers_online = 0;  ///< those that compute; 0: the same
  uint32_t dirty_io_schedulers = 10;
  uint32_t max_tables = 0;  ///< 0: not given
  std::optional<TimeWarp> time_warp;
  bool time_correction = true;
  uint32_t async_threads = 1;
  uint32_t max_processes = 0, max_ports = 0, max_atoms = 0;  ///< 0: not given
  std::optional<uint32_t> min_heap, min_bin_vheap;
  std::optional<uint64_t> max_heap;
  bool max_heap_kill = true, max_heap_log = true, max_heap_shared = false;
  bool off_heap_messages = false;
  bool unicode_is_printable = false;
  char file_names = 'a', untranslated = 'w';  ///< +fn
  std::optional<uint32_t> outstanding_requests;
  std::optional<uint64_t> node_delay;  ///< seconds (NodeTable::set_delay); kForEver
  uint32_t dist_busy_kilobytes = 0;    ///< 0: not given (Distribution::busy_limit)
  char warnings = 'w';                 ///< what warnings are: w, i(nfo), e(rrors)
  BreakMode on_break = BreakMode::menu;
  bool perf_map = false;
  bool version = false;  ///< print it and end
  int pollsets = 1, poll_threads = 1;
  CpuTopology topology;          ///< +sct
  bool detects_topology = true;  ///< neither +sct nor +ssrct
  BindType bind_type = BindType::unbound;
  /// As they were given (+S, +SP, +SDcpu, +SDPcpu), of which the numbers above are made.
  struct Counts {
    std::optional<int> total, online;
  };
  std::optional<Counts> count, percentage, dirty_count, dirty_percentage;
  /// The value of +sbt, and whether +sct came before.
  struct Bind {
    std::string flag;
    bool after_topology;
  };
  std::optional<Bind> bind;
  std::string warning;    ///< to be printed before the boot
  std::string complaint;  ///< of a flag's effect, instead of the one in the table
  std::string boot_module = "init";
  std::vector<std::string> boot_arguments;  ///< what follows the first `--`
};

/// False: `*complaint` is what to say of it on standard error (a line of its own, empty: just the
/// usage).
bool parse_emulator_flags(const std::vector<std::string>& arguments, EmulatorFlags* flags,
                          std::string* complaint);

/// The value of a boot flag such as "-root"; empty: it is not there.
std::string boot_flag(const EmulatorFlags& flags, const std::string& name);

}  // namespace wb
