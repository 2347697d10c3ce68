#include "base/ranked_lock.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <shared_mutex>

namespace wb {

static RankedLock<LockRank::breakpoints> outer;
static RankedLock<LockRank::ports> inner;
static RankedLock<LockRank::process_names, std::shared_mutex> shared;

/// Does a process that does this end by SIGABRT?
template <class F>
static bool aborts(F f) {
  pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), 2);
    f();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST_CASE("locks are taken by rank, and builds with assertions end where they are not") {
#if defined(NDEBUG) && !defined(WB_CHECK_LOCKS)
  constexpr bool kChecked = false;
#else
  constexpr bool kChecked = true;
#endif
  auto down = [] {
    std::lock_guard a(outer);
    std::lock_guard b(inner);
    std::shared_lock c(shared);
  };
  CHECK(!aborts(down));
  CHECK(!aborts([&] { down(), down(); }));
  CHECK(aborts([] {
          std::lock_guard b(inner);
          std::lock_guard a(outer);
        }) == kChecked);
  CHECK(aborts([] {
          std::shared_lock c(shared);
          std::lock_guard a(outer);
        }) == kChecked);
  CHECK(!aborts([] {  // nobody waits for what is only tried
    std::lock_guard b(inner);
    std::unique_lock a(outer, std::try_to_lock);
    if (!a) _exit(1);
  }));
}

}  // namespace wb
