#include "vm/orc/plugin/unit.h"

#include <algorithm>

namespace wb {

namespace {
constexpr size_t kSmall = 32;      // operations of what is had in line
constexpr size_t kMostMore = 160;  // operations of all of it
constexpr unsigned kDeepest = 3;   // calls in calls

/// The operand that says where a call returns to, of a callee that may be had in line; 0: it ends
/// its function.
unsigned continuation_of(Instr i) {
  return calls_label(i) || calls_export(i) || calls_fun(i) ? info_of(i).continuation : 0;
}
}  // namespace

Unit::Unit(const LoweredFunction& function) : room_(kMostMore) { add_body(function, kNone, 0, 0); }

void Unit::add_body(const LoweredFunction& f, uint32_t caller, Word back, unsigned depth) {
  auto b = static_cast<uint32_t>(bodies.size());
  bodies.push_back({&f, static_cast<uint32_t>(list.size()), caller, back});
  op_at_.emplace_back(f.size, kNone);
  uint32_t before = kNone;
  for (const LoweredOp& op : f.list) {
    auto k = static_cast<uint32_t>(list.size());
    if (op.first) op_at_[b][op.at] = k;
    if (before != kNone) next_[before] = k;
    list.push_back(op);
    body.push_back(b);
    next_.push_back(kNone);
    if (depth < kDeepest) add_callees(k, depth);
    before = k;
  }
}

void Unit::add_callees(uint32_t op, unsigned depth) {
  const LoweredOp p = list[op];
  const LoweredFunction& outermost = function();
  if (!p.fast || outermost.callees.empty()) return;
  Instr i = instr_of(p.handler);
  unsigned continuation = continuation_of(i);
  Word back = continuation ? word(op, continuation) : 0;
  auto add = [&](Word entry) {
    const LoweredFunction* f = callee_at(entry);
    if (!continuation && is_loop(op, entry)) return;
    if (!f || f->list.size() > kSmall || f->list.size() > room_) return;
    room_ -= f->list.size();
    in_line_.emplace(op, static_cast<uint32_t>(bodies.size()));
    add_body(*f, op, back, depth + 1);
  };
  if (calls_label(i)) return add(callee_of(words(op)));
  if (calls_export(i)) {
    for (const LoweredFunction::SeenExport& seen : outermost.exports) {
      if (seen.target == callee_of(words(op))) add(reinterpret_cast<Word>(seen.entry));
    }
  }
  if (!calls_fun(i)) return;
  for (const LoweredFunction::SeenFun& seen : outermost.funs) {
    if (seen.arity == arity_of_fun_call(words(op))) add(reinterpret_cast<Word>(seen.entry));
  }
}

/// Does a function that ends with this call go on with one that has not returned?
bool Unit::is_loop(uint32_t op, Word entry) const {
  for (uint32_t b = body[op];; b = body[bodies[b].caller]) {
    if (reinterpret_cast<Word>(bodies[b].function->entry) == entry) return true;
    if (b == 0 || bodies[b].back) return false;
  }
}

const LoweredFunction* Unit::callee_at(Word entry) const {
  for (const LoweredFunction& f : function().callees) {
    if (reinterpret_cast<Word>(f.entry) == entry) return &f;
  }
  return nullptr;
}

uint32_t Unit::op_at(uint32_t b, Word address) const {
  const LoweredFunction& f = *bodies[b].function;
  auto from = reinterpret_cast<Word>(f.entry);
  if (address < from || address >= from + f.size * sizeof(Word)) return kNone;
  return op_at_[b][(address - from) / sizeof(Word)];
}

uint32_t Unit::known(uint32_t op) const {
  auto at = in_line_.find(op);
  return at == in_line_.end() || !calls_label(instr_of(list[op].handler)) ? kNone : at->second;
}

std::vector<uint32_t> Unit::guesses(uint32_t op) const {
  std::vector<uint32_t> all;
  if (calls_label(instr_of(list[op].handler))) return all;
  auto [from, to] = in_line_.equal_range(op);
  for (auto at = from; at != to; ++at) all.push_back(at->second);
  return all;
}

const LoweredFunction::SeenFun& Unit::fun_of(uint32_t b) const {
  const auto& funs = function().funs;
  return *std::find_if(funs.begin(), funs.end(),
                       [&](const auto& f) { return f.entry == bodies[b].function->entry; });
}

uint32_t Unit::back_of(uint32_t b) const {
  while (b != 0) {
    uint32_t outside = body[bodies[b].caller];
    if (bodies[b].back) return op_at(outside, bodies[b].back);
    b = outside;
  }
  return kNone;
}

uint32_t Unit::origin(uint32_t op) const {
  while (body[op] != 0) op = bodies[body[op]].caller;
  return list[op].at;
}

}  // namespace wb
