// Emitting arithmetic and other guard BIFs: some have instructions of their own.
#include <cstring>

#include "loader/emitter.h"
#include "term/atom.h"
#include "term/instance.h"

namespace wb {

/// What is known of a guard BIF's failures holds only for one that the machine has.
void Emitter::bif_body(const Export* e) {
  if (!e->guard && !without_body_) without_body_ = e;
  if (noted_) note(Relocation::guard, noted_->link(e->module, e->function, e->arity));
  word(reinterpret_cast<Word>(e->guard));
}

void Emitter::guard_bif(Instr i, Export* e, Ops args, const Operand& dst, const Operand& fail,
                        const Operand* live) {
  plain(i);
  export_word(e);
  bif_body(e);
  for (const Operand& argument : args) dyn(argument);
  dyn(dst);
  label(fail);
  if (live) number(*live);
}

/// The instruction that stands for erlang:name/arity, or `count`.
static Instr instr_of_bif(const Export* e) {
  struct Row {
    Term name;
    uint32_t arity;
    Instr instr;
  };
  static constexpr Row kRows[] = {{am::plus, 2, Instr::add},
                                  {am::minus, 2, Instr::sub},
                                  {am::times, 2, Instr::mul},
                                  {am::div, 2, Instr::div},
                                  {am::rem, 2, Instr::rem},
                                  {am::band, 2, Instr::band},
                                  {am::bor, 2, Instr::bor},
                                  {am::bxor, 2, Instr::bxor},
                                  {am::bsl, 2, Instr::bsl},
                                  {am::bsr, 2, Instr::bsr},
                                  {am::bnot, 1, Instr::bnot},
                                  {am::element, 2, Instr::element},
                                  {am::hd, 1, Instr::hd},
                                  {am::tl, 1, Instr::tl},
                                  {am::byte_size, 1, Instr::byte_size},
                                  {am::map_size, 1, Instr::map_size}};
  if (e->module != am::erlang) return Instr::count;
  for (const Row& r : kRows) {
    if (r.name == e->function && r.arity == e->arity) return r.instr;
  }
  return Instr::count;
}

/// A BIF that has an instruction of its own: arguments, destination, label, and where the
/// instruction has them its live registers.
bool Emitter::own_bif(Export* e, Ops args, const Operand& dst, const Operand& fail,
                      const Operand* live) {
  Instr i = instr_of_bif(e);
  if (i == Instr::count) return false;
  // As on BEAM up to OTP 26 X - 0 is X + 0, if X is no literal: -0.0 becomes 0.0.
  if (i == Instr::sub && otp_release() < 27 && args[0].is_register() && args[1].is_int() &&
      args[1].value == 0)
    i = Instr::add;
  // To subtract a negative literal is no addition of another there, and fails with a frame of its
  // own.
  if (i == Instr::sub && args[1].is_int() && args[1].int_value() < 0) return false;
  if (args.size() == 1)
    special(i, {args[0], dst});
  else
    special(i, {args[0], args[1], dst});
  label(fail);
  if (live && strchr(info_of(i).operands, 'l')) number(*live);
  return true;
}

/// binary_to_atom/1 and binary_to_existing_atom/1 are Erlang functions that call those with an
/// encoding.
bool Emitter::atom_of_binary(const op::gc_bif1& in) {
  const Export* e = import(in.bif());
  std::string_view name = atom_text(e->function);
  if (e->module != am::erlang || (name != "binary_to_atom" && name != "binary_to_existing_atom"))
    return false;
  Operand utf8;
  utf8.type = Operand::atom;
  utf8.value = am::utf8;
  Operand args[] = {in.first(), utf8};
  guard_bif(Instr::gc_bif2, table_.export_entry(am::erlang, e->function, 2), args, in.dst(),
            in.fail(), &in.live());
  return true;
}

void Emitter::emit(const op::bif0& in) {
  Export* e = import(in.bif());
  if (e->module == am::erlang && e->function == am::self) return special(Instr::self, {in.dst()});
  plain(Instr::bif0);
  export_word(e);
  bif_body(e);
  dyn(in.dst());
}
void Emitter::emit(const op::bif1& in) {
  Export* e = import(in.bif());
  Ops args(&in.first(), 1);
  if (own_bif(e, args, in.dst(), in.fail(), nullptr)) return;
  guard_bif(Instr::bif1, e, args, in.dst(), in.fail(), nullptr);
}
void Emitter::emit(const op::bif2& in) {
  Export* e = import(in.bif());
  Ops args(&in.first(), 2);
  if (own_bif(e, args, in.dst(), in.fail(), nullptr)) return;
  guard_bif(Instr::bif2, e, args, in.dst(), in.fail(), nullptr);
}

void Emitter::emit(const op::bif3& in) {
  guard_bif(Instr::bif3, import(in.bif()), {&in.first(), 3}, in.dst(), in.fail(), nullptr);
}

void Emitter::emit(const op::gc_bif1& in) {
  Export* e = import(in.bif());
  if (e->module == am::erlang && e->function == am::plus) {
    Operand zero;  // +X is X + 0, also in a stack trace
    zero.type = Operand::i;
    special(Instr::add, {in.first(), zero, in.dst()});
    label(in.fail());
    return number(in.live());
  }
  Ops args(&in.first(), 1);
  if (own_bif(e, args, in.dst(), in.fail(), &in.live()) || atom_of_binary(in)) return;
  guard_bif(Instr::gc_bif1, e, args, in.dst(), in.fail(), &in.live());
}
void Emitter::emit(const op::gc_bif2& in) {
  Export* e = import(in.bif());
  Ops args(&in.first(), 2);
  if (own_bif(e, args, in.dst(), in.fail(), &in.live())) return;
  guard_bif(Instr::gc_bif2, e, args, in.dst(), in.fail(), &in.live());
}
void Emitter::emit(const op::gc_bif3& in) {
  guard_bif(Instr::gc_bif3, import(in.bif()), {&in.first(), 3}, in.dst(), in.fail(), &in.live());
}

}  // namespace wb
