#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace wb {

/// Adds how long it has lived, in nanoseconds.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<uint64_t>& ns) : ns_(ns) {}
  ~Stopwatch() {
    auto passed = std::chrono::steady_clock::now() - start_;
    ns_.fetch_add(static_cast<uint64_t>(std::chrono::nanoseconds(passed).count()),
                  std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t>& ns_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace wb
