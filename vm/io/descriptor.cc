#include "vm/io/descriptor.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/instance.h"
#include "base/recording.h"
#include "gc/fragment.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "term/binary.h"
#include "vm/core/vm.h"
#include "vm/process/send.h"

namespace wb {

constexpr size_t kReadSize = 64 * 1024;

static bool is_regular(int fd) {
  struct stat s;
  return descriptor_status(fd, &s) == 0 && S_ISREG(s.st_mode);
}

/// What the recorded run has printed, its replay prints.
static void show(int fd, const uint8_t* bytes, size_t n) {
  const Recording& r = *recording_here();
  if (r.slices() < r.silent_until) return;
  for (ssize_t w; n > 0; bytes += w, n -= static_cast<size_t>(w)) {
    w = ::write(fd, bytes, n);
    if (w < 0 && errno != EINTR && errno != EAGAIN) return;
    w = std::max<ssize_t>(w, 0);
  }
}

bool Descriptor::would_block(short events) const {
  if (vm_.options.seed) return false;
  pollfd p{watch_.fd, events, 0};
  ssize_t n;
  do n = system_call([&] { return poll(&p, 1, 0); });
  while (n < 0 && errno == EINTR);
  return n == 0;
}

void Descriptor::fail(int error) const {
  char text[256];
  snprintf(text, sizeof text, "whitebeam: cannot write to %s: %s\n",
           watch_.fd == 1 ? "standard output" : "standard error", strerror(error));
  end_instance(1, text);
}

/// How many bytes went before it would have blocked.
size_t Descriptor::write_some(const uint8_t* bytes, size_t n) {
  bool free_flow = vm_.options.seed || is_regular(watch_.fd);
  size_t done = 0;
  while (done < n) {
    if (!free_flow && would_block(POLLOUT)) break;
    size_t chunk = free_flow ? n - done : std::min<size_t>(n - done, PIPE_BUF);
    const ssize_t w = system_call([&] { return ::write(watch_.fd, bytes + done, chunk); });
    if (w > 0 && is_replay()) show(watch_.fd, bytes + done, static_cast<size_t>(w));
    if (w > 0) {
      done += static_cast<size_t>(w);
      if (Worker* here = Scheduler::current())
        here->counters.bytes_out.add(static_cast<uint64_t>(w));
    } else if (w < 0 && errno == EAGAIN) {
      if (!free_flow) break;
      pollfd p{watch_.fd, POLLOUT, 0};
      system_call([&] { return poll(&p, 1, -1); });
    } else if (w < 0 && errno != EINTR) {
      fail(errno);
    }
  }
  return done;
}

bool Descriptor::await(Term owner, uint32_t events) {
  owner_ = owner;
  watch_.descriptor = this;
  watch_.ready = ready;
  return vm_.scheduler->watch_fd(watch_, events) == 0;
}

/// True: all of it went.
bool Descriptor::write_rest() {
  rest_done_ += write_some(reinterpret_cast<const uint8_t*>(rest_.data()) + rest_done_,
                           rest_.size() - rest_done_);
  if (rest_done_ < rest_.size()) return false;
  rest_.clear();
  rest_done_ = 0;
  return true;
}

Term Descriptor::write(Term owner, const uint8_t* bytes, size_t n) {
  size_t done = write_some(bytes, n);
  if (done == n) return am::ok;
  rest_.assign(reinterpret_cast<const char*>(bytes) + done, n - done);
  while (!write_rest()) {  // once more only for what cannot be waited for
    if (await(owner, EPOLLOUT)) return am::wait;
  }
  return am::ok;
}

void Descriptor::notify_owner() {
  FragmentHeap h(16);
  Term fd = make_small(watch_.fd);
  Term message = watch_.fd == 0 ? tuple(h, am::whitebeam_readable, fd)
                                : tuple(h, am::whitebeam_written, fd, am::ok);
  send_message(vm_, owner_, message);
}

void Descriptor::ready(Worker&, FdWatch& watch, uint32_t) {
  Descriptor& d = *static_cast<Watch&>(watch).descriptor;
  if (d.watch_.fd != 0) {
    while (!d.write_rest()) {
      if (d.vm_.scheduler->watch_fd(d.watch_, EPOLLOUT) == 0) return;
    }
  }
  d.notify_owner();
}

Term Descriptor::read(Heap& h, Term owner) {
  if (would_block(POLLIN) && await(owner, EPOLLIN)) return am::wait;
  uint8_t buffer[kReadSize];
  ssize_t n;
  do
    n = reading_call([&] { return ::read(watch_.fd, buffer, sizeof buffer); }, buffer,
                     sizeof buffer);
  while (n < 0 && errno == EINTR);
  if (n > 0) {
    if (Worker* here = Scheduler::current()) here->counters.bytes_in.add(static_cast<uint64_t>(n));
    return make_binary(h, buffer, static_cast<size_t>(n));
  }
  if (n < 0 && errno == EAGAIN && await(owner, EPOLLIN)) return am::wait;
  return am::eof;
}

}  // namespace wb
