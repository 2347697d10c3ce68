// What one page asks, handed on to the machine, or to the list of all (`machines`). The page is not
// believed: a request is taken apart and written anew, so that what is checked here is what the
// machine reads, and only those that were started with --allow-actions ever ask to act.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "tools/observer/client.h"
#include "tools/observer/machine_list.h"

namespace wb {

class WebRelay {
 public:
  /// `machine`: as for find_machine, which is asked again when the machine has gone.
  /// `list`: of all machines; null: this page is of one. `over`: nobody waits for answers any more.
  WebRelay(std::string machine, MachineList* list, bool actions, const std::atomic<bool>& over)
      : machine_(std::move(machine)), list_(list), actions_(actions) {
    client_.late = [&over](int) { return !over.load(std::memory_order_relaxed); };
  }

  /// The answer's text: the machine's, or an error of ours. `"gone": true` in it: there is no
  /// machine.
  std::string reply_to(std::string_view request);

 private:
  bool reach(std::string* error);
  std::string list_machines(const JsonValue& request);
  const std::string machine_;
  MachineList* const list_;
  const bool actions_;
  ObserverClient client_;
};

}  // namespace wb
