#include "vm/orc/plugin/layout.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace wb {

namespace {
bool raises(Instr i) { return instr_has(i, kRaises); }
/// Nothing comes after it.
bool ends(Instr i) { return raises(i) || instr_has(i, kEnds); }
}  // namespace

Layout::Layout(const Unit& unit, HandlerLibrary& library)
    : unit_(unit),
      library_(library),
      size_of_(unit.list.size()),
      lowering_(unit.list.size()),
      root_(unit.list.size(), Root::no),
      rare_(unit.list.size(), false),
      side_(unit.list.size(), false),
      after_call_(unit.list.size(), false),
      successors_(unit.list.size()) {
  for (uint32_t k = 0; k < lowering_.size(); ++k) lowering_[k] = choose_lowering(k);
  find_successors();
  find_roots();
  add_sides();
  std::vector<uint32_t> owner = split_joins();
  for (uint32_t root : owner) {
    if (root != kOutside) ++size_of_[root];
  }
  weigh_entry(owner);
}

/// A copy's loops leave it: there is no root in it to go back to.
uint32_t Layout::target(uint32_t from, Word address) const {
  uint32_t body = unit_.body[from];
  uint32_t to = unit_.op_at(body, address);
  if (body == 0 || (to != kOutside && to > from)) return to;
  return unit_.op_at(0, address) == 0 ? 0 : kOutside;
}

Lowering Layout::choose_lowering(uint32_t k) {
  const LoweredOp& op = unit_.list[k];
  switch (instr_of(op.handler)) {
    case Instr::select_val:
    case Instr::select_arity:
    case Instr::jump_table:
      return Lowering::switch_table;
    default:
      return op.fast && library_.find(op.handler) ? Lowering::inline_handler : Lowering::interpret;
  }
}

/// The labels that an operation whose handler is not inlined names: its operands of kind f, and of
/// a list all.
void Layout::add_labels(uint32_t k, std::vector<uint32_t>* to) const {
  const InstrInfo& info = info_of(instr_of(unit_.list[k].handler));
  auto add = [&](Word w) {
    if (uint32_t p = target(k, w); p != kOutside) to->push_back(p);
  };
  uint64_t count = 0;
  for (unsigned n = 0; info.operands[n]; ++n) {
    if (info.operands[n] == 'f' || info.operands[n] == 'c') add(word(k, n + 1));
    if (info.operands[n] == 'n') count = word(k, n + 1);
    if (info.operands[n] == '*' && lowering_[k] == Lowering::switch_table) {
      for (uint64_t j = 0; j < count; ++j) add(word(k, n + 1 + static_cast<unsigned>(j)));
    }
  }
}

/// The body that surely stands in for a call; kOutside: it may be made.
uint32_t Layout::stand_in(uint32_t call) const {
  Instr i = instr_of(unit_.list[call].handler);
  if (calls_label(i)) return unit_.known(call);
  std::vector<uint32_t> guesses = unit_.guesses(call);
  return calls_export(i) && guesses.size() == 1 ? guesses[0] : kOutside;
}

bool Layout::stays(uint32_t body) const {
  for (uint32_t k = 0; k < lowering_.size(); ++k) {
    if (unit_.body[k] == body && !goes_on_inside(k)) return false;
  }
  return true;
}

bool Layout::goes_on_inside(uint32_t k) const {
  Instr i = instr_of(unit_.list[k].handler);
  if (calls_label(i) || calls_export(i) || calls_fun(i)) {
    uint32_t body = stand_in(k);
    return body != kOutside && stays(body);
  }
  auto goes_back = [&](Word label) {
    return unit_.op_at(unit_.body[k], label) != kOutside && target(k, label) == kOutside;
  };
  switch (lowering_[k]) {
    case Lowering::interpret:
      return raises(instr_of(unit_.list[k].whole));
    case Lowering::switch_table:
      return true;
    case Lowering::inline_handler:
      return llvm::none_of(library_.find(unit_.list[k].handler)->branches,
                           [&](unsigned operand) { return goes_back(word(k, operand)); });
  }
  return false;
}

void Layout::find_successors() {
  for (uint32_t k = 0; k < lowering_.size(); ++k) {
    if (unit_.body[k] != 0) continue;
    std::vector<uint32_t>& to = successors_[k];
    if (lowering_[k] == Lowering::switch_table) {
      add_labels(k, &to);
    } else if (lowering_[k] == Lowering::inline_handler) {
      const HandlerBody& body = *library_.find(unit_.list[k].handler);
      if (body.goes_on && unit_.next(k) != kOutside) to.push_back(unit_.next(k));
      for (unsigned operand : body.branches) {
        if (uint32_t p = target(k, word(k, operand)); p != kOutside) to.push_back(p);
      }
    }
  }
}

/// Does anything but a call name the instruction at this address? After a call that never returns
/// there may be what has nothing to do with it, and finds more than a result.
bool Layout::is_label(Word address) const {
  const LoweredFunction& f = unit_.function();
  auto end = f.words.begin() + static_cast<ptrdiff_t>(f.size);
  return std::count(f.words.begin(), end, address) != 1;
}

/// What handles an exception is come to from the interpreter. (Not what only ends a `catch`: others
/// come there, too, and then it is left.)
void Layout::enter_handler(uint32_t k) {
  uint32_t p = target(k, instr::catch_{unit_.words(k)}.handler());
  if (p == kOutside || instr_of(unit_.list[p].handler) != Instr::try_case) return;
  rare_[p] = true;
  enter(p);
}

/// The first operation of the instruction after this one's.
uint32_t Layout::next_instruction(uint32_t k) const {
  do {
    k = unit_.next(k);
  } while (k != kOutside && !unit_.list[k].first);
  return k;
}

void Layout::find_roots() {
  enter(0);
  for (uint32_t k = 0; k < lowering_.size(); ++k) {
    if (unit_.body[k] != 0) continue;
    Instr whole = instr_of(unit_.list[k].whole);
    if (unsigned continuation = info_of(whole).continuation;
        continuation && whole != Instr::call_bif) {
      // The instruction after this one: its address is in the words of the whole.
      Word at = unit_.function().words[unit_.list[k].at + continuation];
      if (uint32_t p = unit_.op_at(0, at); p != kOutside) {
        uint32_t body = stand_in(k);
        rare_[p] = body != kOutside && stays(body);
        after_call_[p] = !is_label(at);
        enter(p);
      }
    }
    if (whole == Instr::catch_) enter_handler(k);
    if (lowering_[k] == Lowering::interpret && !ends(whole)) {
      if (uint32_t next = next_instruction(k); next != kOutside) enter(next);
      std::vector<uint32_t> labels;
      if (unit_.list[k].first) add_labels(k, &labels);
      for (uint32_t p : labels) enter(p);
    }
    for (uint32_t to : successors_[k]) {
      if (to <= k && root_[to] == Root::no) root_[to] = Root::inside;
    }
  }
}

/// Where a BIF returns to, if that is no root for other reasons.
void Layout::add_sides() {
  for (uint32_t k = 0; k < lowering_.size(); ++k) {
    const LoweredOp& op = unit_.list[k];
    if (unit_.body[k] != 0 || instr_of(op.whole) != Instr::call_bif || !op.first) continue;
    uint32_t p = next_instruction(k);
    if (p == kOutside || root_[p] != Root::no) continue;
    rare_[p] = side_[p] = true;
    after_call_[p] = !is_label(unit_.address(p));
    enter(p);
  }
}

/// Makes what is reached from two roots a root, until nothing is. Returns each one's root.
std::vector<uint32_t> Layout::split_joins() {
  constexpr uint32_t kNobody = kOutside;
  std::vector<uint32_t> owner;
  for (bool again = true; again;) {
    again = false;
    owner.assign(lowering_.size(), kNobody);
    std::vector<uint32_t> todo;
    for (uint32_t r = 0; r < lowering_.size(); ++r) {
      if (root_[r] == Root::no || side_[r]) continue;
      owner[r] = r;
      todo.assign(1, r);
      while (!todo.empty()) {
        uint32_t k = todo.back();
        todo.pop_back();
        for (uint32_t to : successors_[k]) {
          if ((root_[to] != Root::no && !side_[to]) || owner[to] == r) continue;
          if (owner[to] != kNobody) {
            root_[to] = side_[to] ? Root::entered : Root::inside;
            side_[to] = rare_[to] = false;
            again = true;
          } else {
            owner[to] = r;
            todo.push_back(to);
          }
        }
      }
    }
  }
  return owner;
}

void Layout::weigh_entry(const std::vector<uint32_t>& owner) {
  constexpr size_t kEnough = 96;
  size_t ops = 0, roots = 0;
  for (uint32_t k = 0; k < lowering_.size(); ++k) {
    if (owner[k] == 0) ++ops;
    bool goes_around = llvm::is_contained(successors_[k], 0u);
    if (goes_around && owner[k] != 0 && owner[k] != kOutside && !rare_[owner[k]]) ++roots;
  }
  copies_entry_ = ops * roots <= kEnough;
}

}  // namespace wb
