#include "vm/orc/callees.h"

#include <algorithm>

#include "term/number.h"

namespace wb {

namespace {
constexpr size_t kMostCallees = 24;
constexpr size_t kMostGuesses = 2;   // of funs: calls that two do not cover are left alone
constexpr size_t kSmallWords = 160;  // more can hardly be few enough operations
constexpr uint32_t kAsHot = 8;       // a callee has at least this fraction of the caller's samples
}  // namespace

void SeenFuns::note(const Word* entry, const Term* x) {
  for (uint32_t k = 0; k < entry_arity(entry); ++k) {
    if (is_kind(x[k], Kind::fun)) add(reinterpret_cast<FunEntry*>(boxed_ptr(x[k])[1]));
  }
}

/// One that finds no room makes all others rarer: in the end those are left that come often.
void SeenFuns::add(FunEntry* fun) {
  ++total;
  for (Seen& seen : list) {
    if (seen.fun && seen.fun != fun) continue;
    seen.fun = fun;
    ++seen.times;
    return;
  }
  for (Seen& seen : list) --seen.times;
  auto rare = std::remove_if(list.begin(), list.end(), [](const Seen& s) { return !s.times; });
  std::fill(rare, list.end(), Seen{});
}

std::vector<FunEntry*> SeenFuns::likely() const {
  std::array<Seen, 4> sorted = list;
  std::sort(sorted.begin(), sorted.end(),
            [](const Seen& a, const Seen& b) { return a.times > b.times; });
  std::vector<FunEntry*> best;
  uint32_t times = 0;
  for (size_t k = 0; k < kMostGuesses && sorted[k].fun; ++k) {
    if (sorted[k].times < total / kAsHot) break;
    times += sorted[k].times;
    best.push_back(sorted[k].fun);
  }
  if (times < total / 2) best.clear();
  return best;
}

void CalleeFinder::find(LoweredFunction& f, const SeenFuns& seen) {
  samples_ = entry_count(f.entry);
  for (const FunEntry* fun : seen.likely()) {
    const Word* entry = fun->entry.load(std::memory_order_acquire);
    if (!entry || !add(f, entry)) continue;
    f.funs.push_back({entry, fun->arity, fun->free_count, reinterpret_cast<Word>(fun)});
  }
  add_called(f, ~size_t{0});
  for (size_t k = 0; k < f.callees.size(); ++k) add_called(f, k);
}

/// What one of the callees, or the function itself, calls.
void CalleeFinder::add_called(LoweredFunction& f, size_t callee) {
  std::vector<Word> labels, exports;
  const LoweredFunction& from = callee < f.callees.size() ? f.callees[callee] : f;
  for (const LoweredOp& p : from.list) {
    Instr i = instr_of(p.handler);
    if (calls_label(i)) labels.push_back(callee_of(&from.words[p.words]));
    if (calls_export(i)) exports.push_back(callee_of(&from.words[p.words]));
  }
  for (Word label : labels) add(f, reinterpret_cast<const Word*>(label));
  for (Word target : exports) {
    const Word* entry = reinterpret_cast<Export*>(target)->entry.load(std::memory_order_acquire);
    bool known = std::any_of(f.exports.begin(), f.exports.end(),
                             [&](const auto& e) { return e.target == target; });
    if (!known && add(f, entry)) f.exports.push_back({target, entry});
  }
}

/// nullptr: nobody's, or code that is not to be had in line.
Module* CalleeFinder::home_of(const Word* entry) const {
  if (m_.contains(entry)) return &m_;
  const Module* m = code_.module_at(entry);
  return m && code_.find_module(m->name) == m ? const_cast<Module*>(m) : nullptr;
}

bool CalleeFinder::add(LoweredFunction& f, const Word* entry) {
  for (const LoweredFunction& known : f.callees) {
    if (known.entry == entry) return true;
  }
  if (f.callees.size() >= kMostCallees) return false;
  Module* home = home_of(entry);
  const Module::Function* function = home ? home->function_at(entry) : nullptr;
  if (!function || home->code + function->entry != entry) return false;
  if (home->end_of(*function) - function->entry > kSmallWords) return false;
  if (!is_worth_it(*home, entry)) return false;
  LoweredFunction lowered;
  if (!baseline_.lower_function(*home, entry, &lowered)) return false;
  f.callees.push_back(std::move(lowered));
  if (home != &m_ && std::find(others.begin(), others.end(), home) == others.end()) {
    others.push_back(home);
  }
  return true;
}

bool CalleeFinder::is_worth_it(const Module& home, const Word* entry) const {
  if (!all_ && entry_count(entry) < samples_ / kAsHot) return false;
  const CodeWords::Edit edit(code_.code_words());
  return edit.has(home, entry, Layer::baseline) && !edit.is_intercepted(home, entry);
}

}  // namespace wb
