// Locks that know their rank. Two threads that take the same two locks in different orders wait for
// each other one day; so there is one order (lock_ranks.def), and builds with assertions end where
// a thread leaves it, whether or not another is in the way just then.
//
// A lock that is only tried may be of any rank: nobody waits for it.
#pragma once

#include <cstdint>
#include <mutex>

namespace wb {

enum class LockRank : uint8_t {
#define LOCK_RANK(name, what) name,
#include "base/lock_ranks.def"
#undef LOCK_RANK
};

#if defined(NDEBUG) && !defined(WB_CHECK_LOCKS)
inline void check_lock_rank(LockRank) {}
inline void note_locked(LockRank) {}
inline void note_unlocked(LockRank) {}
#else
void check_lock_rank(LockRank rank);  ///< before it is taken
void note_locked(LockRank rank);
void note_unlocked(LockRank rank);
#endif

template <LockRank rank, class Mutex = std::mutex>
class RankedLock {
 public:
  void lock() {
    check_lock_rank(rank);
    mutex_.lock();
    note_locked(rank);
  }
  bool try_lock() {
    bool taken = mutex_.try_lock();
    if (taken) note_locked(rank);
    return taken;
  }
  void unlock() {
    note_unlocked(rank);
    mutex_.unlock();
  }
  void lock_shared() {
    check_lock_rank(rank);
    mutex_.lock_shared();
    note_locked(rank);
  }
  void unlock_shared() {
    note_unlocked(rank);
    mutex_.unlock_shared();
  }

 private:
  Mutex mutex_;
};

}  // namespace wb
