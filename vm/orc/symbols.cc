#include "vm/orc/symbols.h"

#include "bytecode/instructions.h"
#include "term/term.h"

namespace wb {

Symbols::Symbols(const LoweredFunction& f) : f_(f) {
  for (uint32_t of = 0; of < functions(); ++of) depends_.emplace_back(function(of).words.size());
  for (uint32_t of = 0; of < functions(); ++of) read(of);
  mix(f.funs.size());
  for (const LoweredFunction::SeenFun& fun : f.funs) {
    mix(fun.arity | uint64_t{fun.free} << 32);
    add(fun.fun, Symbol::Kind::address);
    add(reinterpret_cast<Word>(fun.entry), Symbol::Kind::address);
  }
  mix(f.exports.size());
  for (const LoweredFunction::SeenExport& e : f.exports) {
    add(e.target, Symbol::Kind::address);
    add(reinterpret_cast<Word>(e.entry), Symbol::Kind::address);
  }
}

/// Operations, with the words of their operands.
void Symbols::read(uint32_t of) {
  const LoweredFunction& f = function(of);
  mix(f.arity), mix(f.size), mix(f.list.size());
  for (const LoweredOp& op : f.list) {
    mix(op.at | uint64_t{op.handler} << 32 | uint64_t{op.whole} << 48);
    mix(op.first | op.fast << 1);
    OperandKind kinds[3];
    const InstrInfo& info = info_of(instr_of_handler(op.handler, kinds));
    uint64_t listed = 0;
    for (uint32_t n = 0; info.operands[n]; ++n) {
      const uint32_t k = op.words + 1 + n;
      const char kind = info.operands[n];
      if (kind == '*') {
        for (uint64_t j = 0; j < listed; ++j) read_operand(of, k + static_cast<uint32_t>(j), '*');
        break;
      }
      if (kind == 'n') listed = f.words[k];
      const bool shape = n < shape_operands(info.shape);
      read_operand(of, k, shape && kinds[n] == OperandKind::c ? 't' : kind);
    }
  }
  for (const LoweredFunction::Literal& l : f.literals) mix(is_constant(l) ? l.word : 1);
}

/// A header, a float, or a small term; cells and tuples may hold terms of this run.
bool Symbols::is_constant(const LoweredFunction::Literal& l) {
  return l.is_number || is_header(l.word) || is_small(l.word) || is_nil(l.word);
}

void Symbols::read_operand(uint32_t of, uint32_t k, char kind) {
  const Word w = function(of).words[k];
  const auto note = [&](Symbol::Kind as) {
    depends_[of][k] = true;
    add(w, as);
  };
  const bool is_term = kind == 't' || kind == 'v' || kind == '*';
  Symbol code;
  switch (kind) {
    case 'f':
    case 'c':
    case 'E':
    case 'L':
    case 'B':
    case 'A':
    case 'I':
      if (w) return note(Symbol::Kind::address);
      break;
    case 'l':  // beside it counts loader/met_floats.h
      return mix(static_cast<uint32_t>(w));
    default:
      if (is_term && is_atom(w) && w <= INT32_MAX) return note(Symbol::Kind::atom);
      if (is_term && is_pointer(w)) return note(Symbol::Kind::object);
      if (kind == '*' && is_code(w, &code)) return note(Symbol::Kind::address);
      break;
  }

  mix(w);
}

/// By an operand, or what a call was seen to lead to.
void Symbols::add(Word w, Symbol::Kind kind) {
  Symbol code;
  if (is_code(w, &code)) return mix(1), mix(code.of), mix(code.at);
  auto [at, is_new] = numbers_.emplace(w, static_cast<uint32_t>(values_.size()));
  if (is_new) values_.push_back({w, kind});
  mix(2), mix(at->second), mix(static_cast<uint64_t>(kind));
}

bool Symbols::is_code(Word address, Symbol* symbol) const {
  for (uint32_t of = 0; of < functions(); ++of) {
    const Word from = reinterpret_cast<Word>(function(of).entry);
    if (address - from >= function(of).size * sizeof(Word) || address % sizeof(Word)) continue;
    *symbol = {Symbol::Kind::code, of, static_cast<uint32_t>((address - from) / sizeof(Word))};
    return true;
  }
  return false;
}

bool Symbols::find(Word value, Symbol* symbol) const {
  if (is_code(value, symbol)) return true;
  auto at = numbers_.find(value);
  if (at == numbers_.end()) return false;
  *symbol = {values_[at->second].kind, 0, at->second};
  return true;
}

bool Symbols::value_of(const Symbol& symbol, Word* value) const {
  const auto [kind, of, at] = symbol;
  switch (kind) {
    case Symbol::Kind::code:
    case Symbol::Kind::catches: {
      if (of >= functions() || at >= function(of).size) return false;
      const Word* word = function(of).entry + at;
      *value = kind == Symbol::Kind::code ? reinterpret_cast<Word>(word) : make_catch(word);
      return true;
    }
    case Symbol::Kind::atom:
    case Symbol::Kind::object:
    case Symbol::Kind::address:
      if (at >= values_.size() || values_[at].kind != kind) return false;
      *value = kind == Symbol::Kind::object ? values_[at].word & ~Word{3} : values_[at].word;
      return true;
    case Symbol::Kind::counter:
      if (at >= kCounters) return false;
      *value = reinterpret_cast<Word>(at == kExits ? f_.exit_count : f_.no_float);
      return *value != 0;
    case Symbol::Kind::count:
      break;
  }
  return false;
}

}  // namespace wb
