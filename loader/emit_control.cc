// Emitting functions, calls, branches and receives.
#include <algorithm>

#include "loader/emitter.h"
#include "term/atom.h"

namespace wb {

// --- functions -----------------------------------------------------------------------------------
void Emitter::emit(const op::func_info& in) {
  uint32_t start = here();
  handler_word(info_of(Instr::func_info).first_handler);
  Term name = in.function().value;
  auto arity = static_cast<uint32_t>(in.arity().value);
  term(module_.name);
  term(name);
  word(arity);
  module_.functions.push_back(
      {name, arity, start, here(), static_cast<uint32_t>(module_.instructions.size())});
  // A function that the machine implements itself: its own code stays, unreachable.
  Export* e = table_.find_export(module_.name, name, arity);
  if (noted_) noted_->ask(module_.name, name, arity);
  if (e && e->bif) {
    native_entry_ = here();
    plain(Instr::bif_entry);
    export_word(e);
  } else if (is_replaceable(in)) {
    native_entry_ = here();
    module_.replaceable.push_back(static_cast<uint32_t>(module_.functions.size() - 1));
    plain(Instr::nif_slot);
    word(0);
  }
}

/// By erlang:load_nif/2: of a module that calls it those that -nifs() names, or all.
bool Emitter::is_replaceable(const op::func_info& in) const {
  if (!loads_nifs_) return false;
  if (!module_.declares_nifs) return true;
  const Instruction* end = unit_.instructions.data() + unit_.instructions.size();
  for (const Instruction* i = &in.instruction + 1; i < end && i->op != Op::func_info; ++i) {
    if (i->op == Op::nif_start) return true;
  }
  return false;
}

void Emitter::emit(const op::label& in) {
  const uint64_t n = in.number().value;
  // The first word of a function is where calls are noticed and native bodies called. A jump is no
  // call and has not its arguments: it leads behind that word, for which a slot is put there.
  entry_at_[n] = native_entry_ ? native_entry_ : here();
  if (in.instruction.checked() && !native_entry_) {
    plain(Instr::nif_slot);
    word(0);
  }
  native_entry_ = 0;
  label_at_[n] = here();
}

void Emitter::emit(const op::line& in) {
  if (is_tail_call((&in.instruction)[1])) return;
  const BeamLine& l = file_.lines[in.index().value];
  module_.lines.push_back({here(), l.file, l.line});
}

void Emitter::emit(const op::on_load&) {
  module_.on_load_entry = module_.functions.empty() ? 0 : module_.functions.back().entry;
}

// --- calls ---------------------------------------------------------------------------------------
void Emitter::call_bif(Export* e) {
  plain(Instr::call_bif);
  export_word(e);
  continuation();
}

/// erlang:error/1 and the like. What the compiler says about the frame is not to be relied on here.
void Emitter::call_without_return(Ops o) {
  Export* e = import(o[1]);
  if (e->bif) {
    call_bif(e);
  } else {
    plain(Instr::call_ext);
    export_word(e);
    continuation();
  }
  plain(Instr::unreachable);
}

// Calls of erlang:apply/2,3 are instructions of their own: such a call shows in a stack trace, and
// is not traced as one of that function.
static bool is_apply(const Export* e) {
  return e->module == am::erlang && e->function == am::apply && (e->arity == 2 || e->arity == 3);
}
bool Emitter::apply(Export* e) {
  if (!is_apply(e)) return false;
  plain(Instr::apply_list);
  word(e->arity);
  continuation();
  return true;
}
bool Emitter::apply_last(Export* e, Word slots) {
  if (!is_apply(e)) return false;
  plain(Instr::apply_list_last);
  word(e->arity);
  word(slots);
  return true;
}

/// Of Erlang code. BEAM's loader drops the line of such, which shows in the trace of what comes
/// after it, has no line of its own and fails (as the end of a case of one line).
bool Emitter::is_tail_call(const Instruction& in) {
  switch (in.op) {
    case Op::call_only:
    case Op::call_last:
      return true;
    case Op::call_ext_only:
    case Op::call_ext_last: {
      const Export* e = import(unit_.operands_of(in)[1]);
      return !e->bif && !(e->module == am::erlang && e->function == am::apply);
    }
    default:
      return false;
  }
}

void Emitter::emit(const op::call_ext& in) {
  Export* e = import(in.function());
  if (apply(e)) return;
  if (e->bif) return call_bif(e);
  plain(Instr::call_ext);
  export_word(e);
  continuation();
}

void Emitter::emit(const op::call_ext_only& in) {
  Export* e = import(in.function());
  if (apply_last(e, 0)) return;
  if (e->bif) {
    call_bif(e);
    plain(Instr::return_);
  } else {
    plain(Instr::call_ext_only);
    export_word(e);
  }
}

void Emitter::emit(const op::call_ext_last& in) {
  Export* e = import(in.function());
  if (apply_last(e, in.slots().value)) return;
  if (e->bif) {
    call_bif(e);
    plain(Instr::deallocate_return);
  } else {
    plain(Instr::call_ext_last);
    export_word(e);
  }
  number(in.slots());
}

void Emitter::emit(const op::make_fun2& in) {
  const BeamLambda& l = file_.lambdas[in.lambda().value];
  plain(Instr::test_heap);  // old compilers left that to the instruction
  word(4 + l.num_free);
  word(l.num_free);
  plain(Instr::make_fun);
  lambda_word(l);
  word(make_x_ref(0));
  word(l.num_free);
  for (uint32_t k = 0; k < l.num_free; ++k) word(make_x_ref(k));
}

// --- receive -------------------------------------------------------------------------------------
void Emitter::emit(const op::remove_message& in) {
  if (in.instruction.checked()) {
    plain(Instr::unless_looking);
    address_fixups_.push_back({here(), here() + 2});
    word(0);
  }
  plain(Instr::remove_message);
}

// --- branches ------------------------------------------------------------------------------------
void Emitter::emit(const op::select_tuple_arity& in) {
  special(Instr::select_arity, {in.tuple()});
  label(in.fail());
  auto list = unit_.list_of(in.cases());
  word(list.size());
  for (size_t k = 0; k < list.size(); k += 2) word(make_header(Kind::tuple, list[k].value));
  for (size_t k = 1; k < list.size(); k += 2) label(list[k]);
}

/// Small integers without gaps worth a search become a table, immediates a sorted list.
void Emitter::emit(const op::select_val& in) {
  auto list = unit_.list_of(in.cases());
  struct Case {
    Term value;
    const Operand* target;
  };
  std::vector<Case> cases;
  bool immediate = true, small = true;
  for (size_t k = 0; k + 1 < list.size(); k += 2) {
    Term v = constant(list[k]);
    immediate &= is_immediate(v);
    small &= is_small(v);
    cases.push_back({v, &list[k + 1]});
  }
  if (!immediate) {
    plain(Instr::select_val_slow);
    dyn(in.value());
    label(in.fail());
    word(cases.size() * 2);
    for (const Case& c : cases) term(c.value);
    for (const Case& c : cases) label(*c.target);
    return;
  }
  if (small && cases.size() >= 4) {
    auto by_value = [](const Case& a, const Case& b) {
      return small_value(a.value) < small_value(b.value);
    };
    std::sort(cases.begin(), cases.end(), by_value);
    int64_t low = small_value(cases.front().value), high = small_value(cases.back().value);
    if (static_cast<uint64_t>(high - low) < cases.size() * 3) {
      special(Instr::jump_table, {in.value()});
      label(in.fail());
      word(static_cast<Word>(low));
      word(static_cast<Word>(high - low + 1));
      size_t next = 0;
      for (int64_t v = low; v <= high; ++v) {
        bool hit = small_value(cases[next].value) == v;
        label(hit ? *cases[next].target : in.fail());
        if (hit) ++next;
        while (next < cases.size() && small_value(cases[next].value) == v) ++next;
        if (next == cases.size()) next = cases.size() - 1;
      }
      return;
    }
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.value < b.value; });
  special(Instr::select_val, {in.value()});
  label(in.fail());
  sorted_cases(cases.size());
  for (const Case& c : cases) term(c.value);
  for (const Case& c : cases) label(*c.target);
}

}  // namespace wb
