#include "vm/observe/process_query.h"

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/process/route.h"

namespace wb {

uint64_t QueryWaiter::begin() {
  std::lock_guard lock(lock_);
  arrived_ = 0;
  return ++round_;
}
void QueryWaiter::arrived(uint64_t round) {
  std::lock_guard lock(lock_);
  if (round == round_) ++arrived_;
  changed_.notify_all();
}
bool QueryWaiter::wait_for(size_t how_many, Deadline deadline) {
  std::unique_lock lock(lock_);
  changed_.wait_until(lock, deadline, [&] { return over_ || arrived_ >= how_many; });
  return arrived_ >= how_many;
}
void QueryWaiter::give_up() {
  std::lock_guard lock(lock_);
  over_ = true;
  changed_.notify_all();
}

void ProcessQuery::send_to(Vm& vm, Term pid) {
  shares_.fetch_add(1, std::memory_order_relaxed);
  ReaderGuard guard(vm.scheduler->progress());  // it may just be ending
  if (!route(vm, pid, new_signal_for())) too_late();
}
void ProcessQuery::drop() {
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}
void ProcessQuery::end(State state) {
  state_.store(state, std::memory_order_release);
  waiter_.arrived(round_);
  drop();
}
void ProcessQuery::visit(Process& p) {
  function_(p, *this);
  end(State::answered);
}
void ProcessQuery::too_late() { end(State::gone); }

std::vector<ProcessQuery*> query_all(Vm& vm, QueryWaiter& waiter, const std::vector<Term>& pids,
                                     ProcessQuery::Function function,
                                     std::chrono::milliseconds patience, uint64_t number,
                                     uint64_t count) {
  std::vector<ProcessQuery*> queries;
  uint64_t round = waiter.begin();
  auto deadline = std::chrono::steady_clock::now() + patience;
  for (Term pid : pids) {
    queries.push_back(new ProcessQuery(function, waiter, round));
    queries.back()->number = number, queries.back()->count = count;
    queries.back()->send_to(vm, pid);
  }
  waiter.wait_for(pids.size(), deadline);
  return queries;
}

}  // namespace wb
