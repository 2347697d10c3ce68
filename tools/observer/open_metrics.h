// A machine's counters for Prometheus and whatever else reads OpenMetrics.
#pragma once

#include <string>

#include "tools/observer/client.h"

namespace wb {

/// What `application/openmetrics-text` says of the machine; empty: it has ended.
std::string open_metrics_text(ObserverClient& client);

}  // namespace wb
