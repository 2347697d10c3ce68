#include "vm/orc/plugin/unit.h"

#include <algorithm>

namespace wb {

namespace {
constexpr size_t kSmall = 32;      // pieces of what is had in line
constexpr size_t kMostMore = 160;  // pieces of all of it
constexpr unsigned kDeepest = 3;   // calls in calls

/// The operand that says where a call returns to, of a callee that may be had in line; 0: it ends
/// its function.
unsigned continuation_of(Instr i) {
  return calls_label(i) || calls_export(i) || calls_fun(i) ? info_of(i).continuation : 0;
}
}  // namespace

Unit::Unit(const CodePieces& function) : room_(kMostMore) { add_body(function, kNone, 0, 0); }

void Unit::add_body(const CodePieces& f, uint32_t caller, Word back, unsigned depth) {
  auto b = static_cast<uint32_t>(bodies.size());
  bodies.push_back({&f, static_cast<uint32_t>(list.size()), caller, back});
  piece_at_.emplace_back(f.size, kNone);
  uint32_t before = kNone;
  for (const CodePiece& piece : f.list) {
    auto k = static_cast<uint32_t>(list.size());
    if (piece.first) piece_at_[b][piece.at] = k;
    if (before != kNone) next_[before] = k;
    list.push_back(piece);
    body.push_back(b);
    next_.push_back(kNone);
    if (depth < kDeepest) add_callees(k, depth);
    before = k;
  }
}

void Unit::add_callees(uint32_t piece, unsigned depth) {
  const CodePiece p = list[piece];
  const CodePieces& outermost = function();
  if (!p.fast || outermost.callees.empty()) return;
  Instr i = instr_of(p.handler);
  unsigned continuation = continuation_of(i);
  Word back = continuation ? word(piece, continuation) : 0;
  auto add = [&](Word entry) {
    const CodePieces* f = callee_at(entry);
    if (!continuation && is_loop(piece, entry)) return;
    if (!f || f->list.size() > kSmall || f->list.size() > room_) return;
    room_ -= f->list.size();
    in_line_.emplace(piece, static_cast<uint32_t>(bodies.size()));
    add_body(*f, piece, back, depth + 1);
  };
  if (calls_label(i)) return add(callee_of(words(piece)));
  if (calls_export(i)) {
    for (const CodePieces::SeenExport& seen : outermost.exports) {
      if (seen.target == callee_of(words(piece))) add(reinterpret_cast<Word>(seen.entry));
    }
  }
  if (!calls_fun(i)) return;
  for (const CodePieces::SeenFun& seen : outermost.funs) {
    if (seen.arity == arity_of_fun_call(words(piece))) add(reinterpret_cast<Word>(seen.entry));
  }
}

/// Does a function that ends with this call go on with one that has not returned?
bool Unit::is_loop(uint32_t piece, Word entry) const {
  for (uint32_t b = body[piece];; b = body[bodies[b].caller]) {
    if (reinterpret_cast<Word>(bodies[b].function->entry) == entry) return true;
    if (b == 0 || bodies[b].back) return false;
  }
}

const CodePieces* Unit::callee_at(Word entry) const {
  for (const CodePieces& f : function().callees) {
    if (reinterpret_cast<Word>(f.entry) == entry) return &f;
  }
  return nullptr;
}

uint32_t Unit::piece_at(uint32_t b, Word address) const {
  const CodePieces& f = *bodies[b].function;
  auto from = reinterpret_cast<Word>(f.entry);
  if (address < from || address >= from + f.size * sizeof(Word)) return kNone;
  return piece_at_[b][(address - from) / sizeof(Word)];
}

uint32_t Unit::known(uint32_t piece) const {
  auto at = in_line_.find(piece);
  return at == in_line_.end() || !calls_label(instr_of(list[piece].handler)) ? kNone : at->second;
}

std::vector<uint32_t> Unit::guesses(uint32_t piece) const {
  std::vector<uint32_t> all;
  if (calls_label(instr_of(list[piece].handler))) return all;
  auto [from, to] = in_line_.equal_range(piece);
  for (auto at = from; at != to; ++at) all.push_back(at->second);
  return all;
}

const CodePieces::SeenFun& Unit::fun_of(uint32_t b) const {
  const auto& funs = function().funs;
  return *std::find_if(funs.begin(), funs.end(),
                       [&](const auto& f) { return f.entry == bodies[b].function->entry; });
}

uint32_t Unit::back_of(uint32_t b) const {
  while (b != 0) {
    uint32_t outside = body[bodies[b].caller];
    if (bodies[b].back) return piece_at(outside, bodies[b].back);
    b = outside;
  }
  return kNone;
}

uint32_t Unit::place(uint32_t piece) const {
  while (body[piece] != 0) piece = bodies[body[piece]].caller;
  return list[piece].at;
}

}  // namespace wb
