// Moving values, taking apart and building lists and tuples, frames, reserving heap.
#include "vm/interp/dynamic.h"
#include "vm/interp/handler.h"

namespace wb {

FAST_2(move) {
  WB_STORE(B, dst, WB_LOAD(A, source));
  WB_NEXT();
}
FAST_3(get_list) {
  Term* cell = cons_ptr(WB_LOAD(A, list));
  Term rest = cell[1];
  WB_STORE(B, head, cell[0]);
  WB_STORE(D, tail, rest);
  WB_NEXT();
}
FAST_2(get_hd) {
  WB_STORE(B, head, cons_ptr(WB_LOAD(A, list))[0]);
  WB_NEXT();
}
FAST_2(get_tl) {
  WB_STORE(B, tail, cons_ptr(WB_LOAD(A, list))[1]);
  WB_NEXT();
}
FAST_2(get_tuple_element) {  // at: in bytes, from the header
  WB_STORE(B, dst,
           *reinterpret_cast<Term*>(reinterpret_cast<char*>(boxed_ptr(WB_LOAD(A, tuple))) +
                                    WB_NUMBER(at)));
  WB_NEXT();
}
FAST_3(put_list) {
  HP[0] = WB_LOAD(A, head);
  HP[1] = WB_LOAD(B, tail);
  WB_STORE(D, dst, make_cons(HP));
  HP += 2;
  WB_NEXT();
}

UNCUT_Z(put_tuple) {
  instr::put_tuple in{I};
  uint64_t n = in.count();
  HP[0] = make_header(Kind::tuple, n);
  for (uint64_t k = 0; k < n; ++k) HP[1 + k] = DYN_LOAD(in.elements()[k]);
  DYN_STORE(in.dst(), make_boxed(HP));
  HP += 1 + n;
  WB_JUMP(in.after());
}
FAST_Z(tuple_begin) {
  HP[0] = WB_NUMBER(header);
  WB_NEXT();
}
FAST_1(tuple_element) {
  *reinterpret_cast<Term*>(reinterpret_cast<char*>(HP) + WB_NUMBER(at)) = WB_LOAD(A, element);
  WB_NEXT();
}
FAST_1(tuple_end) {
  WB_STORE(A, dst, make_boxed(HP));
  HP = reinterpret_cast<Term*>(reinterpret_cast<char*>(HP) + WB_NUMBER(bytes));
  WB_NEXT();
}
FAST_2(set_tuple_element) {  // element, tuple, byte offset
  Term element = WB_LOAD(A, value), t = WB_LOAD(B, tuple);
  *reinterpret_cast<Term*>(reinterpret_cast<char*>(boxed_ptr(t)) + WB_NUMBER(at)) = element;
  WB_NEXT();
}
FAST_2(swap) {
  Term a = WB_LOAD(A, first), b = WB_LOAD(B, second);
  WB_STORE(A, first, b);
  WB_STORE(B, second, a);
  WB_NEXT();
}
UNCUT_Z(init_yregs) {
  instr::init_yregs in{I};
  for (uint64_t k = 0; k < in.count(); ++k) E[in.registers()[k]] = kNil;
  WB_JUMP(in.after());
}

// --- slow operations -----------------------------------------------------------------------------
/// A copy of a tuple with some elements replaced; heap was reserved by test_heap.
static const Word* op_update_record(Exec& c, const Word* I) {
  instr::update_record in{I};
  uint64_t size = in.size();
  const Term* src = boxed_ptr(load_operand(c, in.source()));
  Term* dst = c.p->heap.alloc(size + 1);
  memcpy(dst, src, (size + 1) * sizeof(Term));
  for (const Word* u = in.updates(); u < in.after(); u += 2) dst[u[0]] = load_operand(c, u[1]);
  store_operand(c, in.dst(), make_boxed(dst));
  return in.after();
}

// --- frames and heap
// ------------------------------------------------------------------------------- Every reservation
// keeps kCallSlack words more, so that a call can push its return address without a check.
constexpr int64_t kSlackBytes = kCallSlack * sizeof(Word);
static const Word* op_allocate(Exec& c, const Word* I) {
  instr::allocate in{I};
  // For who samples what is allocated where.
  c.pc = I;
  if (!collect_garbage(c, in.slots() + kCallSlack, static_cast<uint32_t>(in.live())))
    return leave_dying(c);
  c.set_e(c.e() - in.slots());
  return in.after();
}
FAST_Z(allocate) {
  if (WB_UNLIKELY(!WB_HAS_ROOM(WB_BYTES(slots) + kSlackBytes))) WB_SLOW(op_allocate);
  WB_MOVE_E(WB_MINUS_BYTES(slots));
  WB_NEXT();
}
static const Word* op_allocate_heap(Exec& c, const Word* I) {
  instr::allocate_heap in{I};
  c.pc = I;  // for who samples what is allocated where
  if (!collect_garbage(c, in.slots() + in.heap() + kCallSlack, static_cast<uint32_t>(in.live()))) {
    return leave_dying(c);
  }
  c.set_e(c.e() - in.slots());
  return in.after();
}
FAST_Z(allocate_heap) {
  if (WB_UNLIKELY(!WB_HAS_ROOM(WB_BYTES(slots) + WB_BYTES(heap) + kSlackBytes)))
    WB_SLOW(op_allocate_heap);
  WB_MOVE_E(WB_MINUS_BYTES(slots));
  WB_NEXT();
}
static const Word* op_allocate_zero(Exec& c, const Word* I) {
  instr::allocate_zero in{I};
  if (!safe_point(c, in.slots() + in.heap(), static_cast<uint32_t>(in.live())))
    return leave_dying(c);
  Term* e = c.e();
  for (uint64_t k = 0; k < in.slots(); ++k) *--e = kNil;
  c.set_e(e);
  return in.after();
}
static const Word* op_test_heap(Exec& c, const Word* I) {
  instr::test_heap in{I};
  c.pc = I;  // for who samples what is allocated where
  if (!collect_garbage(c, in.heap() + kCallSlack, static_cast<uint32_t>(in.live())))
    return leave_dying(c);
  return in.after();
}
FAST_Z(test_heap) {
  if (WB_UNLIKELY(!WB_HAS_ROOM(WB_BYTES(heap) + kSlackBytes))) WB_SLOW(op_test_heap);
  WB_NEXT();
}
FAST_Z(deallocate) {
  WB_MOVE_E(WB_BYTES(slots));
  WB_NEXT();
}
FAST_Z(deallocate_return) {
  WB_MOVE_E(WB_BYTES(slots));
  Term back = *E++;
  WB_JUMP(back);
}
FAST_Z(return_) {
  Term back = *E++;
  WB_JUMP(back);
}

void install_moves(Word* t, bool stress) {
  fill::two<Instr::move, h_move, 6, 5>(t);
  fill::three<Instr::get_list, h_get_list, 5, 5, 5>(t);
  fill::two<Instr::get_hd, h_get_hd, 5, 5>(t);
  fill::two<Instr::get_tl, h_get_tl, 5, 5>(t);
  fill::two<Instr::get_tuple_element, h_get_tuple_element, 5, 5>(t);
  fill::three<Instr::put_list, h_put_list, 6, 6, 5>(t);
  fill::zero<Instr::put_tuple, h_put_tuple>(t);
  fill::zero<Instr::tuple_begin, h_tuple_begin>(t);
  fill::one<Instr::tuple_element, h_tuple_element, 6>(t);
  fill::one<Instr::tuple_end, h_tuple_end, 5>(t);
  fill::two<Instr::swap, h_swap, 5, 5>(t);
  fill::zero<Instr::init_yregs, h_init_yregs>(t);
  fill::two<Instr::set_tuple_element, h_set_tuple_element, 6, 6>(t);
  set_slow(t, Instr::update_record, &slow_handler<op_update_record>);
  fill::zero<Instr::deallocate, h_deallocate>(t);
  fill::zero<Instr::trim, h_deallocate>(t);
  fill::zero<Instr::return_, h_return_>(t);
  fill::zero<Instr::deallocate_return, h_deallocate_return>(t);
  set_slow(t, Instr::allocate_zero, &slow_handler<op_allocate_zero>);
  fill::zero<Instr::allocate, h_allocate>(t);
  fill::zero<Instr::allocate_heap, h_allocate_heap>(t);
  fill::zero<Instr::test_heap, h_test_heap>(t);
  if (!stress) return;
  // Every safe point collects: the slow operations always do.
  set_slow(t, Instr::allocate, &slow_handler<op_allocate>);
  set_slow(t, Instr::allocate_heap, &slow_handler<op_allocate_heap>);
  set_slow(t, Instr::test_heap, &slow_handler<op_test_heap>);
}

}  // namespace wb
