// How a slice ended.
#pragma once

#include <cstdint>

namespace wb {

/// What happened to the runnable in its slice. After all but `requeue` the scheduler does not touch
/// it any more: it may already be running elsewhere, or freed. `yielded_native`: the slice ended in
/// the middle of native code, whose stack was left as it is, and this one goes on.
enum class After : uint8_t { requeue, parked, gone, yielded_native };

}  // namespace wb
