// /tmp/perf-PID.map: tells `perf report` whose native code lies where (--perf-map). perf reads the
// file when the program has ended; code that was freed and its place used again has two lines.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace wb {

class PerfMap {
 public:
  /// nullptr: the file cannot be made.
  static std::unique_ptr<PerfMap> make();
  ~PerfMap();
  void add(const void* code, size_t size, const std::string& name);

 private:
  explicit PerfMap(FILE* file) : file_(file) {}
  FILE* const file_;
};

}  // namespace wb
