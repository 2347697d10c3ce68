#include "vm/port/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "term/binary.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/io/iolist.h"
#include "vm/port/port.h"

namespace wb {

std::string TraceFile::FileNames::file(uint32_t number) const {
  if (!wrap) return name;
  return std::string(name).insert(wrap->index, std::to_string(number));
}

std::optional<TraceFile::FileNames> TraceFile::parse(const std::string& command) {
  FileNames names;
  size_t at = command.find_first_not_of(' ', command.find(' '));
  if (at == std::string::npos) return {};
  if (command[at] == 'w') {
    Wrap w;
    int used = 0;
    if (sscanf(command.c_str() + at, "w %zu %u %lu %zu %n", &w.size, &w.count, &w.milliseconds,
               &w.index, &used) != 4) {
      return {};
    }
    names.wrap = w;
    at += static_cast<size_t>(used);
  }
  if (command.compare(at, 2, "n ") != 0) return {};
  names.name = command.substr(at + 2);
  if (names.name.empty() || (names.wrap && names.wrap->index >= names.name.size())) return {};
  return names;
}

static int create(const std::string& file) {
  int fd;
  do fd = ::open(file.c_str(), O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0777);
  while (fd < 0 && errno == EINTR);
  return fd;
}
int TraceFile::open_first(const FileNames& names) { return create(names.file(0)); }

TraceFile::TraceFile(Port& port, int fd)
    : port_(port), names_(*parse(port.name())), fd_(fd), since_(port.vm().clock->monotonic_ns()) {
  if (names_.wrap) before_going_ = names_.wrap->count;
}
TraceFile::~TraceFile() {
  if (fd_ >= 0) ::close(fd_);
}

bool TraceFile::control(Process&, uint64_t operation, const std::string&, std::string* out) {
  if (operation != 'f') return false;
  if (!write_out()) port_.fail(errno);
  out->assign(1, '\0');
  return true;
}

void TraceFile::command(Term, Term data, size_t size) {
  std::vector<uint8_t> bytes(size);
  UnlimitedBudget budget;
  write_iolist(data, bytes.data(), budget);
  packet(bytes.data(), size);
}

void TraceFile::packet(const uint8_t* bytes, size_t size) {
  const char head[5] = {0, static_cast<char>(size >> 24), static_cast<char>(size >> 16),
                        static_cast<char>(size >> 8), static_cast<char>(size)};
  buffer_.append(head, sizeof head).append(reinterpret_cast<const char*>(bytes), size);
  length_ += sizeof head + size;
  bool good = buffer_.size() < kBuffer || write_out();
  if (good && is_full()) good = next_file();
  if (!good) port_.fail(errno);
}

bool TraceFile::write_out() {
  size_t done = 0;
  while (done < buffer_.size() && fd_ >= 0) {
    ssize_t n = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  bool all = done == buffer_.size();
  buffer_.clear();
  return all;
}

bool TraceFile::is_full() const {
  if (!names_.wrap) return false;
  const Wrap& w = *names_.wrap;
  if (!w.milliseconds) return length_ >= w.size;
  return port_.vm().clock->monotonic_ns() - since_ >= w.milliseconds * 1'000'000;
}

bool TraceFile::next_file() {
  if (!write_out()) return false;
  ::close(std::exchange(fd_, -1));
  const uint32_t last = names_.wrap->count;
  auto after = [last](uint32_t n) { return n >= last ? 0 : n + 1; };
  if (before_going_ > 0) --before_going_;
  if (before_going_ == 0) {
    ::unlink(names_.file(oldest_).c_str());
    oldest_ = after(oldest_);
  }
  number_ = after(number_);
  length_ = 0;
  since_ = port_.vm().clock->monotonic_ns();
  fd_ = create(names_.file(number_));
  return fd_ >= 0;
}

void TraceFile::release_after_lock(bool all) {
  if (all && fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace wb
