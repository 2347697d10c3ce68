// Guard BIFs: the functions that instructions name (bytecode/guard_bifs.def).
//
//   GUARD(erlang, hd, 1) { return is_cons(a[0]) ? head(a[0]) : kBadarg; }
//
// defines the function twice: as a BIF (native.h), and as what bifN and gc_bifN call in every tier.
// They call it without saying where they are (Exec::pc), so it must not yield. It cannot: it gets
// no Process, but a GuardContext, which can make terms and fail.
//
// One whose work is not bounded is a BIF that yields and, written separately (GUARD_BODY), a guard
// function that returns kYield where the BIF might. The instruction then begins again, in the
// interpreter, with the BIF (vm/interp/bif_call.h).
#pragma once

#include "base/work_budget.h"
#include "term/fault.h"
#include "vm/process/process.h"

namespace wb {

/// What a guard function gets of its process.
class GuardContext {
 public:
  GuardContext(Process& p) : process_(&p) {}  // of BIFs that share their code
  ProcessHeap& heap() const { return process_->heap; }
  const Process& process() const { return *process_; }
  Term error(Term reason) const { return process_->error(reason); }
  void charge(int64_t reductions) const { process_->charge(reductions); }
  /// As charge(). False: the slice is used up, and whoever goes on for long returns kYield.
  bool spend(int64_t reductions) const;

 private:
  Process* process_;
};

using GuardFn = Term (*)(GuardContext p, const Term* a);

#define GUARD_BODY(module, name, arity)                                 \
  Term module##_##name##_##arity([[maybe_unused]] ::wb::GuardContext p, \
                                 [[maybe_unused]] const ::wb::Term* a)
#define GUARD(module, name, arity)                                        \
  GUARD_BODY(module, name, arity);                                        \
  Term module##_##name##_##arity(::wb::Process& p, const ::wb::Term* a) { \
    return module##_##name##_##arity(::wb::GuardContext(p), a);           \
  }                                                                       \
  GUARD_BODY(module, name, arity)

#define GUARD_BIF(identifier, name, arity, ...) GUARD_BODY(erlang, identifier, arity);
#include "bytecode/guard_bifs.def"
#undef GUARD_BIF

struct GuardInfo {
  const char* name;
  uint8_t arity;
  GuardFn fn;
};

/// Counts a guard function's work in steps, so many a reduction. When step() says false: return
/// kYield.
class GuardBudget final : public WorkBudget {
 public:
  GuardBudget(GuardContext context, int64_t steps_per_reduction)
      : WorkBudget(kRefill), context_(context), rate_(steps_per_reduction) {}
  ~GuardBudget() {
    if (kRefill - left_ >= rate_) context_.charge((kRefill - left_) / rate_);
  }
  GuardBudget(const GuardBudget&) = delete;

 private:
  static constexpr int64_t kRefill = 1024;
  bool refill() override;

  const GuardContext context_;
  const int64_t rate_;
};

}  // namespace wb
