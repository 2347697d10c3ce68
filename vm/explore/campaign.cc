#include "vm/explore/campaign.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>

#include "scheduler/spin_lock.h"
#include "vm/explore/fork_ready.h"

namespace wb {
namespace {

constexpr size_t kMostClasses = 256, kMostText = 3000;
using Steady = std::chrono::steady_clock;

/// What the processes share. The lock is held for copying a few words only, and whoever is killed
/// meanwhile is killed with all others.
struct Board {
  std::atomic<uint64_t> next{0}, runs{0}, choices{0}, not_kept{0};
  std::atomic<bool> over{false};
  SpinLock lock;
  struct Entry {
    EndingKind kind;
    uint64_t signature, count, first_seed;
    char text[kMostText];
  };
  size_t entries = 0;
  Entry entry[kMostClasses];

  void add(const Outcome& o, uint64_t seed);
};

void Board::add(const Outcome& o, uint64_t seed) {
  runs.fetch_add(1), choices.fetch_add(o.choices);
  std::lock_guard guard(lock);
  for (size_t k = 0; k < entries; ++k) {
    Entry& e = entry[k];
    if (e.kind != o.ending.kind || e.signature != o.ending.signature) continue;
    ++e.count;
    if (seed >= e.first_seed) return;
    e.first_seed = seed;
    snprintf(e.text, sizeof e.text, "%s", o.ending.text.c_str());
    return;
  }
  if (entries == kMostClasses) {
    not_kept.fetch_add(1);
    return;
  }
  Entry& e = entry[entries++];
  e.kind = o.ending.kind, e.signature = o.ending.signature, e.count = 1, e.first_seed = seed;
  snprintf(e.text, sizeof e.text, "%s", o.ending.text.c_str());
}

CampaignState look_at(Board& board, Steady::time_point began) {
  CampaignState s;
  s.runs = board.runs.load(), s.choices = board.choices.load();
  s.not_kept = board.not_kept.load();
  s.elapsed = Steady::now() - began;
  std::lock_guard guard(board.lock);
  for (size_t k = 0; k < board.entries; ++k) {
    const Board::Entry& e = board.entry[k];
    s.classes.push_back({{e.kind, e.signature, e.text}, e.count, e.first_seed, {}});
  }
  std::ranges::sort(s.classes, [](const EndingClass& a, const EndingClass& b) {
    return a.ending.kind != b.ending.kind ? a.ending.kind < b.ending.kind : a.count > b.count;
  });
  return s;
}

void work(Runner& runner, const CampaignPlan& plan, Board& board, pid_t parent) {
  signal(SIGINT, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent || !runner.make_channels()) _exit(1);
  while (!board.over.load(std::memory_order_relaxed)) {
    const uint64_t n = board.next.fetch_add(1);
    if (plan.runs && n >= plan.runs) break;
    const uint64_t seed = plan.first_seed + n;
    board.add(runner.run({.seed = seed}), seed);
  }
  _exit(0);
}

}  // namespace

CampaignState run_campaign(Runner& runner, const CampaignPlan& plan,
                           const std::function<void(const CampaignState&)>& progress) {
  void* memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  Board& board = *new (memory) Board;
  own_code(runner.code());
  const Steady::time_point began = Steady::now();
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT), sigaddset(&interrupt, SIGCHLD);
  sigprocmask(SIG_BLOCK, &interrupt, &before);
  const pid_t self = getpid();
  size_t working = 0;
  for (unsigned k = 0; k < plan.jobs; ++k) {
    const pid_t job = fork();
    if (job == 0) {
      sigprocmask(SIG_SETMASK, &before, nullptr);
      work(runner, plan, board, self);
    }
    working += job > 0;
  }
  bool interrupted = false;
  while (working) {
    constexpr timespec kPause{0, 100'000'000};
    if (sigtimedwait(&interrupt, nullptr, &kPause) == SIGINT) interrupted = true;
    while (working && waitpid(-1, nullptr, WNOHANG) > 0) --working;
    const bool late = plan.time.count() && Steady::now() - began >= plan.time;
    const CampaignState state = look_at(board, began);
    const bool enough = plan.is_enough && plan.is_enough(state);
    if (interrupted || late || enough) board.over.store(true);
    if (working) progress(state);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  CampaignState state = look_at(board, began);
  state.interrupted = interrupted;
  munmap(memory, sizeof(Board));
  return state;
}

}  // namespace wb
