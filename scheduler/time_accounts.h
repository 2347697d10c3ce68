// What a worker spends its time on between slices, and what its slices spend on ports: counted only
// while somebody wants to know (Scheduler::account_time), and only where it takes long anyway. A
// slice itself pays nothing: what is left over is its.
#pragma once

#include <cstdint>

#include "scheduler/counter.h"

namespace wb {

enum class Account : uint8_t { aux, check_io, other, port, count };

class TimeAccounts {
 public:
  uint64_t ns(Account a) const { return spent_[static_cast<int>(a)].value(); }

 private:
  friend class AccountedTime;
  Counter spent_[static_cast<int>(Account::count)];
  uint64_t inner_ = 0;  ///< what was counted within the account that is open
};

}  // namespace wb
