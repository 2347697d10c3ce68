// The file of a crash dump, with the limits that ERL_CRASH_DUMP_BYTES and _SECONDS set.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wb {

class DumpFile {
 public:
  /// `bytes`, `until_ns` of the monotonic clock: 0 for no limit.
  DumpFile(const std::string& path, uint64_t bytes, uint64_t until_ns);
  ~DumpFile();
  DumpFile(const DumpFile&) = delete;

  /// errno of what failed, or 0.
  int error() const { return error_; }
  /// False: a limit is reached or the disk is full, and nothing more is written.
  bool takes_more();
  void print(std::string_view text);
  /// Writes what is left; says in the file why it ends before its end.
  void finish();

 private:
  void write_out(std::string_view text);

  int fd_ = -1;
  int error_ = 0;
  uint64_t left_, until_ns_;
  const char* abort_ = nullptr;  ///< why
  std::string buffer_;
};

}  // namespace wb
