#include "base/ranked_lock.h"

#if !defined(NDEBUG) || defined(WB_CHECK_LOCKS)

#include <cstdio>

#include "base/base.h"
#include "base/exit_codes.h"
#include "base/instance.h"

namespace wb {
namespace {

constexpr const char* kWhat[] = {
#define LOCK_RANK(name, what) what,
#include "base/lock_ranks.def"
#undef LOCK_RANK
};
/// Of this thread, by rank: how many it holds.
thread_local uint8_t held[std::size(kWhat)];

}  // namespace

void check_lock_rank(LockRank rank) {
  for (auto k = static_cast<size_t>(rank); k < std::size(kWhat); ++k) {
    if (!held[k]) continue;
    char text[512];
    snprintf(text, sizeof text, "locks out of order: a thread that holds \"%s\" takes \"%s\"\n",
             kWhat[k], kWhat[static_cast<size_t>(rank)]);
    end_instance(kExitAborted, text);
  }
}
void note_locked(LockRank rank) { ++held[static_cast<size_t>(rank)]; }
void note_unlocked(LockRank rank) {
  WB_CHECK(held[static_cast<size_t>(rank)]);
  --held[static_cast<size_t>(rank)];
}

}  // namespace wb

#endif
