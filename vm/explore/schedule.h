// What makes a run another one than the usual: the switches.
//
// Left alone, a run goes on with the process that runs until it waits or ends, then with whoever
// has stood in the queue longest, and moves the clock when nobody can run. A switch is a place at
// which it does something else: process A is about to do its Nth operation (or has stopped after
// it), and another one runs, or the clock moves first. Places and processes are named by what the
// program does, not by counting choices, so a switch keeps its meaning when others are left out;
// that is what lets a schedule be shrunk (shrink.h). Of a switch whose place is not reached, or
// whose process cannot run there, nothing becomes.
//
// A fault of the outside (vm/io/outside.h) is a switch, too: at the Nth operation of a kind on some
// thing, "write:/tmp/x", that fault happens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace wb {

/// Processes by whom they come from: "main", the second that it has spawned "main.2" ...; "clock".
/// Operations of the outside by their OutsidePlace.
struct Spot {
  std::string who;         ///< that ran; empty: nobody yet
  uint32_t operation = 0;  ///< how many it has done
  uint32_t turn = 0;       ///< which choice there
  auto operator<=>(const Spot&) const = default;
};

struct Switch {
  Spot at;
  std::string to;
};
using Switches = std::vector<Switch>;
/// For people: "after operation 1 of main.1 main.3 runs".
std::string switch_text(const Switch& s);

/// A schedule as a file: of which build and program, what becomes of it, and its switches.
struct Schedule {
  std::string program;  ///< name of the module, and the hash of its code
  std::string code;
  std::string function;
  std::vector<std::string> args;
  std::string ending;                          ///< the class, in a line
  uint64_t patience_ms = 0;                    ///< ExploreOptions
  std::vector<std::string> modules, services;  ///< loaded and started before
  Switches switches;
};

std::string to_file(const Schedule& s);
Result<Schedule, std::string> schedule_of_file(const std::string& text);

}  // namespace wb
