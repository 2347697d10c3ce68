// One of those between whom a run chooses: a process of the program, or the clock.
#pragma once

#include <cstdint>
#include <string>

#include "term/fault.h"
#include "term/term.h"

namespace wb {

struct Party {
  std::string path;                 ///< Spot::who
  Term pid = kNone;                 ///< kNone: the clock
  bool service = false;             ///< of the machine: runs at once, and nobody chooses
  bool stays = false;               ///< or its ancestor: was there before main, and is when it ends
  bool held = false;                ///< is about to do an operation
  bool granted = false;             ///< is to do it now
  bool polls = false;               ///< and the operation only looks
  const void* looked_at = nullptr;  ///< the instruction by which it has only looked, just now
  bool queued = false;              ///< stood in the queue at the last choice
  uint32_t operations = 0, children = 0;
  uint32_t priority = 0;       ///< the strategy's; 0: none yet
  uint64_t can_run_since = 0;  ///< virtual time
  uint64_t last_step = 0;
  uint32_t turns = 0, turns_at = 0;  ///< choices after it ran, since this many operations

  /// Of the choice that comes now: Spot::turn. A step may have no operation of its own (a message
  /// is received), so the next choice is at the same place though others have run meanwhile.
  uint32_t next_turn() {
    if (turns_at != operations) turns_at = operations, turns = 0;
    return turns++;
  }
  bool is_clock() const { return pid == kNone; }
};

}  // namespace wb
