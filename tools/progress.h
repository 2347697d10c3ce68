// How far long work has come, with the time that is left, on a terminal; elsewhere nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace wb {

class Progress {
 public:
  /// `what`: in the plural. A line on standard error, if that is a terminal.
  Progress(std::string_view what, size_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;

  void step();   ///< one more is done
  void clear();  ///< before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;

  std::string_view what_;
  size_t total_, done_ = 0;
  bool shown_ = false;
  const bool on_terminal_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace wb
