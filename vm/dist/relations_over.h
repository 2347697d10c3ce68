// Links and monitors between processes here and processes of one other node, over one connection.
//
// Both ends keep their own entries as they do of any other link or monitor
// (vm/process/relations.h); these here say whom to notify, all at once, when the connection ends.
// They are touched in the order in which signals pass, under the connection's lock: an entry is
// there from the first signal that makes the relation to the first that ends it. A signal whose
// entry is gone is about something that has been broken by an earlier connection's end, and is
// dropped.
//
// A monitor is known by its reference. Those that others have on processes here get a number of
// ours, as every monitor here has (relations.h), and stand under both.
#pragma once

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "term/address.h"
#include "term/heap.h"
#include "term/identifiers.h"

namespace wb {

/// A reference of another node as a value.
struct RefKey {
  NodeName node{};
  std::array<uint32_t, 5> numbers{};
  uint32_t count = 0;

  bool operator==(const RefKey&) const = default;
  struct Hash {
    size_t operator()(const RefKey& k) const {
      uint64_t h = k.node.creation;
      for (uint32_t n : k.numbers) h = (h ^ n) * 0x9e3779b97f4a7c15u;
      return h ^ h >> 32;
    }
  };

  static RefKey of(Term ref) {
    RefKey k{.node = node_of(ref)};
    const RefNumbers n = ref_numbers(ref);
    k.count = static_cast<uint32_t>(std::min<size_t>(n.count, 5));
    for (uint32_t i = 0; i < k.count; ++i) k.numbers[i] = n.number(i);
    return k;
  }
  Term term(Heap& h) const {
    const size_t words = 2 + (count + 1) / 2;
    Term* p = h.alloc(1 + words);
    p[0] = make_header(Kind::ext_ref, words, static_cast<uint16_t>(count));
    for (size_t i = 3; i <= words; ++i) p[i] = 0;
    for (size_t i = 0; i < count; ++i) p[3 + i / 2] |= Word{numbers[i]} << (i & 1) * 32;
    own_node(h, p, node);
    return make_boxed(p);
  }
};

struct RelationsOver {
  struct Link {
    Address here, there;
    bool operator==(const Link&) const = default;
  };
  struct LinkHash {
    size_t operator()(const Link& l) const {
      return std::hash<uint64_t>()(l.here.word() * 0x9e3779b97f4a7c15u ^ l.there.word());
    }
  };
  struct LinkState {
    HeldAddress there;
    uint64_t order;          ///< of links, as they were made
    bool unlinking = false;  ///< by the process here, which waits for the other's answer
  };
  std::unordered_map<Link, LinkState, LinkHash> links;
  uint64_t links_made = 0;

  struct Monitor {
    Address watcher;
    HeldAddress target;
  };
  std::unordered_map<uint64_t, Monitor> monitors;  ///< of processes here, by number

  struct Watched {
    Address target;
    HeldAddress watcher;
    Term name = kNil;  ///< it was watched by
    RefKey ref;
  };
  std::unordered_map<uint64_t, Watched> watched;  ///< processes here, by our number
  std::unordered_map<RefKey, uint64_t, RefKey::Hash> numbers;

  size_t size() const { return links.size() + monitors.size() + watched.size(); }

  // --- links; false: there was none
  /// One that is being taken down and is made again keeps its place.
  void link(Address here, Address there) {
    auto [at, fresh] = links.try_emplace({here, there}, HeldAddress(there), links_made);
    at->second.unlinking = false;
    links_made += fresh;
  }
  bool erase_link(Address here, Address there) { return links.erase({here, there}); }
  /// The process here takes it down.
  bool unlinking(Address here, Address there) {
    auto at = links.find({here, there});
    return at != links.end() && (at->second.unlinking = true);
  }
  /// The other side has taken it down, or has seen that we did.
  void unlinked_there(Address here, Address there, bool acknowledged) {
    auto at = links.find({here, there});
    if (at != links.end() && at->second.unlinking == acknowledged) links.erase(at);
  }

  // --- monitors
  void add_watched(uint64_t number, Watched w) {
    numbers[w.ref] = number;
    watched.emplace(number, std::move(w));
  }
  bool take_watched(uint64_t number, Watched* w) {
    auto at = watched.find(number);
    if (at == watched.end()) return false;
    *w = std::move(at->second);
    watched.erase(at);
    numbers.erase(w->ref);
    return true;
  }
};

}  // namespace wb
