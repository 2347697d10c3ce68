#include "bytecode/flow_state.h"

#include <algorithm>

namespace wb {

const ValueType FlowState::kNothing = unset();
const Slot FlowState::kEmpty;

const Slot& FlowState::slot(const Operand& reg) const {
  const std::vector<Slot>& file = reg.type == Operand::x ? x_ : y_;
  return reg.value < file.size() ? file[reg.value] : kEmpty;
}

Slot* FlowState::find(const Operand& reg) {
  if (reg.type == Operand::x) {
    if (reg.value >= x_.size()) x_.resize(reg.value + 1);
    return &x_[reg.value];
  }
  WB_DCHECK(reg.value < y_.size());
  return &y_[reg.value];
}

void FlowState::assign(const Operand& reg, ValueType type) {
  if (type.flags & ValueType::kFresh) any_fresh_ = true;
  *find(reg) = {next_id_++, type};
}

void FlowState::assign_x(uint32_t n, ValueType type) {
  Operand reg;
  reg.type = Operand::x;
  reg.value = n;
  assign(reg, type);
}

void FlowState::maybe_assign(const Operand& reg, ValueType type) {
  assign(reg, join(slot(reg).type, type));
}

void FlowState::copy(const Operand& from, const Operand& to) {
  Slot s = slot(from);
  *find(to) = s;
}

void FlowState::swap(const Operand& a, const Operand& b) { std::swap(*find(a), *find(b)); }

void FlowState::refine(const Operand& reg, ValueType type) {
  if (!this->type(reg).exists()) return;  // nothing is left there
  Slot* s = find(reg);
  if (s->type == type) return;
  uint32_t id = s->id;
  each_slot([&](Slot& other) {
    if (other.id == id && other.type.exists()) other.type = type;
  });
}

void FlowState::allocate(uint32_t size, ValueType fill) {
  frame_ = size;
  y_.clear();
  for (uint32_t i = 0; i < size; i++) y_.push_back({next_id_++, fill});
}

void FlowState::trim(uint32_t n) {
  y_.erase(y_.begin(), y_.begin() + n);
  frame_ -= n;
}

void FlowState::forget_frame(size_t keep_y) {
  frame_ = kUnknownFrame;
  y_.resize(keep_y);
  for (uint32_t i = 0; i < y_.size(); i++)
    if (y_[i].type.kinds & kinds::tag) y_[i] = {kMaxRegisters + i, lost()};
}

void FlowState::frame_was_cleared() {
  ValueType nil = type_of(kinds::nil);
  nil.flags = ValueType::kConstant;
  for (Slot& s : y_)
    if (s.type.maybe_unset()) s = {next_id_++, join(when_set(s.type), nil)};
}

uint32_t FlowState::uninitialized_y() const {
  for (uint32_t i = 0; i < y_.size(); i++)
    if (!y_[i].type.exists()) return i;
  return kNoFrame;
}

uint32_t FlowState::innermost_tag() const {
  for (uint32_t i = 0; i < y_.size(); i++)
    if (y_[i].type.kinds & kinds::tag) return i;
  return kNoFrame;
}

void FlowState::collected(uint32_t live) {
  if (x_.size() > live) x_.resize(live);
  heap = {};
  building = false;
  if (!any_fresh_) return;
  each_slot([](Slot& s) { s.type.flags &= static_cast<uint8_t>(~ValueType::kFresh); });
  any_fresh_ = false;
}

void FlowState::yielded() {
  collected(0);
  floats_.clear();
  if (has_message) message_rejected();
}

void FlowState::message_kept() {
  each_slot([](Slot& s) { s.type.flags &= static_cast<uint8_t>(~ValueType::kFragile); });
}

void FlowState::message_accepted() {
  message_kept();
  has_message = may_have_moved = false;
}

void FlowState::message_rejected() {
  has_message = may_have_moved = false;
  for (Slot& s : x_)
    if (s.type.fragile()) s.type = unset();
  for (Slot& s : y_)
    if (s.type.fragile()) s.type = lost();
}

void FlowState::canonicalize(JoinScratch* scratch) {
  while (!x_.empty() && !x_.back().type.exists()) x_.pop_back();
  if (scratch->seen.size() < next_id_) scratch->seen.resize(next_id_);
  uint64_t epoch = ++scratch->epoch;
  auto visit = [&](std::vector<Slot>& file, uint32_t base) {
    for (uint32_t i = 0; i < file.size(); i++) {
      if (!file[i].type.exists()) {
        file[i].id = base + i;
        continue;
      }
      JoinScratch::Seen& seen = scratch->seen[file[i].id];
      if (seen.epoch != epoch) seen = {epoch, base + i};
      file[i].id = seen.number;
    }
  };
  visit(x_, 0);
  visit(y_, kMaxRegisters);
  next_id_ = kFirstFreshId;
}

/// Everything but the registers.
bool FlowState::join_rest(const FlowState& other) {
  bool changed = false;
  auto lower = [&](auto* mine, auto theirs) {
    if (theirs < *mine) {
      *mine = theirs;
      changed = true;
    }
  };
  lower(&heap.words, other.heap.words);
  lower(&heap.floats, other.heap.floats);
  lower(&heap.funs, other.heap.funs);
  if (other.may_have_moved && !may_have_moved) may_have_moved = changed = true;
  lower(&raised, other.raised);
  lower(&building, other.building);
  for (size_t i = 0; i < floats_.size(); i++)
    lower(&floats_[i], floats_[i] & (i < other.floats_.size() ? other.floats_[i] : 0));
  any_fresh_ |= other.any_fresh_;
  return changed;
}

bool FlowState::tags_differ(const FlowState& other) const {
  for (size_t i = 0; i < y_.size(); i++) {
    const ValueType &mine = y_[i].type, &theirs = other.y_[i].type;
    if ((mine.kinds | theirs.kinds) & kinds::tag && mine != theirs) return true;
  }
  return false;
}

bool FlowState::join_with(const FlowState& other, JoinScratch* scratch) {
  bool changed = join_rest(other);
  if (x_.size() > other.x_.size()) {
    x_.resize(other.x_.size());
    changed = true;
  }
  size_t n = x_.size() + y_.size();
  scratch->my_id.resize(n);
  scratch->their_id.resize(n);
  for (size_t i = 0; i < n; i++) {
    Slot& mine = slot_at(i);
    const Slot& theirs = i < x_.size() ? other.x_[i] : other.y_[i - x_.size()];
    scratch->my_id[i] = mine.id;
    scratch->their_id[i] = theirs.id;
    ValueType joined = join(mine.type, theirs.type);
    if (joined != mine.type) {
      mine.type = joined;
      changed = true;
    }
    uint32_t id = joined.exists() ? shared_id(i, scratch) : canonical_number(i);
    if (mine.id != id) {
      mine.id = id;
      changed = true;
    }
  }
  return changed;
}

/// The canonical number of the first slot that equals slot i on both sides. On our side i's value
/// begins at the slot its identity names, so only slots from there on can be it.
uint32_t FlowState::shared_id(size_t i, JoinScratch* scratch) {
  uint32_t mine = scratch->my_id[i], theirs = scratch->their_id[i];
  if (mine == canonical_number(i)) return mine;
  size_t first =
      mine < kMaxRegisters ? std::min<size_t>(mine, x_.size()) : mine - kMaxRegisters + x_.size();
  scratch->work += i - first;
  for (size_t j = first; j < i; j++)
    if (scratch->my_id[j] == mine && scratch->their_id[j] == theirs && slot_at(j).type.exists())
      return canonical_number(j);
  return canonical_number(i);
}

}  // namespace wb
