// Emitting what moves data, builds and tests: tuples, frames, floats, records, maps.
#include "loader/emitter.h"
#include "term/atom.h"
#include "term/instance.h"
#include "term/map.h"
#include "term/record.h"

namespace wb {

// --- tuples --------------------------------------------------------------------------------------
namespace {
Word element_offset(const Operand& index) { return (index.value + 1) * sizeof(Term); }
}  // namespace

void Emitter::emit(const op::get_tuple_element& in) {
  special(Instr::get_tuple_element, {in.tuple(), in.dst()});
  word(element_offset(in.index()));
}
void Emitter::emit(const op::set_tuple_element& in) {
  special(Instr::set_tuple_element, {in.value(), in.tuple()});
  word(element_offset(in.index()));
}
void Emitter::emit(const op::update_record& in) {
  plain(Instr::update_record);
  number(in.size());
  dyn(in.source());
  dyn(in.dst());
  auto list = unit_.list_of(in.updates());
  word(list.size());
  for (size_t k = 0; k + 1 < list.size(); k += 2) {
    number(list[k]);
    dyn(list[k + 1]);
  }
}

void Emitter::emit(const op::test_arity& in) {
  special(Instr::test_arity, {in.tuple()});
  label(in.fail());
  word(make_header(Kind::tuple, in.arity().value));
}
void Emitter::emit(const op::is_tagged_tuple& in) {
  special(Instr::is_tagged_tuple, {in.tuple()});
  label(in.fail());
  word(make_header(Kind::tuple, in.arity().value));
  term(in.tag().value);
}

// --- frames --------------------------------------------------------------------------------------
void Emitter::allocate(const Operand& slots, const Operand* heap, const Operand& live, bool clear) {
  plain(clear ? Instr::allocate_zero : heap ? Instr::allocate_heap : Instr::allocate);
  number(slots);
  if (clear || heap) word(heap ? heap_words(*heap) : 0);
  number(live);
}
void Emitter::emit(const op::init_yregs& in) {
  auto list = unit_.list_of(in.registers());
  plain(Instr::init_yregs);
  word(list.size());
  for (const Operand& y : list) number(y);
}
void Emitter::emit(const op::init& in) {
  plain(Instr::init_yregs);
  word(1);
  number(in.slot());
}

// --- floats --------------------------------------------------------------------------------------
void Emitter::emit(const op::fmove& in) {
  const Operand &source = in.source(), &dst = in.dst();
  if (source.type == Operand::fr && dst.type == Operand::fr) {
    plain(Instr::float_move);
    number(source);
    number(dst);
  } else if (source.type == Operand::fr) {
    special(Instr::float_store, {dst});
    number(source);
  } else {
    special(Instr::float_load, {source});
    number(dst);
  }
}

void Emitter::emit(const op::fnegate& in) {
  plain(otp_release() < 27 ? Instr::fnegate : Instr::fnegate_signed);
  number(in.source());
  number(in.dst());
}

// --- native records ------------------------------------------------------------------------------
void Emitter::emit(const op::is_record_accessible& in) {
  special(Instr::is_record_accessible, {in.value()});
  label(in.fail());
  term(in.scope().value == am::auto_local ? module_.name : kNil);
}
void Emitter::emit(const op::put_record& in) {
  const bool is_new = in.source().type == Operand::nil;
  plain(is_new ? Instr::new_record : Instr::put_record);
  label(in.fail());
  if (is_new) {
    Term id = constant(in.id());
    if (is_atom(id)) id = template_named(module_.records, id);
    failed_ |= !is_record_template(id) && !is_record_id(id);
    term(id);
  } else {
    dyn(in.source());
  }
  dyn(in.dst());
  number(in.live());
  put_list_of(in.pairs());
}

// --- maps ----------------------------------------------------------------------------------------
/// A few elements one by one. What overwrites the map comes last; what overwrites a key that is
/// still to be looked up is not for here.
bool Emitter::map_elements(const op::get_map_elements& in) {
  auto list = unit_.list_of(in.pairs());
  const Operand& map = in.map();
  constexpr size_t kFew = 4;
  if (!in.fail().value || !map.is_register() || list.size() > 2 * kFew) return false;
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
      if (same(list[k + 1], map) != last) continue;
      special(Instr::get_map_element, {map, list[k], list[k + 1]});
      label(in.fail());
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
      term(key);
      dyn(list[k + 1]);
    }
  }
}

void Emitter::emit(const op::get_map_elements& in) {
  if (!map_elements(in)) emit_as<Instr::get_map_elements>(in);
}

void Emitter::emit(const op::put_map_assoc& in) {
  const Term keys = map_with_keys(in.map(), in.pairs());
  if (!is_value(keys)) return emit_as<Instr::put_map_assoc>(in);
  plain(Instr::put_map_assoc);
  term(keys);
  dyn(in.dst());
  number(in.live());
  put_pairs_in_order(in.pairs(), keys);
}

}  // namespace wb
