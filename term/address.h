// Address: one word for everything that a signal can be sent to.
//
// Links, monitors, signals, timers, tracers and tokens of sequential tracing say whom they mean by
// an Address, whether that is in this machine or on another node, so none of them has a case for
// each. It is compared, hashed and copied as a word; what it is can be told from the word alone:
//
//   0                     nobody
//   a term's own word     a local pid or port, or an atom: the name of somebody registered here
//   a small integer       the number of a native library's resource, which can only be told of a
//                         process that it monitors (vm/nif)
//   pointer to a Remote   (low bits 001) a pid, a port or a name on another node
//
// A Remote is the node's entry (node_table.h) and a number of 64 bits: id and serial of a pid, the
// number of a port, the atom of a name. It is there once in a machine while it is counted: two
// addresses are the same if their words are. Whoever keeps a remote address counts: an entry in a
// table of links, a signal on its way (Signal::from), a token. HeldAddress does that by itself;
// maps of plain words (vm/process/small_map.h) do it by retain() and release(), which for anybody
// local cost a comparison. The last release deletes.
//
// A term is no address: a pid of another node that is only passed on costs its node one count and
// nothing here. An alias is none, either: what is sent to a reference goes to its owner's address
// with the reference beside it. What identifies our own pids is slot and serial, not our node's
// name: they are the same addresses after the node got its name.
//
// Threads. Any may hold and release. Finding and making is under the table's lock, and so is
// forgetting; the count alone decides who forgets: it is never raised again from 0, hold() makes a
// new Remote instead.
//
// Rejected: an index into a table in place of the pointer (each use would look it up, and the table
// would have to stay where it is; all it buys is an order, which nobody needs); the term (boxed: it
// lives in one heap); node index and number in one word (a pid alone has 64 bits).
#pragma once

#include <compare>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/ranked_lock.h"
#include "term/fault.h"
#include "term/heap.h"
#include "term/node_table.h"
#include "term/term.h"

namespace wb {

class Address;
class RemoteTable;

/// Somebody on another node, while anybody counts.
class Remote {
 public:
  enum class Kind : uint8_t { pid, port, name };
  struct Key {
    Node* node;  ///< counted
    Kind kind;
    uint64_t number;
    bool operator==(const Key&) const = default;
  };

  const Key key;

 private:
  friend Address;
  friend RemoteTable;
  Remote(const Key& k, RemoteTable& t) : key(k), table_(t) {}
  bool retain_living();

  std::atomic<int64_t> refs_{1};
  RemoteTable& table_;
};

class Address {
 public:
  constexpr Address() = default;  ///< nobody
  /// Of a local pid or port, of a name, or the number of a resource, which is not 0.
  static constexpr Address of_local(Term t) { return Address(t); }

  constexpr explicit operator bool() const { return word_ != 0; }
  constexpr bool operator==(const Address&) const = default;
  constexpr auto operator<=>(const Address&) const = default;  ///< any order, for maps
  constexpr Word word() const { return word_; }

  constexpr bool is_local_pid() const { return wb::is_local_pid(word_); }
  constexpr bool is_local_port() const { return wb::is_local_port(word_); }
  constexpr bool is_name() const { return is_atom(word_); }
  constexpr bool is_resource() const { return word_ != 0 && is_small(word_); }
  constexpr bool is_remote() const { return (word_ & 7) == kRemote; }

  /// Of anybody here: the term, which is no pointer. kNone: nobody.
  constexpr Term local_term() const { return word_ ? word_ : kNone; }
  const Remote& remote() const { return *remote_pointer(); }

  void retain() const {
    if (WB_UNLIKELY(is_remote())) retain_remote();
  }
  void release() const {
    if (WB_UNLIKELY(is_remote())) release_remote();
  }

 private:
  friend RemoteTable;
  static constexpr Word kRemote = 1;
  constexpr explicit Address(Word w) : word_(w) {}
  explicit Address(const Remote* r) : word_(reinterpret_cast<Word>(r) | kRemote) {}
  Remote* remote_pointer() const { return reinterpret_cast<Remote*>(word_ - kRemote); }
  void retain_remote() const;
  void release_remote() const;

  Word word_ = 0;
};

/// An address that counts.
class HeldAddress {
 public:
  HeldAddress() = default;
  explicit HeldAddress(Address a) : address_(a) { a.retain(); }
  HeldAddress(const HeldAddress& other) : HeldAddress(other.address_) {}
  HeldAddress(HeldAddress&& other) noexcept : address_(other.take()) {}
  HeldAddress& operator=(HeldAddress other) noexcept {
    std::swap(address_, other.address_);
    return *this;
  }
  ~HeldAddress() { address_.release(); }
  /// `a` is counted already.
  static HeldAddress adopt(Address a) {
    HeldAddress h;
    h.address_ = a;
    return h;
  }

  operator Address() const { return address_; }
  bool operator==(const HeldAddress&) const = default;
  const Address* operator->() const { return &address_; }
  explicit operator bool() const { return static_cast<bool>(address_); }
  /// Hands the count over.
  Address take() { return std::exchange(address_, Address()); }

 private:
  Address address_;
};

/// The remote addresses of one machine.
class RemoteTable {
 public:
  explicit RemoteTable(NodeTable& nodes) : nodes_(nodes) {}
  ~RemoteTable();
  RemoteTable(const RemoteTable&) = delete;

  HeldAddress hold(NodeName node, Remote::Kind kind, uint64_t number);
  size_t size() const;

 private:
  friend Address;
  struct Hash {
    size_t operator()(const Remote::Key& k) const;
  };
  void forget(Remote* remote);

  NodeTable& nodes_;
  mutable RankedLock<LockRank::remotes> lock_;
  std::unordered_map<Remote::Key, Remote*, Hash> remotes_;
};

/// Of a pid, a port, an atom (a name) or {Name, Node}; nobody of anything else.
HeldAddress address_of(Term t);
/// The pid, port or name; a name on another node is {Name, Node}. kNone: nobody.
Term term_of_remote(Address a, Heap& h);
inline Term term_of(Address a, Heap& h) {
  return WB_LIKELY(!a.is_remote()) ? a.local_term() : term_of_remote(a, h);
}
/// Of a name on another node the creation is 0: whatever it is.
inline NodeName node_of(Address a) {
  return a.is_remote() ? a.remote().key.node->name : local_node();
}

}  // namespace wb

template <>
struct std::hash<wb::Address> {
  size_t operator()(wb::Address a) const { return std::hash<wb::Word>()(a.word()); }
};
