// What is there of something, wherever terms are kept: funs of one expression (fun_count.h), who
// refers to which node (vm/otp_suites/node_referrers.h).
//
// Such things are not counted as they come and go; that would cost each of them. Who asks has all
// processes look at their heaps when they handle their signals, looks at the tables and timers
// itself, and waits for the last of them. As on BEAM, what is dead counts until a collection finds
// that it is.
#pragma once

#include <atomic>

#include "vm/process/visit.h"

namespace wb {

/// Where something was found.
struct CensusLocation {
  enum Kind : uint8_t { process, table, timer, constants } kind;
  Term id;  ///< a pid, or a table's identifier; else []
};

class Census : public Visit {
 public:
  void visit(Process& p) final;
  void too_late() final { release_share(); }
  void drop() final;

 protected:
  explicit Census(Process& asker);
  virtual ~Census() = default;
  /// From a BIF: traps until the answer is there. Takes `census` over.
  static Term ask(Process& p, Census* census);

  // Called by many threads at once: with all words, and with all values that own something.
  virtual void look_at(const Term*, const Term*, CensusLocation) {}
  virtual void look_at_owner(const Term*, CensusLocation) {}
  /// Once, at the end.
  virtual Term answer(Heap& h) = 0;

  Vm& vm_;

 private:
  void look_at(const HeapFragment* f, CensusLocation where);
  void look_at_owners(const Term* list, CensusLocation where);
  void look_at(const Process& p);
  void look_at_tables();
  void look_elsewhere();
  void release_share();

  const Term asker_;
  const uint64_t ref_;
  std::atomic<uint32_t> shares_{1};
};

}  // namespace wb
