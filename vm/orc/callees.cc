#include "vm/orc/callees.h"

#include "term/number.h"
#include "vm/interp/interpreter.h"

namespace wb {

namespace {
constexpr size_t kMostCallees = 24;
constexpr size_t kSmallWords = 160;  // more can hardly be few enough pieces
constexpr uint32_t kAsHot = 8;       // a callee has at least this part of the caller's samples
}  // namespace

void SeenFuns::note(const Module& m, const Word* entry, const Term* x) {
  for (uint32_t k = 0; k < entry_arity(entry); ++k) {
    if (!is_kind(x[k], Kind::fun)) continue;
    auto* fun = reinterpret_cast<FunEntry*>(boxed_ptr(x[k])[1]);
    const Word* code = fun->entry.load(std::memory_order_acquire);
    if (code && m.contains(code)) add({code, fun->arity});
  }
}

void SeenFuns::add(const CodePieces::SeenFun& fun) {
  for (CodePieces::SeenFun& seen : list) {
    if (seen.entry == fun.entry) return;
    if (seen.entry) continue;
    seen = fun;
    return;
  }
}

void CalleeFinder::find(CodePieces& f, const SeenFuns& seen) {
  samples_ = entry_state(f.entry).calls;
  for (const CodePieces::SeenFun& fun : seen.list) {
    if (fun.entry && m_.contains(fun.entry) && add(f, fun.entry)) f.funs.push_back(fun);
  }
  add_called(f, ~size_t{0});
  for (size_t k = 0; k < f.callees.size(); ++k) add_called(f, k);
}

/// What one of the callees, or the function itself, calls.
void CalleeFinder::add_called(CodePieces& f, size_t callee) {
  std::vector<Word> labels;
  const CodePieces& from = callee < f.callees.size() ? f.callees[callee] : f;
  for (const CodePiece& p : from.list) {
    if (calls_label(instr_of(p.handler))) labels.push_back(from.words[p.words + 1]);
  }
  for (Word label : labels) add(f, reinterpret_cast<const Word*>(label));
}

bool CalleeFinder::add(CodePieces& f, const Word* entry) {
  for (const CodePieces& known : f.callees) {
    if (known.entry == entry) return true;
  }
  if (f.callees.size() >= kMostCallees || !m_.contains(entry)) return false;
  const Module::Function* function = m_.function_at(entry);
  if (!function || m_.code + function->entry != entry) return false;
  if (m_.end_of(*function) - function->entry > kSmallWords) return false;
  if (!is_worth_it(entry)) return false;
  CodePieces pieces;
  if (!baseline_.describe(m_, entry, &pieces)) return false;
  f.callees.push_back(std::move(pieces));
  return true;
}

bool has_breakpoint(const Word* handlers, const Word* entry) {
  Word first = std::atomic_ref(const_cast<Word&>(*entry)).load(std::memory_order_acquire);
  return first == handlers[info_of(Instr::breakpoint).first_handler];
}

bool CalleeFinder::is_worth_it(const Word* entry) const {
  if (has_breakpoint(handlers_, entry)) return false;
  EntryState state = entry_state(entry);
  return !state.first_handler && (all_ || state.calls >= samples_ / kAsHot);
}

}  // namespace wb
