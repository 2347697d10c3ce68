// Emitting tests, arithmetic, guard BIFs, exceptions, messages and maps.
#include <cstring>

#include "loader/emitter.h"
#include "term/atom.h"
#include "term/map.h"

namespace wb {

void Emitter::test(Instr i, Ops o) {
  special(i, {o[1]});
  label(o[0]);
}
void Emitter::compare(Instr i, Ops o) {
  special(i, {o[1], o[2]});
  label(o[0]);
}

bool Emitter::tests(const Instruction& in, Ops o) {
  switch (in.op) {
#define TEST(name)        \
  case Op::name:          \
    test(Instr::name, o); \
    return true;
    TEST(is_nil)
    TEST(is_nonempty_list)
    TEST(is_list)
    TEST(is_atom)
    TEST(is_integer)
    TEST(is_tuple)
    TEST(is_boolean)
    TEST(is_binary)
    TEST(is_map)
    TEST(is_float)
    TEST(is_number)
    TEST(is_pid)
    TEST(is_reference)
    TEST(is_port)
    TEST(is_bitstr)
    TEST(is_function)
#undef TEST
#define COMPARE(name)        \
  case Op::name:             \
    compare(Instr::name, o); \
    return true;
    COMPARE(is_lt)
    COMPARE(is_ge)
    COMPARE(is_eq)
    COMPARE(is_ne)
    COMPARE(is_eq_exact)
    COMPARE(is_ne_exact)
#undef COMPARE
    case Op::test_arity:
      test(Instr::test_arity, o);
      word(make_header(Kind::tuple, o[2].value));
      return true;
    case Op::is_tagged_tuple:
      test(Instr::is_tagged_tuple, o);
      word(make_header(Kind::tuple, o[2].value));
      word(o[3].value);
      return true;
    case Op::is_function2:
      compare(Instr::is_function2, o);
      return true;
    default:
      return false;
  }
}

/// What is known of a guard BIF's failures holds only for one that the machine has.
void Emitter::bif_body(const Export* e) {
  if (!e->guard && !without_body_) without_body_ = e;
  word(reinterpret_cast<Word>(e->guard));
}

void Emitter::guard_bif(Instr i, unsigned n, Export* e, Ops args, const Operand& dst,
                        const Operand& fail, const Operand* live) {
  plain(i);
  word(reinterpret_cast<Word>(e));
  bif_body(e);
  for (unsigned k = 0; k < n; ++k) dyn(args[k]);
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
  // As on BEAM X - 0 is X + 0, if X is no literal: -0.0 becomes 0.0.
  if (i == Instr::sub && args[0].is_register() && args[1].is_int() && args[1].value == 0)
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
bool Emitter::atom_of_binary(Ops o) {
  const Export* e = import(o[2]);
  std::string_view name = atom_text(e->function);
  if (e->module != am::erlang || (name != "binary_to_atom" && name != "binary_to_existing_atom"))
    return false;
  Operand utf8;
  utf8.type = Operand::atom;
  utf8.value = am::utf8;
  Operand args[] = {o[3], utf8};
  guard_bif(Instr::gc_bif2, 2, server_.export_entry(am::erlang, e->function, 2), args, o[4], o[0],
            &o[1]);
  return true;
}

bool Emitter::arithmetic(const Instruction& in, Ops o) {
  switch (in.op) {
    case Op::bif0: {
      Export* e = import(o[0]);
      if (e->module == am::erlang && e->function == am::self) {
        special(Instr::self, {o[1]});
        return true;
      }
      plain(Instr::bif0);
      word(reinterpret_cast<Word>(e));
      bif_body(e);
      dyn(o[1]);
      return true;
    }
    case Op::bif1:
      if (own_bif(import(o[1]), o.subspan(2, 1), o[3], o[0], nullptr)) return true;
      guard_bif(Instr::bif1, 1, import(o[1]), o.subspan(2, 1), o[3], o[0], nullptr);
      return true;
    case Op::bif2:
      if (own_bif(import(o[1]), o.subspan(2, 2), o[4], o[0], nullptr)) return true;
      guard_bif(Instr::bif2, 2, import(o[1]), o.subspan(2, 2), o[4], o[0], nullptr);
      return true;
    case Op::gc_bif1:
      if (Export* e = import(o[2]); e->module == am::erlang && e->function == am::plus) {
        Operand zero;  // +X is X + 0, also in a stack trace
        zero.type = Operand::i;
        special(Instr::add, {o[3], zero, o[4]});
        label(o[0]);
        number(o[1]);
        return true;
      }
      if (own_bif(import(o[2]), o.subspan(3, 1), o[4], o[0], &o[1])) return true;
      if (atom_of_binary(o)) return true;
      guard_bif(Instr::gc_bif1, 1, import(o[2]), o.subspan(3, 1), o[4], o[0], &o[1]);
      return true;
    case Op::gc_bif2:
      if (own_bif(import(o[2]), o.subspan(3, 2), o[5], o[0], &o[1])) return true;
      guard_bif(Instr::gc_bif2, 2, import(o[2]), o.subspan(3, 2), o[5], o[0], &o[1]);
      return true;
    case Op::gc_bif3:
      guard_bif(Instr::gc_bif3, 3, import(o[2]), o.subspan(3, 3), o[6], o[0], &o[1]);
      return true;
    case Op::fmove:
      if (o[0].type == Operand::fr && o[1].type == Operand::fr) {
        plain(Instr::float_move);
        number(o[0]);
        number(o[1]);
      } else if (o[0].type == Operand::fr) {
        special(Instr::float_store, {o[1]});
        number(o[0]);
      } else {
        special(Instr::float_load, {o[0]});
        number(o[1]);
      }
      return true;
    case Op::fconv:
      special(Instr::fconv, {o[0]});
      number(o[1]);
      return true;
#define FLOAT(name)     \
  case Op::name:        \
    plain(Instr::name); \
    number(o[1]);       \
    number(o[2]);       \
    number(o[3]);       \
    return true;
      FLOAT(fadd)
      FLOAT(fsub)
      FLOAT(fmul)
      FLOAT(fdiv)
#undef FLOAT
    case Op::fnegate:
      plain(Instr::fnegate);
      number(o[1]);
      number(o[2]);
      return true;
    default:
      return false;
  }
}

bool Emitter::exceptions(const Instruction& in, Ops o) {
  switch (in.op) {
    case Op::catch_:
    case Op::try_:
      plain(Instr::catch_);
      number(o[0]);
      label(o[1]);
      return true;
    case Op::catch_end:
      plain(Instr::catch_end);
      number(o[0]);
      return true;
    case Op::try_end:
      plain(Instr::try_end);
      number(o[0]);
      return true;
    case Op::try_case:
      plain(Instr::try_case);
      number(o[0]);
      return true;
    case Op::raise:
      plain(Instr::raise);
      dyn(o[0]);
      dyn(o[1]);
      return true;
    case Op::raw_raise:
      plain(Instr::raw_raise);
      return true;
    case Op::build_stacktrace:
      plain(Instr::build_stacktrace);
      return true;
    case Op::if_end:
      plain(Instr::if_end);
      return true;
#define FAIL(name)      \
  case Op::name:        \
    plain(Instr::name); \
    dyn(o[0]);          \
    return true;
      FAIL(badmatch)
      FAIL(case_end)
      FAIL(try_case_end)
      FAIL(badrecord)
#undef FAIL
    default:
      return false;
  }
}

bool Emitter::messages(const Instruction& in, Ops o) {
  switch (in.op) {
    case Op::send:
      plain(Instr::send);
      return true;
    case Op::remove_message:
      if (in.checked()) {
        plain(Instr::unless_looking);
        relocations_.push_back({here(), here() + 2});
        word(0);
      }
      plain(Instr::remove_message);
      return true;
    case Op::timeout:
      plain(Instr::timeout);
      return true;
    case Op::loop_rec:
      plain(Instr::loop_rec);
      label(o[0]);
      return true;
    case Op::loop_rec_end:
      plain(Instr::loop_rec_end);
      label(o[0]);
      return true;
    case Op::wait:
      plain(Instr::wait);
      label(o[0]);
      return true;
    case Op::wait_timeout:
      plain(Instr::wait_timeout);
      label(o[0]);
      dyn(o[1]);
      return true;
    case Op::recv_marker_reserve:
      plain(Instr::recv_marker_reserve);
      dyn(o[0]);
      return true;
    case Op::recv_marker_bind:
      plain(Instr::recv_marker_bind);
      dyn(o[0]);
      dyn(o[1]);
      return true;
    case Op::recv_marker_clear:
      plain(Instr::recv_marker_clear);
      dyn(o[0]);
      return true;
    case Op::recv_marker_use:
      plain(Instr::recv_marker_use);
      dyn(o[0]);
      return true;
    default:
      return false;
  }
}

/// A few elements one by one. What overwrites the map comes last; what overwrites a key that is
/// still to be looked up is not for here.
bool Emitter::map_elements(Ops o) {
  auto list = unit_.list_of(o[2]);
  constexpr size_t kFew = 4;
  if (!o[0].value || !o[1].is_register() || list.size() > 2 * kFew) return false;
  auto same = [](const Operand& a, const Operand& b) {
    return a.is_register() && a.type == b.type && a.value == b.value;
  };
  for (size_t k = 0; k < list.size(); k += 2) {
    for (size_t later = 0; later < list.size(); later += 2) {
      if (later != k && same(list[k + 1], list[later])) return false;
    }
  }
  for (bool last : {false, true}) {
    for (size_t k = 0; k < list.size(); k += 2) {
      if (same(list[k + 1], o[1]) != last) continue;
      special(Instr::get_map_element, {o[1], list[k], list[k + 1]});
      label(o[0]);
    }
  }
  return true;
}

/// A new map whose keys are known: a literal that has them, with values to be replaced. So its keys
/// are put in order once, here, and shared by all maps made. kNone: it is not that.
Term Emitter::map_with_keys(const Operand& source, const Operand& pairs) {
  const std::span<const Operand> list = unit_.list_of(pairs);
  const size_t n = list.size() / 2;
  if (source.type != Operand::literal || n == 0 || n > kMaxFlatMap) return kNone;
  if (const Term t = constant(source); !is_map(t) || map_size(t) != 0) return kNone;
  Term values[2 * kMaxFlatMap];
  for (size_t k = 0; k < 2 * n; k += 2) {
    if (list[k].type != Operand::atom && list[k].type != Operand::i) return kNone;
    values[k] = constant(list[k]);
    values[k + 1] = kNil;
    if (!is_immediate(values[k])) return kNone;
  }
  return map_from_pairs(module_.literals, values, n);
}

/// As put_list_of, in the order of the keys in `map`, which has them all.
void Emitter::put_pairs_in_order(const Operand& pairs, Term map) {
  const std::span<const Operand> list = unit_.list_of(pairs);
  word(pairs.count);
  Term key, none;
  for (MapIterator i(map); i.next(&key, &none);) {
    for (size_t k = 0; k < list.size(); k += 2) {
      if (constant(list[k]) != key) continue;
      word(key);
      dyn(list[k + 1]);
    }
  }
}

bool Emitter::maps(const Instruction& in, Ops o) {
  switch (in.op) {
    case Op::put_map_assoc:
      plain(Instr::put_map_assoc);
      if (const Term keys = map_with_keys(o[1], o[4]); is_value(keys)) {
        word(keys);
        dyn(o[2]);
        number(o[3]);
        put_pairs_in_order(o[4], keys);
        return true;
      }
      dyn(o[1]);
      dyn(o[2]);
      number(o[3]);
      put_list_of(o[4]);
      return true;
    case Op::put_map_exact:
      plain(Instr::put_map_exact);
      label(o[0]);
      dyn(o[1]);
      dyn(o[2]);
      number(o[3]);
      put_list_of(o[4]);
      return true;
    case Op::has_map_fields:
    case Op::get_map_elements:
      if (in.op == Op::get_map_elements && map_elements(o)) return true;
      plain(in.op == Op::has_map_fields ? Instr::has_map_fields : Instr::get_map_elements);
      label(o[0]);
      dyn(o[1]);
      put_list_of(o[2]);
      return true;
    default:
      return false;
  }
}

}  // namespace wb
