#include "vm/orc/plugin/registers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <map>
#include <set>

#include "vm/orc/plugin/addresses.h"
#include "vm/orc/plugin/stack_slots.h"
#include "vm/process/exec.h"

namespace wb {

using namespace llvm;

namespace {

constexpr int64_t kFirstX = 3 * sizeof(Term), kEndX = kMaxX * sizeof(Term);
constexpr int64_t kFirstFloat = offsetof(Exec, f), kEndFloat = kFirstFloat + sizeof(Exec::f);
/// Slots are named by their offset in the Exec; of the stack, by this and the offset from its top
/// when the function began.
constexpr int64_t kStack = int64_t{1} << 40, kFirstOfStack = kStack / 2;
constexpr bool on_stack(int64_t slot) { return slot >= kFirstOfStack; }

/// How far below the stack's top is what a handler leaves to C++.
constexpr int64_t kSlack = ProcessHeap::kStackSlack * static_cast<int64_t>(sizeof(Word));

/// Each call of C++ writes all words of frames that have slots, and reads them again: where there
/// are many, as in code that builds and changes records, that costs more than is gained.
constexpr size_t kMostCalls = 1;

/// Which argument the stack's top is.
constexpr unsigned kTop = 3;

class Promotion {
 public:
  explicit Promotion(const Promoted& p)
      : p_(p),
        f_(*p.function),
        layout_(f_.getParent()->getDataLayout()),
        i64_(Type::getInt64Ty(f_.getContext())),
        stack_slots_(p) {}
  void run() {
    derived_ = derived_from(p_.exec);
    for (const Spill& spill : p_.spills) {
      for (CallInst* call : spill.calls) spill_of_[call] = &spill;
    }
    frames_ = knows_frames();
    find();
    for (Instruction* i : named_) use_slot(i);
    for (Instruction* i : opaque_) around(i);
    for (const FunctionExit& e : p_.exits) write_back(e);
    for (const LiveMark& m : p_.marks) forget_dead(m);
    fill();
    for (Instruction* mark : marks_) mark->eraseFromParent();
  }

 private:
  /// Where the stack's top is, if words of frames have slots.
  int64_t offset_of_top(const Value* top) { return frames_ ? *stack_slots_.of(top) : 0; }
  static bool is_live(int64_t slot, LiveRegisters live, int64_t top) {
    if (on_stack(slot)) return slot - kStack >= top;
    return slot >= kFirstFloat ? live.floats : slot / sizeof(Term) < live.x;
  }
  /// The slot of what a load or store names; 0: it has none.
  int64_t slot_of(const Value* pointer, Type* type) {
    if (std::optional<int64_t> on_stack = frames_ ? stack_slots_.of(pointer) : std::nullopt)
      return kStack + *on_stack;
    auto [base, at] = base_of(pointer, layout_);
    if (at % static_cast<int64_t>(sizeof(Word)) != 0) return 0;
    uint64_t size = layout_.getTypeStoreSize(type);
    bool in_range = (at >= kFirstX && at < kEndX) || (at >= kFirstFloat && at < kEndFloat);
    return base == p_.exec && in_range && size == sizeof(Word) ? at : 0;
  }
  /// Does it look at registers, but at which?
  bool is_opaque(Instruction& i) const {
    if (auto* call = dyn_cast<CallInst>(&i)) {
      return !isa<IntrinsicInst>(call) || isa<MemIntrinsic>(call);
    }
    const Value* pointer = getLoadStorePointerOperand(&i);
    if (!pointer || !derived_.count(pointer)) return false;
    auto [base, at] = base_of(pointer, layout_);
    return base != p_.exec || !is_plain(at);
  }
  /// Is it always known how far the stack's top is from where it was, and the stack only looked at
  /// by name?
  bool knows_frames() {
    if (spill_of_.size() > kMostCalls) return false;
    for (const FunctionExit& e : p_.exits) {
      if (!stack_slots_.of(e.call->getArgOperand(kTop))) return false;
    }
    for (const LiveMark& m : p_.marks) {
      if (m.top && !stack_slots_.of(m.top)) return false;
    }
    std::set<const Value*> derived = derived_from(p_.stack);
    for (const Spill& spill : p_.spills) {
      if (!stack_slots_.of(spill.top())) return false;
      for (LoadInst* reload : spill.reloads) derived.merge(derived_from(reload));
    }
    for (BasicBlock& b : f_) {
      for (Instruction& i : b) {
        if (!is_seen_by_name(i, derived)) return false;
      }
    }
    return !stack_slots_.is_contradicted();
  }
  /// Does it look at words of the stack only at known slots?
  bool is_seen_by_name(Instruction& i, const std::set<const Value*>& on_stack) {
    if (auto* call = dyn_cast<CallInst>(&i); call && calls_out(*call)) {
      return none_of(call->args(), [&](const Use& u) { return on_stack.count(u.get()); });
    }
    const Value* pointer = getLoadStorePointerOperand(&i);
    if (!pointer || !on_stack.count(pointer)) return true;
    std::optional<int64_t> at = stack_slots_.of(pointer);
    return at && *at % static_cast<int64_t>(sizeof(Word)) == 0 &&
           layout_.getTypeStoreSize(getLoadStoreType(&i)) <= sizeof(Word);
  }
  /// What is no register that can have a slot.
  static bool is_plain(int64_t at) {
    return at < kFirstX || (at >= kEndX && at < kFirstFloat) || at >= kEndFloat;
  }
  void find() {
    for (BasicBlock& b : f_) {
      for (Instruction& i : b) {
        if (auto* call = dyn_cast<CallInst>(&i); call && call->isMustTailCall()) continue;
        const Value* pointer = getLoadStorePointerOperand(&i);
        if (int64_t at = pointer ? slot_of(pointer, getLoadStoreType(&i)) : 0) {
          named_.push_back(&i);
          make_slot(at);
          if (isa<StoreInst>(i)) changed_.insert(at);
        } else if (is_opaque(i)) {
          opaque_.push_back(&i);
        }
      }
    }
  }
  void make_slot(int64_t at) {
    AllocaInst*& s = slots_[at];
    if (!s) s = new AllocaInst(i64_, 0, "", f_.getEntryBlock().begin());
  }
  void use_slot(Instruction* i) {
    int64_t at = slot_of(getLoadStorePointerOperand(i), getLoadStoreType(i));
    i->setMetadata(LLVMContext::MD_alias_scope, nullptr);
    i->setMetadata(LLVMContext::MD_noalias, nullptr);
    i->setOperand(isa<LoadInst>(i) ? 0 : 1, slots_[at]);
  }
  Instruction* in_scope(Instruction* i, int64_t at) {
    MDNode *exec = p_.exec_scope, *stack = p_.stack_scope;
    i->setMetadata(LLVMContext::MD_alias_scope, on_stack(at) ? stack : exec);
    i->setMetadata(LLVMContext::MD_noalias, on_stack(at) ? exec : stack);
    return i;
  }
  /// Something on the stack, and its place.
  struct Known {
    Value* pointer;
    int64_t offset;
  };
  Value* memory(IRBuilder<>& b, int64_t at, Known k) {
    if (!on_stack(at)) return b.CreatePtrAdd(p_.exec, b.getInt64(static_cast<uint64_t>(at)));
    return b.CreatePtrAdd(k.pointer, b.getInt64(static_cast<uint64_t>(at - kStack - k.offset)));
  }
  void load(IRBuilder<>& b, int64_t at, AllocaInst* s, Known k) {
    b.CreateStore(in_scope(b.CreateLoad(i64_, memory(b, at, k)), at), s);
  }
  void store(IRBuilder<>& b, int64_t at, Value* value, Known k) {
    in_scope(b.CreateStore(value, memory(b, at, k)), at);
  }
  /// What the process tells of the stack's top.
  Known reloaded_top(IRBuilder<>& b, const Spill& spill) {
    Value* process = b.CreatePtrAdd(p_.exec, b.getInt64(offsetof(Exec, p)));
    process = in_scope(b.CreateLoad(b.getPtrTy(), process), 0);
    Value* top = b.CreatePtrAdd(process, b.getInt64(static_cast<uint64_t>(spill.at)));
    return {b.CreateLoad(b.getPtrTy(), top), *stack_slots_.of(spill.top())};
  }
  void around(Instruction* i) {
    IRBuilder<> before(i), after(i->getNextNode());
    auto spill = spill_of_.find(i);
    bool sees_stack = frames_ && spill != spill_of_.end();
    Known old{}, now{};
    if (sees_stack)
      old = reloaded_top(before, *spill->second), now = reloaded_top(after, *spill->second);
    for (auto& [at, s] : slots_) {
      if (on_stack(at) && (!sees_stack || at - kStack < old.offset + kSlack)) continue;
      if (changed_.count(at)) store(before, at, before.CreateLoad(i64_, s), old);
      load(after, at, s, now);
    }
  }
  void write_back(const FunctionExit& exit) {
    IRBuilder<> b(exit.call);
    Value* top = exit.call->getArgOperand(kTop);
    int64_t offset = offset_of_top(top);
    for (auto& [at, s] : slots_) {
      if (!changed_.count(at) || !is_live(at, exit.live, offset)) continue;
      Value* value = exit.as_at ? as_it_was(exit.as_at, at, s) : b.CreateLoad(i64_, s);
      store(b, at, value, {top, offset});
    }
    if (exit.as_at) marks_.insert(exit.as_at);
  }
  Value* as_it_was(Instruction* mark, int64_t at, AllocaInst* s) {
    Value*& value = kept_[{mark, at}];
    if (!value) value = IRBuilder<>(mark).CreateLoad(i64_, s);
    return value;
  }
  void forget_dead(const LiveMark& mark) {
    IRBuilder<> b(mark.at);
    int64_t top = mark.top ? offset_of_top(mark.top) : 0;
    for (auto& [at, s] : slots_) {
      if (!is_live(at, mark.live, top)) b.CreateStore(UndefValue::get(i64_), s);
    }
    marks_.insert(mark.at);
  }
  void fill() {
    IRBuilder<> b(f_.getEntryBlock().getTerminator());
    for (auto& [at, s] : slots_) {
      if (is_live(at, p_.live, 0)) load(b, at, s, {p_.stack, 0});
    }
  }

  const Promoted& p_;
  Function& f_;
  const DataLayout& layout_;
  Type* const i64_;
  StackSlots stack_slots_;
  std::map<const Instruction*, const Spill*> spill_of_;
  std::set<const Value*> derived_;
  bool frames_ = false;  ///< are words of the stack given slots?
  std::map<int64_t, AllocaInst*> slots_;
  std::set<int64_t> changed_;  ///< slots that are stored to
  std::vector<Instruction*> named_, opaque_;
  std::set<Instruction*> marks_;
  std::map<std::pair<Instruction*, int64_t>, Value*> kept_;  ///< where a mark is, of a slot
};

}  // namespace

void promote_registers(const Promoted& p) { Promotion(p).run(); }

}  // namespace wb
