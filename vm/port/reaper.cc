#include "vm/port/reaper.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/recording.h"
#include "vm/core/vm.h"
#include "vm/io/signals.h"
#include "vm/port/ports.h"

namespace wb {

static int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(
      system_call([=] { return syscall(SYS_pidfd_open, pid, 0); }));  // closes on exec
#else
  return -1;
#endif
}

Reaper::~Reaper() {
  for (auto& [pid, e] : entries_) {
    if (e->fd >= 0) vm_.ports->unwatch_program(*e), close_descriptor(e->fd);
  }
}

void Reaper::watch(pid_t pid, std::weak_ptr<Port> port) {
  auto owned = std::make_unique<Entry>();
  Entry& e = *owned;
  e.reaper = this;
  e.pid = pid;
  e.port = std::move(port);
  e.fd = open_pidfd(pid);
  e.ready = by_descriptor;
  std::lock_guard guard(lock_);
  entries_.emplace(pid, std::move(owned));
  if (e.fd >= 0 && vm_.ports->watch_program(e, EPOLLIN) == 0) return;
  check_child_later(e);
}

void Reaper::replace(pid_t pid, pid_t by) {
  std::lock_guard guard(lock_);
  auto node = entries_.extract(pid);
  if (!node) return;
  Entry& e = *node.mapped();
  e.pid = by;
  if (const int fd = e.fd >= 0 ? open_pidfd(by) : -1; fd >= 0) {
    dup3(fd, e.fd, O_CLOEXEC);
    close(fd);
  }
  node.key() = by;
  entries_.insert(std::move(node));
}

void Reaper::check_child_later(Entry& e) {
  vm_.scheduler->start_timer(e, vm_.scheduler->now_ns() + e.pause_ns, by_timer);
  e.pause_ns = std::min<uint64_t>(e.pause_ns * 2, 100'000'000);
}

void Reaper::by_descriptor(Worker&, FdWatch& watch, uint32_t) {
  auto& e = static_cast<Entry&>(watch);
  e.reaper->check_child(e);
}
void Reaper::by_timer(Worker&, Timer& timer) {
  auto& e = static_cast<Entry&>(timer);
  e.reaper->check_child(e);
}

void Reaper::check_child(Entry& e) {
  int status = 0;
  std::unique_ptr<Entry> owned;
  {
    std::lock_guard guard(lock_);
    const auto ended = static_cast<pid_t>(
        system_call([&] { return waitpid(e.pid, &status, WNOHANG); }, {{&status, sizeof status}}));
    if (ended == 0 || (ended < 0 && errno == EINTR)) return check_child_later(e);
    if (ended < 0) status = 0xff00;  // somebody else took it: nobody will ever know
    if (vm_.os_signals) vm_.os_signals->children.ended(e.pid);
    owned = std::move(entries_.extract(e.pid).mapped());
  }
  if (e.fd >= 0) vm_.ports->unwatch_program(e), close_descriptor(e.fd);
  if (auto port = e.port.lock()) port->child_ended(status);
}

}  // namespace wb
