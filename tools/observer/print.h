// What the observer prints for scripts and logs: once, without a screen.
#pragma once

#include <cstdint>
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

/// Stacks sampled in the next seconds: folded, for speedscope.app, or for pprof.
enum class ProfileForm : uint8_t { folded, speedscope, pprof };
bool write_profile(ObserverClient& client, const std::string& file, double seconds,
                   ProfileForm form);

}  // namespace wb
