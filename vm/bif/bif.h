// The ABI of native functions (BIFs).
//
//   BIF(lists, member, 2) { ... return am::true_; }
//
// defines `Term lists_member_2(Process& p, const Term* a)`; a line in bifs.def makes it callable as
// lists:member/2. The result is a value or a fault (term/fault.h): return kBadarg for error:badarg,
// kBadarith, kSystemLimit ...; p.error(reason), p.raise(class, reason) for anything else,
// p.badarg(cause) for badarg with a `cause` in its error_info.
//
// Rules
//  - Build results in p.heap (a Heap&, term/heap.h). Nothing moves while a BIF runs.
//  - Arguments are any terms: test each type. Improper lists and hostile sizes are normal input.
//  - No unbounded C++ recursion over terms, no blocking, no exceptions.
//  - Work beyond a few microseconds is charged: p.charge(n), one reduction is about 10 elements of
//    a list or 100 bytes. A BIF whose work is not bounded by a slice counts it as it goes
//    (BifPace): others run then while it rests, so it holds no lock and nothing looked up
//    (vm/process/rest.h).
//  - Guard BIFs (flag kGuard) have no side effect and look at nothing but their arguments.
#pragma once

#include "base/pace.h"
#include "term/atom.h"
#include "term/fault.h"
#include "term/heap.h"
#include "term/term.h"
#include "vm/process/process.h"

namespace wb {

using BifFn = Term (*)(Process& p, const Term* a);

#define BIF(module, name, arity)                                    \
  Term module##_##name##_##arity([[maybe_unused]] ::wb::Process& p, \
                                 [[maybe_unused]] const ::wb::Term* a)

struct BifInfo {
  const char* module;
  const char* name;
  uint8_t arity;
  BifFn fn;
};
/// Every implemented BIF (bifs.def), in table order.
const BifInfo* bif_table(size_t* count);
/// nullptr if there is none.
const BifInfo* find_bif(Term module, Term name, uint32_t arity);

/// Declares every BIF of bifs.def.
#define BIF_ENTRY(module, name, arity, text) BIF(module, name, arity);
#include "vm/bif/bifs.def"
#undef BIF_ENTRY

// --- long work -----------------------------------------------------------------------------------
/// Counts a BIF's work in steps, so many a reduction. When step() says false the process has ended
/// or the machine stops: return kCancelled.
class BifPace final : public Pace {
 public:
  BifPace(Process& p, int64_t steps_per_reduction)
      : Pace(kTurn), process_(p), rate_(steps_per_reduction) {}
  ~BifPace() {
    if (kTurn - left_ >= rate_) process_.charge((kTurn - left_) / rate_);
  }
  BifPace(const BifPace&) = delete;

 private:
  static constexpr int64_t kTurn = 1024;
  bool turn() override;

  Process& process_;
  const int64_t rate_;
};

// --- what many BIFs need -------------------------------------------------------------------------
/// Elements of a proper list, or -1 if improper or no list. (Of a list from a program: see
/// paced_length.)
inline int64_t list_length(Term list) {
  int64_t n = 0;
  for (; is_cons(list); list = tail(list)) ++n;
  return is_nil(list) ? n : -1;
}
/// Calls f(element) for the elements of a list, in order, a step each (what is left over of eight
/// is not counted), until it says false or the list ends. *list becomes what was not passed. False:
/// `pace` stopped it.
template <class F>
WB_INLINE bool each_element(Term* list, Pace& pace, F f) {
  Term t = *list;
  bool on = true;
  do {
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; ++k) {
      if (!is_cons(t) || !f(head(t))) return *list = t, true;
      t = tail(t);
    }
    on = pace.steps(8);
  } while (on);
  return *list = t, false;
}
/// The same as list_length, a step an element.
constexpr int64_t kLengthCancelled = -2;
int64_t paced_length(Term list, Pace& pace);
/// Builds a list front to back.
class ListBuilder {
 public:
  explicit ListBuilder(Heap& h) : heap_(h) {}
  void add(Term t) {
    Term* cell = heap_.alloc(2);
    cell[0] = t;
    cell[1] = kNil;
    *link_ = make_cons(cell);
    link_ = cell + 1;
  }
  Term finish(Term rest = kNil) {
    *link_ = rest;
    return first_;
  }

 private:
  Heap& heap_;
  Term first_ = kNil;
  Term* link_ = &first_;
};

/// Text of an iolist / chardata-free list of bytes: false if not one.
bool list_to_bytes(Term list, std::string* out);      // proper list of 0..255
bool iolist_to_bytes(Term iolist, std::string* out);  // iolist or binary (whole bytes)
/// A list of integers from bytes.
Term bytes_to_list(Heap& h, const uint8_t* bytes, size_t n, Term rest = kNil);
/// The same, a step an element.
Term bytes_to_list(Heap& h, const uint8_t* bytes, size_t n, Term rest, Pace& pace);

}  // namespace wb
