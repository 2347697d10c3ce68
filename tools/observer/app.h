// The full-screen program: views by number, a line of keys, a refresh each second.
#pragma once

#include <string>

#include "tools/observer/client.h"

namespace wb {

struct AppOptions {
  std::string filter;
  bool actions = false;
  int interval_ms = 1000;
};
/// The exit code; `*error` if it is not 0.
int run_observer(ObserverClient& client, const AppOptions& options, std::string* error);

}  // namespace wb
