// What the observer prints for scripts and logs: once, without a screen.
#pragma once

#include <string>

#include "tools/observer/client.h"

namespace wb {

/// Home and the busiest processes as text; the same as one JSON object; or OpenMetrics. False: the
/// machine has ended.
bool print_once(ObserverClient& client, const std::string& filter);
bool print_json(ObserverClient& client, const std::string& filter);
bool print_open_metrics(ObserverClient& client);
/// What schedulers do in the next seconds, for ui.perfetto.dev.
bool write_perfetto(ObserverClient& client, const std::string& file, double seconds);

/// Stacks sampled in the next seconds, folded.
bool write_flame(ObserverClient& client, const std::string& file, double seconds);

}  // namespace wb
