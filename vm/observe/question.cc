#include "vm/observe/question.h"

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/process/signal.h"

namespace wb {

uint64_t Answers::begin() {
  std::lock_guard lock(lock_);
  arrived_ = 0;
  return ++round_;
}
void Answers::arrived(uint64_t round) {
  std::lock_guard lock(lock_);
  if (round == round_) ++arrived_;
  changed_.notify_all();
}
bool Answers::wait_for(size_t how_many, Deadline deadline) {
  std::unique_lock lock(lock_);
  changed_.wait_until(lock, deadline, [&] { return over_ || arrived_ >= how_many; });
  return arrived_ >= how_many;
}
void Answers::give_up() {
  std::lock_guard lock(lock_);
  over_ = true;
  changed_.notify_all();
}

void Question::ask(Vm& vm, Term pid) {
  shares_.fetch_add(1, std::memory_order_relaxed);
  ReaderGuard guard(vm.scheduler->progress());  // it may just be ending
  if (!push_signal(vm, pid, new_signal_for())) too_late();
}
void Question::drop() {
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}
void Question::end(State state) {
  state_.store(state, std::memory_order_release);
  answers_.arrived(round_);
  drop();
}
void Question::visit(Process& p) {
  function_(p, *this);
  end(State::answered);
}
void Question::too_late() { end(State::gone); }

std::vector<Question*> ask_all(Vm& vm, Answers& answers, const std::vector<Term>& pids,
                               Question::Function function, std::chrono::milliseconds patience,
                               uint64_t number, uint64_t count) {
  std::vector<Question*> questions;
  uint64_t round = answers.begin();
  auto deadline = std::chrono::steady_clock::now() + patience;
  for (Term pid : pids) {
    questions.push_back(new Question(function, answers, round));
    questions.back()->number = number, questions.back()->count = count;
    questions.back()->ask(vm, pid);
  }
  answers.wait_for(pids.size(), deadline);
  return questions;
}

}  // namespace wb
