#include "vm/socket/native_sockets.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>

#include "vm/core/vm.h"
#include "vm/process/process.h"
#include "vm/process/table.h"

namespace wb {

NativeSockets::~NativeSockets() {
  std::vector<NativeSocket*> left = all();
  for (NativeSocket* s : closed_) {
    if (s->try_retain()) left.push_back(s);
  }
  for (NativeSocket* s : left) {
    s->detach();
    s->release();
  }
}

void NativeSockets::add(NativeSocket& s) {
  opened.fetch_add(1, std::memory_order_relaxed);
  std::lock_guard guard(lock_);
  all_.insert(&s);
}
void NativeSockets::remove(NativeSocket& s) {
  std::lock_guard guard(lock_);
  all_.erase(&s), closed_.erase(&s);
}
void NativeSockets::note_closed(NativeSocket& s) {
  std::lock_guard guard(lock_);
  all_.erase(&s);
  closed_.insert(&s);
}

bool NativeSockets::note(Term pid, NativeSocket& s) {
  Shard& at = shard(pid);
  {
    std::lock_guard guard(at.lock);
    at.sockets[pid].push_back(&s);
    at.count.store(static_cast<uint32_t>(at.sockets.size()), std::memory_order_seq_cst);
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (vm_.is_alive(pid)) return true;
  forget(pid, s);
  return false;
}

void NativeSockets::forget(Term pid, NativeSocket& s) {
  Shard& at = shard(pid);
  std::lock_guard guard(at.lock);
  auto it = at.sockets.find(pid);
  if (it == at.sockets.end()) return;
  auto one = std::find(it->second.begin(), it->second.end(), &s);
  if (one == it->second.end()) return;
  it->second.erase(one);
  if (it->second.empty()) at.sockets.erase(it);
  at.count.store(static_cast<uint32_t>(at.sockets.size()), std::memory_order_relaxed);
}

bool NativeSockets::is_noted(Term pid) {
  Shard& at = shard(pid);
  if (at.count.load(std::memory_order_seq_cst) == 0) return false;
  std::lock_guard guard(at.lock);
  return at.sockets.contains(pid);
}

void NativeSockets::process_ended(Term pid) {
  std::vector<NativeSocket*> mine;
  Shard& at = shard(pid);
  {
    std::lock_guard guard(at.lock);
    auto it = at.sockets.find(pid);
    if (it == at.sockets.end()) return;
    for (NativeSocket* s : it->second) {
      if (s->try_retain()) mine.push_back(s);
    }
    at.sockets.erase(it);
    at.count.store(static_cast<uint32_t>(at.sockets.size()), std::memory_order_relaxed);
  }
  for (NativeSocket* s : mine) {
    s->process_ended(pid);
    s->release();
  }
}

std::vector<NativeSocket*> NativeSockets::all() {
  std::vector<NativeSocket*> list;
  std::lock_guard guard(lock_);
  for (NativeSocket* s : all_) {
    if (s->try_retain()) list.push_back(s);
  }
  return list;
}

Term NativeSockets::registry_pid() {
  Term given = registry.load(std::memory_order_relaxed);
  if (is_value(given)) return given;
  Term pid = vm_.processes->whereis(am::socket_registry);
  return is_value(pid) ? pid : vm_.hooks->start_service(am::socket_registry);
}

NativeSockets::Census NativeSockets::census() {
  Census c = {};
  std::lock_guard guard(lock_);
  for (const NativeSocket* s : all_) {
    ++c.all;
    const auto& k = s->kind;
    // BEAM counts local sockets among those of IPv6.
    c.inet += k.domain == AF_INET, c.inet6 += k.domain == AF_INET6 || k.domain == AF_LOCAL;
    c.streams += k.type == SOCK_STREAM, c.datagrams += k.type == SOCK_DGRAM;
    c.seqpackets += k.type == SOCK_SEQPACKET;
    c.tcp += k.protocol == IPPROTO_TCP, c.udp += k.protocol == IPPROTO_UDP;
    c.sctp += k.protocol == IPPROTO_SCTP, c.ip += k.protocol == IPPROTO_IP;
  }
  return c;
}

}  // namespace wb
