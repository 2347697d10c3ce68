// Moving values, taking apart and building lists and tuples, frames, reserving heap.
#include "vm/interp/dynamic.h"
#include "vm/interp/handler.h"

namespace wb {

FAST_2(move) {
  WB_STORE(B, 2, WB_LOAD(A, 1));
  WB_NEXT(3);
}
template <K A, K B, K D>
struct h_get_list {
  WB_PRESERVE_NONE static void run(WB_HANDLER_ARGS) {
    Term* cell = cons_ptr(WB_LOAD(A, 1));
    Term rest = cell[1];
    WB_STORE(B, 2, cell[0]);
    WB_STORE(D, 3, rest);
    WB_NEXT(4);
  }
};
FAST_2(get_hd) {
  WB_STORE(B, 2, cons_ptr(WB_LOAD(A, 1))[0]);
  WB_NEXT(3);
}
FAST_2(get_tl) {
  WB_STORE(B, 2, cons_ptr(WB_LOAD(A, 1))[1]);
  WB_NEXT(3);
}
FAST_2(get_tuple_element) {  // I[3]: byte offset of the element from the header
  WB_STORE(
      B, 2,
      *reinterpret_cast<Term*>(reinterpret_cast<char*>(boxed_ptr(WB_LOAD(A, 1))) + WB_NUMBER(3)));
  WB_NEXT(4);
}
FAST_3(put_list) {
  HP[0] = WB_LOAD(A, 1);
  HP[1] = WB_LOAD(B, 2);
  WB_STORE(D, 3, make_cons(HP));
  HP += 2;
  WB_NEXT(4);
}

UNCUT_Z(put_tuple) {
  uint64_t n = I[2];
  HP[0] = make_header(Kind::tuple, n);
  for (uint64_t k = 0; k < n; ++k) {
    Word w = I[3 + k];
    HP[1 + k] = DYN_LOAD(w);
  }
  Word dst = I[1];
  DYN_STORE(dst, make_boxed(HP));
  HP += 1 + n;
  WB_NEXT(3 + n);
}
FAST_Z(tuple_begin) {
  HP[0] = WB_NUMBER(1);
  WB_NEXT(2);
}
FAST_1(tuple_element) {
  *reinterpret_cast<Term*>(reinterpret_cast<char*>(HP) + WB_NUMBER(2)) = WB_LOAD(A, 1);
  WB_NEXT(3);
}
FAST_1(tuple_end) {
  WB_STORE(A, 1, make_boxed(HP));
  HP = reinterpret_cast<Term*>(reinterpret_cast<char*>(HP) + WB_NUMBER(2));
  WB_NEXT(3);
}
FAST_2(set_tuple_element) {  // element, tuple, byte offset
  Term element = WB_LOAD(A, 1), t = WB_LOAD(B, 2);
  *reinterpret_cast<Term*>(reinterpret_cast<char*>(boxed_ptr(t)) + WB_NUMBER(3)) = element;
  WB_NEXT(4);
}
FAST_2(swap) {
  Term a = WB_LOAD(A, 1), b = WB_LOAD(B, 2);
  WB_STORE(A, 1, b);
  WB_STORE(B, 2, a);
  WB_NEXT(3);
}
UNCUT_Z(init_yregs) {
  uint64_t n = I[1];
  for (uint64_t k = 0; k < n; ++k) E[I[2 + k]] = kNil;
  WB_NEXT(2 + n);
}

// --- slow operations -----------------------------------------------------------------------------
/// A copy of a tuple with some elements replaced; heap was reserved by test_heap.
static const Word* op_update_record(Exec& c, const Word* I) {
  uint64_t size = I[1];
  const Term* src = boxed_ptr(load_operand(c, I[2]));
  Term* dst = c.p->heap.alloc(size + 1);
  memcpy(dst, src, (size + 1) * sizeof(Term));
  for (uint64_t k = 0; k < I[4]; k += 2) dst[I[5 + k]] = load_operand(c, I[6 + k]);
  store_operand(c, I[3], make_boxed(dst));
  return I + 5 + I[4];
}

// --- frames and heap
// ------------------------------------------------------------------------------- Every reservation
// keeps kCallSlack words more, so that a call can push its return address without a check.
constexpr int64_t kSlackBytes = kCallSlack * sizeof(Word);
static const Word* op_allocate(Exec& c, const Word* I) {  // slots live
  // For who samples what is allocated where.
  c.pc = I;
  if (!collect_garbage(c, I[1] + kCallSlack, static_cast<uint32_t>(I[2]))) return leave_dying(c);
  c.set_e(c.e() - I[1]);
  return I + 3;
}
FAST_Z(allocate) {
  if (WB_UNLIKELY(!WB_HAS_ROOM(WB_BYTES(1) + kSlackBytes))) WB_SLOW(op_allocate);
  WB_MOVE_E(WB_MINUS_BYTES(1));
  WB_NEXT(3);
}
static const Word* op_allocate_heap(Exec& c, const Word* I) {  // slots heap live
  c.pc = I;  // for who samples what is allocated where
  if (!collect_garbage(c, I[1] + I[2] + kCallSlack, static_cast<uint32_t>(I[3]))) {
    return leave_dying(c);
  }
  c.set_e(c.e() - I[1]);
  return I + 4;
}
FAST_Z(allocate_heap) {
  if (WB_UNLIKELY(!WB_HAS_ROOM(WB_BYTES(1) + WB_BYTES(2) + kSlackBytes))) WB_SLOW(op_allocate_heap);
  WB_MOVE_E(WB_MINUS_BYTES(1));
  WB_NEXT(4);
}
static const Word* op_allocate_zero(Exec& c, const Word* I) {
  if (!safe_point(c, I[1] + I[2], static_cast<uint32_t>(I[3]))) return leave_dying(c);
  Term* e = c.e();
  for (uint64_t k = 0; k < I[1]; ++k) *--e = kNil;
  c.set_e(e);
  return I + 4;
}
static const Word* op_test_heap(Exec& c, const Word* I) {  // heap live
  c.pc = I;  // for who samples what is allocated where
  if (!collect_garbage(c, I[1] + kCallSlack, static_cast<uint32_t>(I[2]))) return leave_dying(c);
  return I + 3;
}
FAST_Z(test_heap) {
  if (WB_UNLIKELY(!WB_HAS_ROOM(WB_BYTES(1) + kSlackBytes))) WB_SLOW(op_test_heap);
  WB_NEXT(3);
}
FAST_Z(deallocate) {
  WB_MOVE_E(WB_BYTES(1));
  WB_NEXT(2);
}
FAST_Z(deallocate_return) {
  WB_MOVE_E(WB_BYTES(1));
  Term back = *E++;
  WB_JUMP(back);
}
FAST_Z(return_) {
  Term back = *E++;
  WB_JUMP(back);
}

void install_moves(Word* t, bool stress) {
  fill::two<h_move, 6, 5>(handler_slot(t, Instr::move));
  fill::three<h_get_list, 5, 5, 5>(handler_slot(t, Instr::get_list));
  fill::two<h_get_hd, 5, 5>(handler_slot(t, Instr::get_hd));
  fill::two<h_get_tl, 5, 5>(handler_slot(t, Instr::get_tl));
  fill::two<h_get_tuple_element, 5, 5>(handler_slot(t, Instr::get_tuple_element));
  fill::three<h_put_list, 6, 6, 5>(handler_slot(t, Instr::put_list));
  set_slow(t, Instr::put_tuple, &h_put_tuple::run);
  set_slow(t, Instr::tuple_begin, &h_tuple_begin::run);
  fill::one<h_tuple_element, 6>(handler_slot(t, Instr::tuple_element));
  fill::one<h_tuple_end, 5>(handler_slot(t, Instr::tuple_end));
  fill::two<h_swap, 5, 5>(handler_slot(t, Instr::swap));
  set_slow(t, Instr::init_yregs, &h_init_yregs::run);
  fill::two<h_set_tuple_element, 6, 6>(handler_slot(t, Instr::set_tuple_element));
  set_slow(t, Instr::update_record, &slow_handler<op_update_record>);
  set_slow(t, Instr::deallocate, &h_deallocate::run);
  set_slow(t, Instr::trim, &h_deallocate::run);
  set_slow(t, Instr::return_, &h_return_::run);
  set_slow(t, Instr::deallocate_return, &h_deallocate_return::run);
  set_slow(t, Instr::allocate_zero, &slow_handler<op_allocate_zero>);
  // Under --gc-stress every safe point collects: the slow operations always do.
  set_slow(t, Instr::allocate, stress ? &slow_handler<op_allocate> : &h_allocate::run);
  set_slow(t, Instr::allocate_heap,
           stress ? &slow_handler<op_allocate_heap> : &h_allocate_heap::run);
  set_slow(t, Instr::test_heap, stress ? &slow_handler<op_test_heap> : &h_test_heap::run);
}

}  // namespace wb
