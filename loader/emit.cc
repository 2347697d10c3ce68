#include "loader/emit.h"

#include <algorithm>
#include <cstdlib>

#include "base/out_of_memory.h"
#include "gc/fragment.h"
#include "loader/emitter.h"
#include "loader/instruction_walk.h"
#include "term/atom.h"
#include "term/copy.h"
#include "term/external.h"
#include "term/number.h"
#include "term/record.h"
#include "term/utf8.h"

namespace wb {

// --- operands ------------------------------------------------------------------------------------
Term Emitter::constant(const Operand& o) {
  switch (o.type) {
    case Operand::atom:
      return o.value;
    case Operand::nil:
      return kNil;
    case Operand::literal:
      return literals_[o.value];
    case Operand::u:
    case Operand::i:
    case Operand::h:
      return make_integer(module_.literals, o.int_value());
    case Operand::big: {
      Bytes bytes = unit_.big_of(o);
      return integer_from_bits(module_.literals, bytes.data(), 0, bytes.size() * 8, false, true);
    }
    case Operand::none:
    case Operand::x:
    case Operand::y:
    case Operand::fr:
    case Operand::f:
    case Operand::list:
    case Operand::alloc:
      break;
  }
  failed_ = true;
  return kNil;
}

void Emitter::dyn(const Operand& o) {
  const auto n = static_cast<uint32_t>(o.value);
  if (o.type == Operand::x)
    word(make_x_ref(n));
  else if (o.type == Operand::y)
    word(make_y_ref(n));
  else
    term(constant(o));
}

Word Emitter::heap_words(const Operand& o) const {
  HeapNeed n = unit_.heap_need(o);
  return Word{n.words} + Word{n.floats} * 2 + Word{n.funs} * 4;
}

Export* Emitter::import(const Operand& o) {
  const BeamImport& i = file_.imports[o.value];
  Export* e = table_.export_entry(i.module, i.function, i.arity);
  e->imported.store(true, std::memory_order_relaxed);
  return e;
}

// --- words ---------------------------------------------------------------------------------------
void Emitter::special(Instr i, Ops operands) {
  OperandKind kinds[3] = {};
  Word words[3];
  unsigned n = 0;
  for (const Operand& o : operands) {
    if (o.type == Operand::x) {
      kinds[n] = o.value < 3 ? static_cast<OperandKind>(o.value) : OperandKind::x;
      words[n] = o.value * sizeof(Term);
    } else if (o.type == Operand::y) {
      kinds[n] = OperandKind::y;
      words[n] = o.value * sizeof(Term);
    } else {
      kinds[n] = OperandKind::c;
      words[n] = constant(o);
    }
    ++n;
  }
  handler(handler_index(i, kinds));
  for (unsigned k = 0; k < n; ++k) {
    if (kinds[k] == OperandKind::c)
      term(words[k]);
    else
      word(words[k]);
  }
}

void Emitter::export_word(const Export* e) {
  if (noted_) note(Relocation::exported, noted_->link(e->module, e->function, e->arity));
  word(reinterpret_cast<Word>(e));
}
void Emitter::lambda_word(const BeamLambda& l) {
  note(Relocation::lambda, static_cast<uint64_t>(&l - file_.lambdas.data()));
  word(reinterpret_cast<Word>(lambda(l)));
}
void Emitter::string_word(uint64_t offset) {
  note(Relocation::string, offset);
  word(reinterpret_cast<Word>(module_.strings.data() + offset));
}
/// The count of a list of values and as many targets, which is searched by value.
void Emitter::sorted_cases(size_t count) {
  note(Relocation::sorted, 0);
  word(count * 2);
}

void Emitter::label(const Operand& f) {
  if (f.type == Operand::f && f.value) {
    label_fixups_.push_back({here(), static_cast<uint32_t>(f.value)});
  }
  word(0);
}
void Emitter::called_label(const Operand& f) {
  call_fixups_.push_back({here(), static_cast<uint32_t>(f.value)});
  word(0);
}

void Emitter::continuation() {
  uint32_t at = here();
  word(0);
  align_continuation();
  address_fixups_.push_back({at, here()});
}
void Emitter::align_continuation() {
  if (here() % 2 == 0) word(0);
}

void Emitter::put_list_of(const Operand& list) {
  word(list.count);
  for (const Operand& o : unit_.list_of(list)) dyn(o);
}

// --- the module ----------------------------------------------------------------------------------
bool Emitter::load_literals(std::string* why) {
  literals_.reserve(file_.literals.size());
  for (Bytes b : file_.literals) {
    Term t = decode_term(module_.literals, b.data(), b.size(), {.keys_twice = true});
    if (is_fault(t)) {
      *why = "LitT chunk: literal " + std::to_string(literals_.size()) + " is not a term";
      return false;
    }
    literals_.push_back(t);
  }
  if (noted_) noted_->name_literals(literals_);
  return true;
}

void Emitter::make_templates() {
  Heap& h = module_.literals;
  for (const BeamRecord& r : file_.records) {
    Term* names;
    const Term definition =
        new_definition(h, module_.name, r.name, r.is_exported, r.fields.size(), &names);
    Term* made = h.alloc(2 + r.fields.size());
    made[0] = make_header(Kind::tuple, 1 + r.fields.size());
    made[1] = definition;
    for (size_t k = 0; k < r.fields.size(); ++k) {
      const BeamRecord::Field& f = r.fields[k];
      using enum BeamRecord::Field::DefaultKind;
      names[k] = f.name;
      made[2 + k] =
          f.of == none ? kNil : cons(h, f.of == literal ? literals_[f.value] : f.value, kNil);
    }
    module_.records.push_back(make_boxed(made));
  }
}

/// Stack traces share what names a file: making the text each time was a fifth of what they cost.
void name_files(Module& m, const std::vector<std::string>& files) {
  if (m.lines.empty()) return;
  for (const std::string& file : files) {
    m.files.push_back({file, tuple(m.literals, am::file, list_of_text(m.literals, file))});
  }
}

bool Emitter::run(std::string* why) {
  if (!load_literals(why)) return false;
  make_templates();
  label_at_.assign(unit_.labels.size(), 0);
  entry_at_ = label_at_;
  loads_nifs_ = std::ranges::any_of(file_.imports, [](const BeamImport& i) {
    return i.module == am::erlang && i.function == am::load_nif && i.arity == 2;
  });
  module_.declares_nifs = std::ranges::any_of(
      unit_.instructions, [](const Instruction& in) { return in.op == Op::nif_start; });
  code_.reserve(unit_.instructions.size() * 4);
  word(0);  // no function starts at offset 0
  for (size_t k = 0; k < unit_.instructions.size();) {
    if (believed_) check_state(static_cast<uint32_t>(k));
    size_t n = fused(k);
    if (!n) instruction(unit_.instructions[k]);
    k += n ? n : 1;
  }
  if (failed_) {
    *why = "Code chunk: an operand has no meaning for its instruction";
    return false;
  }
  if (without_body_) {
    *why = "Code chunk: " + std::string(atom_text(without_body_->module)) + ":" +
           std::string(atom_text(without_body_->function)) + "/" +
           std::to_string(without_body_->arity) + " is not there yet";
    return false;
  }
  name_files(module_, file_.line_files);
  finish();
  return true;
}

/// deallocate + return, and a fun call before them, which so becomes a tail call.
size_t Emitter::fused(size_t k) {
  const auto& all = unit_.instructions;
  auto is = [&](size_t i, Op op) { return i < all.size() && all[i].op == op && !all[i].dead(); };
  if (is(k, Op::deallocate) && is(k + 1, Op::return_)) {
    plain(Instr::deallocate_return);
    number(unit_.operands_of(all[k])[0]);
    return 2;
  }
  bool call_fun = is(k, Op::call_fun) && !all[k].checked(), call_fun2 = is(k, Op::call_fun2);
  if ((call_fun || call_fun2) && is(k + 1, Op::deallocate) && is(k + 2, Op::return_)) {
    Ops o = unit_.operands_of(all[k]);
    special(Instr::call_fun_last,
            {call_fun2 ? o[2] : Operand{.type = Operand::x, .value = o[0].value}});
    number(o[call_fun2]);
    number(unit_.operands_of(all[k + 1])[0]);
    return 3;
  }
  return 0;
}

/// Operand by operand, as the two tables name them.
void Emitter::copy_operands(const OperandPlan& plan, Ops generic) {
  constexpr unsigned kMostSpecial = 3;
  const unsigned special_ones = shape_operands(info_of(plan.instr).shape);
  Operand chosen[kMostSpecial];
  for (unsigned k = 0; k < special_ones; ++k) chosen[k] = generic[plan.rows[k].which];
  special(plan.instr, Ops(chosen, special_ones));
  for (unsigned k = special_ones; k < plan.count; ++k) {
    const OperandPlan::Row& row = plan.rows[k];
    const Operand& o = generic[row.which];
    switch (row.to) {
      case 'v':
      case 'w':
        dyn(o);
        break;
      case 'f':
        calls_label(plan.instr) ? called_label(o) : label(o);
        break;
      case 'E':
        export_word(import(o));
        break;
      case 'L':
        lambda_word(file_.lambdas[o.value]);
        break;
      case 'A':
        string_word(o.value);
        break;
      case 'c':
        continuation();
        break;
      case 'n':  // with the list, which follows
        break;
      case '*':
        put_list_of(o);
        break;
      case 't':
        term(o.value);
        break;
      case 'u':
      case 'l':
        word(row.from == 'h' ? heap_words(o) : o.value);
        break;
      default:
        static_assert(has_only_kinds("srdvwfELAcn*uitlBI"));
        WB_CHECK(false);  // not in kCopiedKinds
    }
  }
}

void Emitter::check_state(uint32_t instruction) {
  Word belief = believed_->before(instruction);
  if (!belief) return;
  plain(Instr::check_state);
  word(belief);
}

void Emitter::instruction(const Instruction& in) {
  Ops o = unit_.operands_of(in);
  if (in.dead() && in.op != Op::label && in.op != Op::line && in.op != Op::func_info) {
    return plain(Instr::unreachable);
  }
  if (is_there_already(in)) return;
  if (never_returns(unit_, in)) return call_without_return(o);
  if (in.no_return() && in.op == Op::jump) return plain(Instr::unreachable);
  bool known = visit_op<bool>(in, o, [this](const auto& view) {
    if (view.instruction.checked() && view.instruction.op != Op::label) check(view);
    emit(view);
    return true;
  });
  failed_ |= !known;
  if (in.no_return()) plain(Instr::unreachable);
}

void Emitter::check_that(Instr i, const Operand& o) { special(i, {o}); }
void Emitter::check_that(Instr i, const Operand& o, Word n) {
  check_that(i, o);
  word(n);
}

template <class I>
void Emitter::check(const I& in) {
  if constexpr (I::kCheck == Check::cons) {
    check_that(Instr::check_cons, in.list());
  } else if constexpr (I::kCheck == Check::tuple) {
    check_that(Instr::check_tuple, in.tuple(), in.index().value);
  } else if constexpr (I::kCheck == Check::record) {
    check_that(Instr::check_record, in.source(), in.size().value);
  } else if constexpr (I::kCheck == Check::new_element) {
    plain(Instr::check_new_element);
    dyn(in.tuple());
    number(in.index());
    dyn(in.value());
  } else if constexpr (I::kCheck == Check::floating) {
    check_that(Instr::check_float, in.source());
  } else if constexpr (I::kCheck == Check::matchable) {
    check_that(Instr::check_matchable, in.source());
  } else if constexpr (I::kCheck == Check::context) {
    check_that(Instr::check_context, in.context());
  } else if constexpr (I::kCheck == Check::message) {
    plain(Instr::keep_message);
  } else if constexpr (I::kCheck == Check::turn) {
    plain(Instr::unless_looking);
    label(in.next());
  } else if constexpr (I::kCheck == Check::none) {
    failed_ = true;  // the validator marks none of these: FunctionAnalysis::checked()
  } else {
    static_assert(I::kCheck == Check::itself, "a new Check needs its look here");
  }
}

FunEntry* Emitter::lambda(const BeamLambda& l) {
  return table_.fun_entry(module_.name, l.index, l.old_uniq, l.index, file_.md5.data(),
                          l.arity - l.num_free, l.num_free);
}

void Emitter::finish() {
  Module& m = module_;
  if (noted_) {
    for (Fixup f : label_fixups_) noted_->add(Relocation::code, f.at, label_at_[f.label]);
    for (Fixup f : call_fixups_) noted_->add(Relocation::code, f.at, entry_at_[f.label]);
    for (AddressFixup f : address_fixups_) noted_->add(Relocation::code, f.at, f.target);
  }
  size_t bytes = (code_.size() * sizeof(Word) + 15) / 16 * 16;
  m.code = static_cast<Word*>(must_malloc(bytes, "code"));
  m.code_words = code_.size();
  std::copy(code_.begin(), code_.end(), m.code);
  for (Fixup f : label_fixups_) {
    m.code[f.at] = reinterpret_cast<Word>(m.code + label_at_[f.label]);
  }
  for (Fixup f : call_fixups_) {
    m.code[f.at] = reinterpret_cast<Word>(m.code + entry_at_[f.label]);
  }
  for (AddressFixup f : address_fixups_) {
    m.code[f.at] = reinterpret_cast<Word>(m.code + f.target);
  }
  if (noted_) noted_->take_code(std::move(code_));
  m.instructions.shrink_to_fit();
  if (table_.warms_up()) count_calls(table_, m);
  for (const BeamExport& e : file_.exports) {
    m.exports.push_back({table_.export_entry(m.name, e.function, e.arity), entry_at_[e.label]});
  }
  m.imports.reserve(file_.imports.size());
  for (const BeamImport& i : file_.imports) {
    m.imports.push_back(table_.export_entry(i.module, i.function, i.arity));
  }
  for (const BeamLambda& l : file_.lambdas) {
    FunEntry* f = lambda(l);
    f->name = l.name;
    m.funs.push_back(f);
    m.fun_entries.push_back(entry_at_[l.label]);
  }
}

void count_calls(const CodeTable& table, Module& m) {
  m.warms_up = true;
  for (const Module::Function& f : m.functions) {
    const auto handlers = handlers_of(m, f);
    if (handlers.empty() || instr_of(handlers[0]) == Instr::bif_entry) continue;
    set_entry_handler(m.code + f.entry, handlers[0]);
    m.code[f.entry] = table.handler(Instr::warm_up);
  }
}

static std::string_view as_text(Bytes b) {
  return {reinterpret_cast<const char*>(b.data()), b.size()};
}

/// An external term, or nothing at all.
static bool is_term(Bytes b) {
  FragmentHeap h(64);
  return b.empty() || is_value(decode_term(h, b.data(), b.size()));
}

std::unique_ptr<Module> emit_module(CodeTable& table, const BeamFile& file, const CodeUnit& unit,
                                    std::string* why, Beliefs* believed, Relocations* relocations) {
  auto m = std::make_unique<Module>();
  m->name = file.module();
  m->strings = as_text(file.strings);
  m->attributes = as_text(file.attributes);
  m->compile_info = as_text(file.compile_info);
  if (!is_term(file.attributes) || !is_term(file.compile_info)) {
    *why = "attributes or compile information are no external term";
    return nullptr;
  }
  memcpy(m->md5, file.md5.data(), sizeof m->md5);
  Emitter e(table, file, unit, *m, believed, relocations);
  if (!e.run(why)) return nullptr;
  return m;
}

}  // namespace wb
