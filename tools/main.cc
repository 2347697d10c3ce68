// The whitebeam command.
#include "tools/command_line.h"

/// jemalloc reads this at its start: larger blocks stay in the thread's cache, so that heaps that
/// come and go cost no trip to the shared arenas.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "lg_tcache_max:17";
}

namespace {
struct Dispatch {
  int operator()(int exit_code) const { return exit_code; }
  int operator()(const wb::RunOptions& options) const { return wb::cmd_run(options); }
  int operator()(const wb::DisasmCommand& command) const { return wb::cmd_disasm(command); }
  int operator()(const wb::DoctorCommand& command) const { return wb::cmd_doctor(command); }
};
}  // namespace

int main(int argc, char** argv) {
  return std::visit(Dispatch{}, wb::parse_command_line(argc, argv));
}
