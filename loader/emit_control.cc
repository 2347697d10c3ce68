// Emitting functions, calls, branches, and moving data.
#include <algorithm>

#include "loader/emitter.h"
#include "term/atom.h"

namespace wb {

void Emitter::func_info(Ops o) {
  uint32_t start = here();
  plain(Instr::func_info);
  Term name = o[1].value;
  auto arity = static_cast<uint32_t>(o[2].value);
  word(module_.name);
  word(name);
  word(arity);
  module_.functions.push_back({name, arity, start, here()});
  // A function that the machine implements itself: its own code stays, unreachable.
  Export* e = server_.find_export(module_.name, name, arity);
  if (e && e->bif) {
    native_entry_ = here();
    plain(Instr::bif_entry);
    word(reinterpret_cast<Word>(e));
  }
}

void Emitter::call_bif(Export* e) {
  plain(Instr::call_bif);
  word(reinterpret_cast<Word>(e));
  continuation();
}

/// erlang:error/1 and the like. What the compiler says about the frame is not to be relied on here.
void Emitter::call_without_return(Ops o) {
  Export* e = import(o[1]);
  if (e->bif) {
    call_bif(e);
  } else {
    plain(Instr::call_ext);
    word(reinterpret_cast<Word>(e));
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
bool Emitter::apply_last(Export* e, Word dealloc) {
  if (!is_apply(e)) return false;
  plain(Instr::apply_list_last);
  word(e->arity);
  word(dealloc);
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

bool Emitter::control(const Instruction& in, Ops o) {
  switch (in.op) {
    case Op::label:  // of a function that the machine implements: where its native body is called
      label_at_[o[0].value] = native_entry_ ? native_entry_ : here();
      native_entry_ = 0;
      return true;
    case Op::line: {
      if (is_tail_call((&in)[1])) return true;
      const BeamLine& l = file_.lines[o[0].value];
      module_.lines.push_back({here(), l.file, l.line});
      return true;
    }
    case Op::func_info:
      func_info(o);
      return true;
    case Op::on_load:
      module_.on_load_entry = module_.functions.empty() ? 0 : module_.functions.back().entry;
      return true;
    case Op::int_code_end:
    case Op::nif_start:
    case Op::executable_line:
    case Op::debug_line:
    case Op::fclearerror:
    case Op::fcheckerror:
    case Op::recv_mark:
    case Op::recv_set:
      return true;

    case Op::jump:
      plain(Instr::jump);
      label(o[0]);
      return true;
    case Op::call:
      plain(Instr::call);
      label(o[1]);
      continuation();
      return true;
    case Op::call_only:
      plain(Instr::call_only);
      label(o[1]);
      return true;
    case Op::call_last:
      plain(Instr::call_last);
      label(o[1]);
      number(o[2]);
      return true;
    case Op::call_ext: {
      Export* e = import(o[1]);
      if (apply(e)) return true;
      if (e->bif) {
        call_bif(e);
      } else {
        plain(Instr::call_ext);
        word(reinterpret_cast<Word>(e));
        continuation();
      }
      return true;
    }
    case Op::call_ext_only: {
      Export* e = import(o[1]);
      if (apply_last(e, 0)) return true;
      if (e->bif) {
        call_bif(e);
        plain(Instr::return_);
      } else {
        plain(Instr::call_ext_only);
        word(reinterpret_cast<Word>(e));
      }
      return true;
    }
    case Op::call_ext_last: {
      Export* e = import(o[1]);
      if (apply_last(e, o[2].value)) return true;
      if (e->bif) {
        call_bif(e);
        plain(Instr::deallocate_return);
      } else {
        plain(Instr::call_ext_last);
        word(reinterpret_cast<Word>(e));
      }
      number(o[2]);
      return true;
    }
    case Op::call_fun:
      plain(Instr::call_fun);
      number(o[0]);
      continuation();
      return true;
    case Op::call_fun2:
      special(Instr::call_fun2, {o[2]});
      number(o[1]);
      continuation();
      return true;
    case Op::apply:
      plain(Instr::apply);
      number(o[0]);
      continuation();
      return true;
    case Op::apply_last:
      plain(Instr::apply_last);
      number(o[0]);
      number(o[1]);
      return true;
    case Op::make_fun2: {
      const BeamLambda& l = file_.lambdas[o[0].value];
      plain(Instr::test_heap);  // old compilers left that to the instruction
      word(4 + l.num_free);
      word(l.num_free);
      plain(Instr::make_fun);
      word(reinterpret_cast<Word>(lambda(l)));
      word(0x5b);  // x0
      word(l.num_free);
      for (Word k = 0; k < l.num_free; ++k) word((k << 8) | 0x5b);
      return true;
    }
    case Op::make_fun3: {
      const BeamLambda& l = file_.lambdas[o[0].value];
      plain(Instr::make_fun);
      word(reinterpret_cast<Word>(lambda(l)));
      dyn(o[1]);
      put_list_of(o[2]);
      return true;
    }
    case Op::return_:
      plain(Instr::return_);
      return true;
    case Op::select_val:
      select_val(o);
      return true;
    case Op::select_tuple_arity: {
      special(Instr::select_arity, {o[0]});
      label(o[1]);
      auto list = unit_.list_of(o[2]);
      word(list.size());
      for (size_t k = 0; k < list.size(); k += 2) word(make_header(Kind::tuple, list[k].value));
      for (size_t k = 1; k < list.size(); k += 2) label(list[k]);
      return true;
    }
    default:
      return false;
  }
}

/// Small integers without gaps worth a search become a table, immediates a sorted list.
void Emitter::select_val(Ops o) {
  auto list = unit_.list_of(o[2]);
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
    dyn(o[0]);
    label(o[1]);
    word(cases.size() * 2);
    for (const Case& c : cases) word(c.value);
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
      special(Instr::jump_table, {o[0]});
      label(o[1]);
      word(static_cast<Word>(low));
      word(static_cast<Word>(high - low + 1));
      size_t next = 0;
      for (int64_t v = low; v <= high; ++v) {
        bool hit = small_value(cases[next].value) == v;
        label(hit ? *cases[next].target : o[1]);
        if (hit) ++next;
        while (next < cases.size() && small_value(cases[next].value) == v) ++next;
        if (next == cases.size()) next = cases.size() - 1;
      }
      return;
    }
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.value < b.value; });
  special(Instr::select_val, {o[0]});
  label(o[1]);
  word(cases.size() * 2);
  for (const Case& c : cases) word(c.value);
  for (const Case& c : cases) label(*c.target);
}

bool Emitter::data(const Instruction& in, Ops o) {
  switch (in.op) {
    case Op::move:
      special(Instr::move, {o[0], o[1]});
      return true;
    case Op::swap:
      special(Instr::swap, {o[0], o[1]});
      return true;
    case Op::get_list:
      special(Instr::get_list, {o[0], o[1], o[2]});
      return true;
    case Op::get_hd:
      special(Instr::get_hd, {o[0], o[1]});
      return true;
    case Op::get_tl:
      special(Instr::get_tl, {o[0], o[1]});
      return true;
    case Op::get_tuple_element:
      special(Instr::get_tuple_element, {o[0], o[2]});
      word((o[1].value + 1) * sizeof(Term));
      return true;
    case Op::set_tuple_element:
      special(Instr::set_tuple_element, {o[0], o[1]});
      word((o[2].value + 1) * sizeof(Term));
      return true;
    case Op::put_list:
      special(Instr::put_list, {o[0], o[1], o[2]});
      return true;
    case Op::put_tuple2:
      plain(Instr::put_tuple);
      dyn(o[0]);
      put_list_of(o[1]);
      return true;
    case Op::update_record: {
      plain(Instr::update_record);
      number(o[1]);
      dyn(o[2]);
      dyn(o[3]);
      auto list = unit_.list_of(o[4]);
      word(list.size());
      for (size_t k = 0; k + 1 < list.size(); k += 2) {
        number(list[k]);
        dyn(list[k + 1]);
      }
      return true;
    }
    case Op::init_yregs: {
      auto list = unit_.list_of(o[0]);
      plain(Instr::init_yregs);
      word(list.size());
      for (const Operand& y : list) number(y);
      return true;
    }
    case Op::init:
      plain(Instr::init_yregs);
      word(1);
      number(o[0]);
      return true;
    case Op::allocate:
    case Op::allocate_heap:
    case Op::allocate_zero:
    case Op::allocate_heap_zero: {
      bool heap = in.op == Op::allocate_heap || in.op == Op::allocate_heap_zero;
      bool clear = in.op == Op::allocate_zero || in.op == Op::allocate_heap_zero || in.checked();
      plain(clear ? Instr::allocate_zero : heap ? Instr::allocate_heap : Instr::allocate);
      number(o[0]);
      if (clear || heap) word(heap ? heap_words(o[1]) : 0);
      number(o.back());
      return true;
    }
    case Op::test_heap:
      plain(Instr::test_heap);
      word(heap_words(o[0]));
      number(o[1]);
      return true;
    case Op::deallocate:
      plain(Instr::deallocate);
      number(o[0]);
      return true;
    case Op::trim:
      plain(Instr::trim);
      number(o[0]);
      return true;
    default:
      return false;
  }
}

}  // namespace wb
