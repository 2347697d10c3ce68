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
//  - Work beyond a few microseconds is charged: p.charge(n), one reduction is about 10 list elements
//    or 100 bytes. A BIF whose work is not bounded by a slice continues by p.trap(...) or yields.
//  - Guard BIFs (flag kGuard) have no side effect and look at nothing but their arguments.
#pragma once

#include "term/atom.h"
#include "term/fault.h"
#include "term/heap.h"
#include "term/term.h"
#include "vm/process/process.h"

namespace wb {

using BifFn = Term (*)(Process& p, const Term* a);

#define BIF(module, name, arity) \
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

// --- what many BIFs need --------------------------------------------------------------------------
/// Elements of a proper list, or -1 if improper or no list.
inline int64_t list_length(Term list) {
  int64_t n = 0;
  for (; is_cons(list); list = tail(list)) ++n;
  return is_nil(list) ? n : -1;
}
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
bool list_to_bytes(Term list, std::string* out);   // proper list of 0..255
bool iolist_to_bytes(Term iolist, std::string* out);  // iolist or binary (whole bytes)
/// A list of integers from bytes.
Term bytes_to_list(Heap& h, const uint8_t* bytes, size_t n, Term rest = kNil);

}  // namespace wb
