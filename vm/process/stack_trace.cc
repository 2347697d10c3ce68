#include "vm/process/stack_trace.h"

#include <cstring>
#include <vector>

#include "loader/code.h"
#include "loader/code_table.h"
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/lists.h"
#include "term/map.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"

namespace wb {

/// Code may jump to its function_clause while an argument is a match context: no program sees one.
static Term shown(Heap& h, Term t) {
  return is_kind(t, Kind::match_ctx) ? match_tail(h, match_context(t)) : t;
}
Term argument_list(Heap& h, const Term* args, uint32_t n) {
  Term list = kNil;
  for (uint32_t k = n; k-- > 0;) list = cons(h, shown(h, args[k]), list);
  return list;
}

// --- frames --------------------------------------------------------------------------------------
/// Makes the frames of one trace, which are often of one module.
class FrameMaker {
 public:
  FrameMaker(Vm& vm, Heap& h) : vm_(vm), heap_(h) {}
  /// Of the code at `pc`; kNil: nobody's. `args`, `error_info`: kNone if not to be shown.
  Term frame(const Word* pc, Term args = kNone, Term error_info = kNone) {
    if (!module_ || !module_->contains(pc)) module_ = vm_.code->module_at(pc);
    const Module::Function* f = module_ ? module_->function_at(pc) : nullptr;
    if (!f) return builtin_frame(pc);
    Term arity = is_value(args) ? args : make_small(f->arity);
    return tuple(heap_, module_->name, f->name, arity, location_list(pc, error_info));
  }

 private:
  Term builtin_frame(const Word* pc) {
    const Export* e = vm_.code->builtin_at(pc);
    return e ? tuple(heap_, e->module, e->function, make_small(e->arity), kNil) : kNil;
  }
  Term location_list(const Word* pc, Term error_info) {
    Term list = kNil;
    if (is_value(error_info)) {
      list = cons(heap_, tuple(heap_, am::error_info, error_info), list);
    }
    const SourceLocation where = module_->location(pc);
    if (!where.line) return list;
    list = cons(heap_, tuple(heap_, am::line, make_small(where.line)), list);
    return cons(heap_, where.file_pair, list);
  }

  Vm& vm_;
  Heap& heap_;
  const Module* module_ = nullptr;  ///< of the last frame
};

Term frame_of(Vm& vm, Heap& h, const Word* pc) { return FrameMaker(vm, h).frame(pc); }

/// Up to `room` addresses: `pc` (if any), then return addresses from the stack.
static size_t gather(const CodeTable& code, const Word* pc, const Term* e, const Term* base,
                     const Word** out, size_t room) {
  size_t n = 0;
  if (pc && n < room) out[n++] = pc;
  Word previous = 0;
  for (; e < base && n < room; ++e) {
    if (!is_code(*e) || *e == previous || code.is_machine_code(*e)) continue;
    previous = *e;
    out[n++] = reinterpret_cast<const Word*>(*e) - 1;  // inside the call
  }
  return n;
}
static Term addresses_of(Exec& c, const Word* pc, const Term* e, size_t room) {
  const Word* found[Settings::kMostFrames];
  size_t n = gather(*c.vm->code, pc, e, c.p->heap.stack_base(), found, room);
  return make_binary(c.p->heap, found, n * sizeof found[0]);
}
Term stack_frames(Vm& vm, Heap& h, const Word* pc, const Term* e, const Term* base, int depth) {
  std::vector<const Word*> found(static_cast<size_t>(depth));
  size_t n = gather(*vm.code, pc, e, base, found.data(), found.size());
  ListBuilder list(h);
  FrameMaker maker(vm, h);
  for (size_t k = 0; k < n; ++k) {
    Term frame = maker.frame(found[k]);
    if (is_boxed(frame)) list.add(frame);
  }
  return list.finish();
}

// --- raw traces ----------------------------------------------------------------------------------
Term make_raw_trace(Exec& c, Term error_class, Term head, const Word* pc, const Term* e) {
  size_t used = is_cons(head) ? 1 : 0;
  size_t depth = c.vm->settings->exception_depth();
  Term addresses = addresses_of(c, pc, e, depth > used ? depth - used : 0);
  return tuple(c.p->heap, error_class, head, addresses);
}
Term make_raw_trace(Exec& c, Term error_class, Term head, const Word* pc) {
  return make_raw_trace(c, error_class, head, pc, c.e());
}
Term shown_head(Heap& h, Term args, Term info) {
  return tuple(h, is_value(args) ? args : am::false_, is_value(info) ? info : kNil);
}
Term wrap_stacktrace(Exec& c, Term error_class, Term list) {
  return tuple(c.p->heap, error_class, list, kNil);
}
/// Honest code only hands back what it got here; a hostile module, any tuple.
static bool is_raw(Term t) {
  if (!is_tuple_of(t, 3)) return false;
  Term error_class = tuple_elements(t)[0], addresses = tuple_elements(t)[2];
  return (error_class == am::error || error_class == am::exit || error_class == am::throw_) &&
         (is_nil(addresses) || is_bitstring(addresses));
}
Term raw_trace_class(Term raw) { return is_raw(raw) ? tuple_elements(raw)[0] : am::error; }

Word raw_trace_place(Term raw) {
  if (!is_raw(raw) || is_nil(tuple_elements(raw)[2])) return 0;
  const Bits addresses = bits_of(tuple_elements(raw)[2]);
  Word first = 0;
  if (addresses.size >= 64) memcpy(&first, addresses.bytes, sizeof first);
  return first;
}

Term raw_trace_as(Exec& c, Term raw, Term error_class) {
  if (!is_raw(raw) || tuple_elements(raw)[0] == error_class) return raw;
  return tuple(c.p->heap, error_class, tuple_elements(raw)[1], tuple_elements(raw)[2]);
}

size_t stacktrace_words(Term raw) {
  if (!is_raw(raw) || is_nil(tuple_elements(raw)[2])) return 0;
  constexpr size_t kPerFrame = 2 + 5 + 2 + 2 + 3;  // cell, {M, F, A, Info}, two cells, {line, L}
  size_t head = is_cons(tuple_elements(raw)[1]) ? 2 : 0;
  return head + kPerFrame * (bits_of(tuple_elements(raw)[2]).size / 64);
}

Term build_stacktrace(Exec& c, Term raw) {
  if (!is_raw(raw)) return kNil;
  Term head_list = tuple_elements(raw)[1], addresses = tuple_elements(raw)[2];
  if (is_nil(addresses)) return head_list;
  Heap& h = c.p->heap;
  ListBuilder list(h);
  Term args = kNone, info = kNone;  // of the next frame
  if (is_tuple_of(head_list, 2)) {
    const Term* shown = tuple_elements(head_list);
    if (is_list(shown[0])) args = shown[0];
    if (is_map(shown[1])) info = shown[1];
  }
  for (; is_cons(head_list); head_list = tail(head_list)) list.add(head(head_list));
  FrameMaker maker(*c.vm, h);
  Bits bits = bits_of(addresses);
  for (size_t k = 0; k + 8 <= bits.size / 8; k += 8, args = info = kNone) {
    const Word* pc;
    memcpy(&pc, bits.bytes + k, sizeof pc);
    Term frame = maker.frame(pc, args, info);
    if (is_boxed(frame)) list.add(frame);
  }
  return list.finish();
}

}  // namespace wb
