#include "scheduler/recorded_jobs.h"

#include <unistd.h>

#include <algorithm>

#include "scheduler/scheduler.h"

namespace wb {

void RecordedJobs::submit(DirtyKind kind, DirtyJob& job) {
  auto owned = std::make_unique<Entry>();
  Entry& e = *owned;
  e.jobs = this, e.job = &job, e.report = job.done, e.number = next_++;
  e.run = work, e.done = worked, e.priority = job.priority;
  entries_.emplace(e.number, std::move(owned));
  if (recording_.replays()) return;
  if (e.is_deferred())
    done(e);
  else
    scheduler_.dirty(kind).submit(e);
}

bool RecordedJobs::withdraw(DirtyKind kind, DirtyJob& job) {
  const auto at = find(job);
  if (at == entries_.end()) return false;
  const bool live = !recording_.replays() && withdraw_live(kind, *at->second);
  if (!recording_.number(Input::withdrawal, live)) return false;
  entries_.erase(at);
  return true;
}

bool RecordedJobs::withdraw_live(DirtyKind kind, Entry& e) {
  return e.is_deferred() ? take_done(e) : scheduler_.dirty(kind).withdraw(e);
}

RecordedJobs::Entries::iterator RecordedJobs::find(const DirtyJob& job) {
  return std::ranges::find_if(entries_, [&](const auto& e) { return e.second->job == &job; });
}

// By a thread of the pool.
void RecordedJobs::work(DirtyJob& entry) {
  auto& e = static_cast<Entry&>(entry);
  Recording::JobScope scope(e.answers);
  e.job->run(*e.job);
}
void RecordedJobs::worked(DirtyJob& entry) {
  auto& e = static_cast<Entry&>(entry);
  RecordedJobs& jobs = *e.jobs;
  jobs.done(e);
  jobs.scheduler_.unpark(0);
}
void RecordedJobs::done(const Entry& e) {
  std::lock_guard guard(lock_);
  done_.push_back(e.number);  // from here on the worker may free it
}

bool RecordedJobs::deliver() {
  uint64_t number = 0;
  Recording::Answers answers;
  if (recording_.take_job(&number, &answers)) {
    const auto at = entries_.find(number);
    if (at == entries_.end()) return false;  // it departs at the next question
    at->second->answers = std::move(answers);
    work(*at->second);
    report(at);
    return true;
  }
  {
    std::lock_guard guard(lock_);
    if (done_.empty()) return false;
    number = done_.front();
    done_.erase(done_.begin());
  }
  const auto at = entries_.find(number);
  end_live(*at->second);
  report(at);
  return true;
}

void RecordedJobs::await(DirtyJob& job) {
  const auto at = find(job);
  if (at == entries_.end()) return;
  Entry& e = *at->second;
  uint64_t number = e.number;
  if (recording_.take_job(&number, &e.answers)) {
    work(e);
  } else if (!recording_.replays()) {
    while (!take_done(e)) usleep(100);
    end_live(e);
  }
  report(at);
}
void RecordedJobs::end_live(Entry& e) {
  if (e.is_deferred()) work(e);
  recording_.end_job(e.number, e.answers);
}
/// Is it done? Then deliver() will not have it.
bool RecordedJobs::take_done(const Entry& e) {
  std::lock_guard guard(lock_);
  return std::erase(done_, e.number) != 0;
}

void RecordedJobs::report(Entries::iterator at) {
  const std::unique_ptr<Entry> e = std::move(at->second);
  entries_.erase(at);
  if (e->report) e->report(*e->job);
}

}  // namespace wb
