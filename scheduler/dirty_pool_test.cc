#include "scheduler/dirty_pool.h"

#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>

namespace wb {
namespace {

struct Job : DirtyJob {
  std::atomic<int>* ran = nullptr;
  std::atomic<int>* reported = nullptr;
  std::atomic<bool>* gate = nullptr;
};

void prepare(Job& job, std::atomic<int>& ran, std::atomic<int>& reported, std::atomic<bool>& gate) {
  job.ran = &ran, job.reported = &reported, job.gate = &gate;
  job.run = [](DirtyJob& j) {
    while (!*static_cast<Job&>(j).gate) usleep(50);
    ++*static_cast<Job&>(j).ran;
  };
  job.done = [](DirtyJob& j) { ++*static_cast<Job&>(j).reported; };
}

}  // namespace

TEST_CASE("dirty pool: no thread before the first job, then up to the limit") {
  std::atomic<int> ran{0}, reported{0};
  std::atomic<bool> gate{false};
  DirtyPool pool("test", 3);
  CHECK(pool.threads() == 0);
  std::vector<Job> jobs(10);
  for (Job& job : jobs) {
    prepare(job, ran, reported, gate);
    pool.submit(job);
  }
  CHECK(pool.threads() == 3);
  for (int i = 0; i < 10000 && pool.waiting() > 7; ++i) usleep(100);
  CHECK(pool.waiting() == 7);
  gate = true;
  for (int i = 0; i < 10000 && reported < 10; ++i) usleep(100);
  CHECK(ran == 10);
  CHECK(reported == 10);
}

TEST_CASE("dirty pool: stop waits for what runs and forgets the rest; one thread serves many") {
  std::atomic<int> ran{0}, reported{0};
  std::atomic<bool> gate{false};
  std::vector<Job> jobs(5);
  DirtyPool pool("test", 1);
  for (Job& job : jobs) {
    prepare(job, ran, reported, gate);
    pool.submit(job);
  }
  for (int i = 0; i < 10000 && pool.waiting() > 4; ++i) usleep(100);
  gate = true;
  pool.stop();
  CHECK(ran >= 1);
  CHECK(ran == reported);
  CHECK(pool.threads() == 0);
  int before = ran;
  pool.submit(jobs[0]);  // starts again
  for (int i = 0; i < 10000 && reported < before + 1; ++i) usleep(100);
  CHECK(reported == before + 1);
}

TEST_CASE("dirty pool: as many at a time as are online") {
  std::atomic<int> ran{0}, reported{0};
  std::atomic<bool> gate{false};
  DirtyPool pool("test", 4);
  CHECK(pool.online() == 4);
  CHECK(pool.set_online(1) == 4);
  std::vector<Job> jobs(8);
  for (Job& job : jobs) {
    prepare(job, ran, reported, gate);
    pool.submit(job);
  }
  CHECK(pool.threads() == 1);
  for (int i = 0; i < 10000 && pool.waiting() > 7; ++i) usleep(100);
  CHECK(pool.waiting() == 7);
  CHECK(pool.set_online(3) == 1);
  CHECK(pool.threads() == 3);
  for (int i = 0; i < 10000 && pool.waiting() > 5; ++i) usleep(100);
  CHECK(pool.waiting() == 5);
  CHECK(pool.set_online(99) == 3);
  CHECK(pool.online() == 4);
  gate = true;
  for (int i = 0; i < 10000 && reported < 8; ++i) usleep(100);
  CHECK(reported == 8);
  for (int i = 0; i < 10000 && pool.use().done < 8; ++i) usleep(100);
  DirtyPool::Use use = pool.use();
  CHECK(use.done == 8);
  CHECK(use.running == 0);
  CHECK(use.waiting == 0);
  CHECK(use.online == 4);
  CHECK(use.threads == pool.threads());
}

TEST_CASE("dirty queue: max, high, then one low for seven normal ones") {
  DirtyQueue queue;
  std::vector<DirtyJob> jobs(40);
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].priority = i < 18   ? Runnable::kLow
                       : i < 36 ? Runnable::kNormal
                       : i < 38 ? Runnable::kHigh
                                : Runnable::kMax;
    queue.push(jobs[i]);
  }
  CHECK(queue.remove(jobs[1]));
  CHECK(!queue.remove(jobs[1]));
  std::string order;
  while (DirtyJob* job = queue.pop()) order += "lnhm"[job->priority];
  CHECK(order == "mmhhnnnnnnnlnnnnnnnlnnnnlllllllllllllll");
  CHECK(queue.empty());
}

}  // namespace wb
