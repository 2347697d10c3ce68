#include "term/address.h"

#include "term/identifiers.h"
#include "term/instance.h"

namespace wb {

// --- counting ------------------------------------------------------------------------------------
bool Remote::retain_living() {
  int64_t count = refs_.load(std::memory_order_relaxed);
  while (count != 0) {
    if (refs_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void Address::retain_remote() const {
  remote_pointer()->refs_.fetch_add(1, std::memory_order_relaxed);
}

void Address::release_remote() const {
  Remote* r = remote_pointer();
  if (r->refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) r->table_.forget(r);
}

// --- the table -----------------------------------------------------------------------------------
RemoteTable::~RemoteTable() {
  for (auto& [key, remote] : remotes_) delete remote;
}

size_t RemoteTable::Hash::operator()(const Remote::Key& k) const {
  const uint64_t who = reinterpret_cast<uintptr_t>(k.node) + static_cast<uint64_t>(k.kind);
  return std::hash<uint64_t>()((k.number ^ who * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu);
}

HeldAddress RemoteTable::hold(NodeName name, Remote::Kind kind, uint64_t number) {
  const Remote::Key key{nodes_.hold(name), kind, number};
  std::lock_guard lock(lock_);
  auto [at, is_new] = remotes_.try_emplace(key, nullptr);
  if (!is_new && at->second->retain_living()) {
    key.node->release();
  } else {
    // One that is about to be forgotten leaves the entry to this one, and has its own node.
    if (!is_new) {
      remotes_.erase(at);
      at = remotes_.try_emplace(key).first;
    }
    at->second = new Remote(key, *this);
  }
  return HeldAddress::adopt(Address(at->second));
}

void RemoteTable::forget(Remote* remote) {
  {
    std::lock_guard lock(lock_);
    auto at = remotes_.find(remote->key);
    if (at != remotes_.end() && at->second == remote) remotes_.erase(at);
  }
  remote->key.node->release();
  delete remote;
}

size_t RemoteTable::size() const {
  std::lock_guard lock(lock_);
  return remotes_.size();
}

// --- terms ---------------------------------------------------------------------------------------
static HeldAddress hold_remote(NodeName node, Remote::Kind kind, uint64_t number) {
  TermInstance* instance = term_instance();
  WB_CHECK(instance);  // as of any term of another node
  return instance->remotes.hold(node, kind, number);
}

HeldAddress address_of(Term t) {
  if (is_local_pid(t) || is_local_port(t) || is_atom(t)) return HeldAddress(Address::of_local(t));
  if (is_kind(t, Kind::ext_pid)) return hold_remote(node_of(t), Remote::Kind::pid, pid_data(t));
  if (is_kind(t, Kind::ext_port)) return hold_remote(node_of(t), Remote::Kind::port, port_data(t));
  if (!is_tuple_of(t, 2)) return {};
  const Term name = tuple_elements(t)[0], node = tuple_elements(t)[1];
  if (!is_atom(name) || !is_atom(node)) return {};
  if (node == local_node().name) return HeldAddress(Address::of_local(name));
  return hold_remote({node, 0}, Remote::Kind::name, name);
}

Term term_of_remote(Address a, Heap& h) {
  const Remote::Key& key = a.remote().key;
  if (key.kind == Remote::Kind::name) return tuple(h, Term{key.number}, key.node->name.name);
  Term* p = h.alloc(4);
  p[0] = make_header(key.kind == Remote::Kind::pid ? Kind::ext_pid : Kind::ext_port, 3);
  p[1] = reinterpret_cast<Word>(static_cast<OffHeapObject*>(key.node));
  p[3] = key.number;
  key.node->retain();
  h.link_off_heap(p, 0);
  return make_boxed(p);
}

}  // namespace wb
