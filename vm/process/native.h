// The calling convention of native functions (BIFs), and how a long one yields.
//
//   BIF(lists, member, 2) { ... return am::true_; }
//
// defines `Term lists_member_2(Process& p, const Term* a)`; a line in a table of natives
// (vm/bif/bifs.def, vm/trace/bifs.def) makes it callable as lists:member/2. The result is a value
// or a fault (term/fault.h): return kBadarg for error:badarg, kBadarith, kSystemLimit ...;
// p.error(reason), p.raise(class, reason) for anything else, p.badarg(cause) for badarg with a
// `cause` in its error_info.
//
// Rules
//  - Build results in p.heap (a Heap&, term/heap.h). Nothing moves while a BIF runs.
//  - Arguments are any terms: test each type. Improper lists and hostile sizes are normal input.
//  - No unbounded C++ recursion over terms, no blocking, no exceptions.
//  - Work beyond a few microseconds is charged: p.charge(n), one reduction is about 10 elements of
//    a list or 100 bytes. A BIF whose work is not bounded by a slice counts it as it goes
//    (BifBudget): others run when it yields, so it holds no lock and nothing looked up
//    (vm/process/native_yield.h).
//  - Guard BIFs have no side effect and never yield (vm/process/guard.h).
#pragma once

#include "base/work_budget.h"
#include "term/atom.h"
#include "term/fault.h"
#include "term/heap.h"
#include "term/instance.h"
#include "vm/process/process.h"

namespace wb {

struct Exec;

/// A BIF, which only call_bif() calls (vm/interp/bif_call.h): it may yield.
class BifFn {
 public:
  using Body = Term (*)(Process& p, const Term* a);
  constexpr BifFn(Body body) : body_(body) {}
  /// What Export::bif and Export::body hold.
  explicit BifFn(void* address) : body_(reinterpret_cast<Body>(address)) {}
  void* address() const { return reinterpret_cast<void*>(body_); }

 private:
  friend Term call_bif(Exec& c, const Word* I, BifFn bif, const Term* args);
  Body body_;
};

#define BIF(module, name, arity)                                    \
  Term module##_##name##_##arity([[maybe_unused]] ::wb::Process& p, \
                                 [[maybe_unused]] const ::wb::Term* a)

struct BifInfo {
  const char* module;
  const char* name;
  uint8_t arity;
  BifFn fn;
  int since = kOldestRelease;  ///< of OTP: an older one has no such function
  bool stands_in = false;      ///< not where OTP has been booted: its own function does it there
};

/// Counts a BIF's work in steps, so many a reduction. When step() says false the process has ended
/// or the machine stops: return kCancelled.
class BifBudget final : public WorkBudget {
 public:
  BifBudget(Process& p, int64_t steps_per_reduction)
      : WorkBudget(kRefill), process_(p), rate_(steps_per_reduction) {}
  ~BifBudget() {
    if (kRefill - left_ >= rate_) process_.charge((kRefill - left_) / rate_);
  }
  BifBudget(const BifBudget&) = delete;

 private:
  static constexpr int64_t kRefill = 1024;
  bool refill() override;

  Process& process_;
  const int64_t rate_;
};

}  // namespace wb
