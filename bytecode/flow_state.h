// What the validator knows of the machine at one point of a function.
//
// Registers that hold the *same* value carry the same identity, so that a test of one refines all
// (the compiler copies a value to a y register, tests the x register and takes the tuple in y
// apart). Invariant: slots of equal identity have equal types.
//
// Where paths meet, types are joined, and two slots stay identical only if they were on both paths.
// A stored state is canonical: a slot's identity is the number of the first slot that holds the
// value (x registers first, then y). Joins only lose knowledge: the fixpoint ends.
#pragma once

#include "bytecode/value_type.h"

namespace wb {

struct Slot {
  uint32_t id = 0;
  ValueType type = unset();
};

constexpr uint32_t kNoFrame = UINT32_MAX;
/// Paths with different frames, or inside different catches, met: the y registers that both have
/// may be read, but nothing else may be done with the frame. The blocks that raise badmatch and the
/// like are shared by such paths.
constexpr uint32_t kUnknownFrame = UINT32_MAX - 1;

/// Working memory of joins, kept so that they allocate nothing.
struct JoinScratch {
  struct Seen {
    uint64_t epoch = 0;
    uint32_t number = 0;
  };
  std::vector<Seen> seen;  // by identity
  uint64_t epoch = 0;
  std::vector<uint32_t> my_id, their_id;
  std::vector<uint32_t> dirty;  // labels to go on from: a heap, the lowest first
  uint64_t work = 0;            // how much has been done, to stop a module made to take forever
};

class FlowState {
 public:
  // --- registers ---------------------------------------------------------------------------------
  /// An operand that is an x or y register in bounds (y: below the frame's size).
  const ValueType& type(const Operand& reg) const { return slot(reg).type; }
  const Slot& slot(const Operand& reg) const;
  bool has_slot(const Operand& reg) const {
    return reg.type != Operand::y || reg.value < y_.size();
  }

  /// A new value.
  void assign(const Operand& reg, ValueType type);
  void assign_x(uint32_t n, ValueType type);
  /// A new value, or what was there before.
  void maybe_assign(const Operand& reg, ValueType type);
  /// The value of `from` also in `to`.
  void copy(const Operand& from, const Operand& to);
  void swap(const Operand& a, const Operand& b);
  /// More (or less) is known of the value in `reg`, wherever else it is.
  void refine(const Operand& reg, ValueType type);

  const std::vector<Slot>& x() const { return x_; }
  const std::vector<Slot>& y() const { return y_; }
  /// Of all registers: what looking at them takes, without a division.
  size_t bytes() const {
    auto of = [](const std::vector<Slot>& file) {
      return reinterpret_cast<uintptr_t>(file.data() + file.size()) -
             reinterpret_cast<uintptr_t>(file.data());
    };
    return of(x_) + of(y_);
  }
  const ValueType& x_type(uint32_t n) const { return n < x_.size() ? x_[n].type : kNothing; }

  // --- frame -------------------------------------------------------------------------------------
  bool has_frame() const { return frame_ < kUnknownFrame; }
  uint32_t frame() const { return frame_; }
  void allocate(uint32_t size, ValueType fill);
  void deallocate() {
    frame_ = kNoFrame;
    y_.clear();
  }
  void trim(uint32_t n);
  void forget_frame(size_t keep_y);
  /// The frame was cleared when it was made: what nothing was written to is [].
  void frame_was_cleared();
  /// The first y register that may hold nothing, or nothing fit to be kept, or kNoFrame.
  uint32_t uninitialized_y() const;
  /// The y register of the innermost catch or try, or kNoFrame.
  uint32_t innermost_tag() const;

  // --- float registers ---------------------------------------------------------------------------
  bool has_float(uint64_t n) const {
    return n / 64 < floats_.size() && (floats_[n / 64] >> n % 64 & 1);
  }
  void set_float(uint64_t n) {
    if (n / 64 >= floats_.size()) floats_.resize(n / 64 + 1);
    floats_[n / 64] |= uint64_t{1} << n % 64;
  }

  // --- the rest ----------------------------------------------------------------------------------
  HeapNeed heap;                // words reserved and not yet used
  bool raised = false;          // an exception brought us here
  bool has_message = false;     // loop_rec has found one; not yet accepted or rejected
  bool may_have_moved = false;  // ... but a fun was called, which may have received others
  bool building = false;        // a binary is under construction (bs_init2 ...)

  /// What an instruction that may collect leaves: the x registers below `live`, no reserved space,
  /// no binary under construction, no fresh tuple.
  void collected(uint32_t live);
  /// What one that may let other processes run leaves: of registers only y, and no message.
  void yielded();
  /// Nothing is fragile any more: the message is ours (and maybe still in the queue), or what
  /// belongs to it is forgotten.
  void message_kept();
  void message_accepted();
  void message_rejected();

  /// Is a catch or try not in the same y register on both sides? (Their frames agree.)
  bool tags_differ(const FlowState& other) const;
  /// Joins `other` into this stored (canonical) state; true if anything changed. Frames and
  /// has_message must agree.
  bool join_with(const FlowState& other, JoinScratch* scratch);
  /// Makes this a stored state.
  void canonicalize(JoinScratch* scratch);

 private:
  static const ValueType kNothing;
  static const Slot kEmpty;

  Slot* find(const Operand& reg);
  bool join_rest(const FlowState& other);
  uint32_t shared_id(size_t i, JoinScratch* scratch);
  uint32_t canonical_number(size_t i) const {
    return static_cast<uint32_t>(i < x_.size() ? i : kMaxRegisters + (i - x_.size()));
  }
  Slot& slot_at(size_t i) { return i < x_.size() ? x_[i] : y_[i - x_.size()]; }
  template <class F>
  void each_slot(F f) {
    for (Slot& s : x_) f(s);
    for (Slot& s : y_) f(s);
  }

  std::vector<Slot> x_, y_;
  std::vector<uint64_t> floats_;  // those that hold something, a bit each
  uint32_t frame_ = kNoFrame;
  uint32_t next_id_ = kFirstFreshId;
  bool any_fresh_ = false;

  // Canonical identities: x n is n, y n is kMaxRegisters + n.
  static constexpr uint32_t kFirstFreshId = 2 * kMaxRegisters + 1;
};

}  // namespace wb
