#include "vm/observe/sampler.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "vm/core/vm.h"
#include "vm/jit/baseline.h"
#include "vm/observe/process_report.h"
#include "vm/observe/stack_frames.h"
#include "vm/process/process.h"

namespace wb {

/// Measured once: two looks at both clocks.
static uint64_t ticks_per_second() {
  static const uint64_t kRate = [] {
    using Clock = std::chrono::steady_clock;
    auto begin = Clock::now();
    uint64_t ticks = read_ticks();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return static_cast<uint64_t>(static_cast<double>(read_ticks() - ticks) / seconds);
  }();
  return kRate;
}

void Sampler::start(uint32_t workers, uint32_t hz) {
  if (lines_.load(std::memory_order_relaxed)) return;
  if (!storage_) {  // later schedulers (dedicated ones) are not sampled
    storage_ = std::make_unique<Line[]>(workers);
    count_ = workers;
  }
  uint64_t interval = ticks_per_second() / hz;
  for (uint32_t k = 0; k < count_; ++k) {
    storage_[k] = {.interval = interval, .random = 0x9e3779b97f4a7c15 + k, .last = read_ticks()};
  }
  lines_.store(storage_.get(), std::memory_order_release);
}

void Sampler::Line::restart(uint64_t now) {
  constexpr double kLongest = 1e12;
  double rate = static_cast<double>(since) / static_cast<double>(now > last ? now - last : 1);
  auto gap = static_cast<int64_t>(std::min(rate * static_cast<double>(interval), kLongest));
  left = 1 + gap / 2 + below(gap + 1);
  since = 0, last = now;
}
void Sampler::end(Line& line, Process& p, const Word* pc, int64_t reductions_left) {
  const int64_t used = line.end(reductions_left);
  if (!used) return;
  if (!pc) {  // another one counts for it
    line.left = 1 + line.below(line.since);
    return;
  }
  uint64_t now = read_ticks(), counts = weight(line, now, used);
  line.restart(now);
  if (!allocation()) capture(p, pc, counts);
}
/// Reductions since the last sample, or the nanoseconds that they have taken if they were like
/// those of this slice.
uint64_t Sampler::weight(const Line& line, uint64_t now, int64_t used) const {
  constexpr double kSecond = 1e9;
  if (!time_.load(std::memory_order_relaxed)) return static_cast<uint64_t>(line.since);
  double seconds = static_cast<double>(now - line.began) / static_cast<double>(ticks_per_second());
  double slices = static_cast<double>(line.since) / static_cast<double>(used);
  return 1 + static_cast<uint64_t>(seconds * kSecond * slices);
}
void Sampler::collected(Process& p, const Word* pc, uint64_t words) {
  if (words) capture(p, pc, words);
}

struct Sampler::Frame {
  std::string function;
  uint32_t line;
  size_t tier;
};

/// `frames`: each line once. Under lock_.
void Sampler::add_lines(const std::vector<Frame>& frames, uint64_t count) {
  for (auto f = frames.begin(); f != frames.end(); ++f) {
    if (functions_.size() >= kMostStacks && !functions_.contains(f->function)) continue;
    Lines& of = functions_[f->function];
    of.counts[f->line] += count;
    auto same = [&](const Frame& inner) { return inner.function == f->function; };
    if (std::none_of(frames.begin(), f, same)) {
      of.samples.all += count;
      of.samples.by_tier[f->tier] += count;
    }
  }
}
Sampler::Lines Sampler::lines(const std::string& function) {
  std::lock_guard lock(lock_);
  auto at = functions_.find(function);
  return at == functions_.end() ? Lines{} : at->second;
}
std::unordered_map<std::string, Sampler::Counts> Sampler::functions() {
  std::unordered_map<std::string, Counts> all;
  std::lock_guard lock(lock_);
  for (const auto& [function, of] : functions_) all.emplace(function, of.samples);
  return all;
}

void Sampler::capture(Process& p, const Word* pc, uint64_t count) {
  Choice choice;
  {
    std::lock_guard lock(lock_);
    choice = choice_;
  }
  if (is_value(choice.pid) && choice.pid != p.id) return;
  std::vector<std::string> frames;
  std::vector<Frame> lines;  // each once
  const Baseline* native = p.vm().baseline;
  each_frame(p, pc, [&](const StackFrame& frame) {
    frames.push_back(frame.function);
    auto same = [&](const Frame& f) {
      return f.line == frame.line && f.function == frame.function;
    };
    if (std::none_of(lines.begin(), lines.end(), same)) {
      auto tier = native && frame.entry ? native->tier_of(frame.entry) : Baseline::Tier::none;
      lines.push_back({frame.function, frame.line, static_cast<size_t>(tier)});
    }
    return frames.size() < kMostFrames;
  });
  if (choice.by_process) frames.push_back(process_name(p));
  std::string stack;
  for (size_t k = frames.size(); k-- > 0;) stack += frames[k] + (k ? ";" : "");
  std::lock_guard lock(lock_);
  if (choice != choice_) return;
  samples_ += count;
  ++taken_;
  add_lines(lines, count);
  if (stacks_.size() < kMostStacks || stacks_.contains(stack)) {
    stacks_[stack] += count;
  } else {
    lost_ += count;
  }
}

void Sampler::choose(const Choice& choice) {
  std::lock_guard lock(lock_);
  if (choice != choice_) forget();
  choice_ = choice;
  allocation_.store(choice.allocation, std::memory_order_relaxed);
  time_.store(choice.time, std::memory_order_relaxed);
}

Sampler::Stacks Sampler::take_stacks(size_t most, bool clear) {
  Stacks s;
  {
    std::lock_guard lock(lock_);
    s.counts.assign(stacks_.begin(), stacks_.end());
    s.samples = samples_, s.lost = lost_, s.taken = taken_;
    if (clear) forget();
  }
  std::sort(s.counts.begin(), s.counts.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  if (s.counts.size() > most) s.counts.resize(most);
  return s;
}

}  // namespace wb
