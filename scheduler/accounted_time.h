// From its beginning to its end the worker's time counts for one account, less what is counted for
// others meanwhile. Nothing may change the worker's stack in between.
#pragma once

#include <algorithm>
#include <utility>

#include "scheduler/scheduler.h"

namespace wb {

class AccountedTime {
 public:
  AccountedTime(Worker* w, Account a) {
    if (WB_LIKELY(!w || !w->scheduler().accounts_time())) return;
    worker_ = w;
    account_ = a;
    outer_ = std::exchange(w->accounts.inner_, 0);
    since_ = w->scheduler().now_ns();
  }
  ~AccountedTime() {
    if (WB_UNLIKELY(worker_ != nullptr)) end();
  }
  AccountedTime(const AccountedTime&) = delete;
  AccountedTime& operator=(const AccountedTime&) = delete;

 private:
  WB_COLD void end() {
    TimeAccounts& t = worker_->accounts;
    const uint64_t spent = worker_->scheduler().now_ns() - since_;
    t.spent_[static_cast<int>(account_)].add(spent - std::min(spent, t.inner_));
    t.inner_ = outer_ + spent;
  }

  Worker* worker_ = nullptr;
  Account account_ = Account::other;
  uint64_t outer_ = 0, since_ = 0;
};

}  // namespace wb
