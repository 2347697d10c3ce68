// The table of ports: who has an identifier gets the port.
//
// Nearly everything that is done to a port begins here, several times for each request that a
// server answers, so the table is cut into parts, each with a lock and a cache line of its own: a
// port's identifier says which. A lock is held only to find or change an entry; the port that was
// found is shared, and stays for as long as somebody has it.
//
// Rejected: one lock (two cores that served 50 connections waited for it in one request of ten);
// reading without any, as processes are: a count of shares is written at each look anyway.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ranked_lock.h"
#include "term/term.h"

namespace wb {

class Port;

class PortTable {
 public:
  std::shared_ptr<Port> find(Term id) const {
    const Part& part = part_of(id);
    std::lock_guard guard(part.lock);
    const auto at = part.ports.find(id);
    return at == part.ports.end() ? nullptr : at->second;
  }
  bool contains(Term id) const {
    return has(id, [](const Port&) { return true; });
  }
  /// Is it there, and does `test` hold? Takes no share of it.
  template <class Test>
  bool has(Term id, Test test) const {
    const Part& part = part_of(id);
    std::lock_guard guard(part.lock);
    const auto at = part.ports.find(id);
    return at != part.ports.end() && test(*at->second);
  }
  void insert(Term id, std::shared_ptr<Port> port) {
    Part& part = part_of(id);
    std::lock_guard guard(part.lock);
    if (part.ports.try_emplace(id, std::move(port)).second) ++count_;
  }
  /// The port that was there, so that it is not freed under the lock; or null.
  std::shared_ptr<Port> take_out(Term id) {
    Part& part = part_of(id);
    std::lock_guard guard(part.lock);
    const auto entry = part.ports.extract(id);
    if (!entry) return nullptr;
    --count_;
    return std::move(entry.mapped());
  }
  size_t count() const { return count_.load(std::memory_order_relaxed); }
  /// In the order of their identifiers; those that come or go meanwhile may be there or not.
  std::vector<std::pair<Term, std::shared_ptr<Port>>> all() const {
    std::vector<std::pair<Term, std::shared_ptr<Port>>> found;
    for (const Part& part : parts_) {
      std::lock_guard guard(part.lock);
      found.insert(found.end(), part.ports.begin(), part.ports.end());
    }
    std::sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.first < b.first; });
    return found;
  }

 private:
  static constexpr size_t kParts = 64;
  struct alignas(64) Part {
    mutable RankedLock<LockRank::ports> lock;
    std::unordered_map<Term, std::shared_ptr<Port>> ports;
  };
  /// Numbers of ports stand above a term's tag; neighbours get different parts.
  static size_t part_number(Term id) { return (id >> 4) * 0x9E3779B97F4A7C15u >> 58; }
  Part& part_of(Term id) { return parts_[part_number(id)]; }
  const Part& part_of(Term id) const { return parts_[part_number(id)]; }

  std::array<Part, kParts> parts_;
  std::atomic<size_t> count_{0};
};

}  // namespace wb
