// What every ets BIF begins and ends with: the table its first argument names, and the caller's
// right to it.
#pragma once

#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/ets/tables.h"

namespace wb {

class TableArg {
 public:
  TableArg(Process& p, Term id, Access access);
  ~TableArg() {
    if (!ends_with_) return;
    if (WB_UNLIKELY(ends_with_ & kSample)) end_sample();
    if (!(ends_with_ & kPin)) return;
    const bool deleted = table_ && !table_->alive();
    tables().unpin(pin_);
    if (WB_UNLIKELY(deleted)) tables().reclaim();  // this pin was one of those it waits for
  }
  TableArg(const TableArg&) = delete;
  TableArg& operator=(const TableArg&) = delete;

  explicit operator bool() const { return table_ != nullptr; }
  Table* operator->() const { return table_; }
  Table& operator*() const { return *table_; }
  /// Why there is no table: type, id or access.
  Term cause() const { return cause_; }
  Term fail() const { return not_yet_ ? kYield : p_.badarg(cause_); }
  /// There is no such table yet, but will be (vm/io/services.h): the BIF has to be called again.
  bool not_yet() const { return not_yet_; }
  /// After others have run: is it still what the argument means, and may the process do it? Also
  /// asked by a dirty thread.
  bool holds() const {
    return table_->alive() && (!(ends_with_ & kPin) || tables().find_named(id_) == table_) &&
           (table_->allows(p_.id, access_) || tables().is_super_user(p_.id));
  }
  /// `result`, unless the table was deleted while it was computed.
  Term done(Term result) const { return table_->alive() ? result : p_.badarg(am::id); }
  EtsTables& tables() const { return *p_.vm().ets; }

 private:
  enum : uint8_t { kPin = 1, kSample = 2 };
  void begin_sample();
  void end_sample();
  Process& p_;
  const Term id_;
  const Access access_;
  Table* table_ = nullptr;
  Term cause_ = am::id;
  uint8_t ends_with_ = 0;
  bool not_yet_ = false;
  uint8_t pin_ = 0;
  uint64_t began_ns_;  ///< if it is sampled
};

/// Keeps a table's shell until the end of a scope.
struct TableShare {
  explicit TableShare(Table& t) : table(t) { t.retain(); }
  ~TableShare() { table.release(); }
  TableShare(const TableShare&) = delete;
  Table& table;
};

/// Frees what a table held; others run meanwhile. False: the process has ended meanwhile.
bool free_contents(Process& p, EtsTables& tables, std::unique_ptr<DetachedObjects> detached,
                   uint64_t objects);

/// A positive position in a tuple.
inline bool to_position(Term t, uint64_t* position) {
  if (!is_small(t) || small_value(t) < 1) return false;
  *position = static_cast<uint64_t>(small_value(t));
  return true;
}

/// Collects objects as a list; the first visited is the last element.
class ObjectCollector final : public Visitor {
 public:
  explicit ObjectCollector(Heap& h, Verdict verdict = Verdict::keep)
      : heap_(h), verdict_(verdict) {}
  Verdict visit(const TableObject& o) override {
    list_ = cons_object(heap_, &o, list_);
    words_ += o.words;
    return verdict_;
  }
  Term list() const { return list_; }
  size_t words() const { return words_; }

 private:
  Heap& heap_;
  Verdict verdict_;
  Term list_ = kNil;
  size_t words_ = 0;
};

}  // namespace wb
