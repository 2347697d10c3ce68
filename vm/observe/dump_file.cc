#include "vm/observe/dump_file.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace wb {

constexpr size_t kBuffer = 1 << 20;

static uint64_t monotonic_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

DumpFile::DumpFile(const std::string& path, uint64_t bytes, uint64_t until_ns)
    : left_(bytes ? bytes : UINT64_MAX), until_ns_(until_ns) {
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (fd_ < 0) error_ = errno;
}
DumpFile::~DumpFile() {
  if (fd_ >= 0) close(fd_);
}

bool DumpFile::takes_more() {
  if (!abort_ && until_ns_ && monotonic_ns() > until_ns_) abort_ = "time limit reached";
  return !abort_ && error_ == 0;
}

void DumpFile::print(std::string_view text) {
  if (!takes_more()) return;
  if (text.size() > left_) {
    text = text.substr(0, left_);
    abort_ = "size limit reached";
  }
  left_ -= text.size();
  buffer_ += text;
  if (buffer_.size() < kBuffer) return;
  write_out(buffer_);
  buffer_.clear();
}

void DumpFile::write_out(std::string_view text) {
  while (!text.empty() && error_ == 0) {
    ssize_t n = write(fd_, text.data(), text.size());
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
    if (n < 0 && errno != EINTR) error_ = errno;
  }
}

void DumpFile::finish() {
  if (abort_) buffer_ += std::string("\n=abort:") + abort_ + "\n";
  write_out(buffer_);
  buffer_.clear();
}

}  // namespace wb
