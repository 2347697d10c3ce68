#include "vm/orc/plugin/stitcher.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include "vm/interp/exec.h"
#include "vm/orc/plugin/registers.h"

namespace wb {

namespace {
enum Argument { kArgI, kArgC, kArgHP };
constexpr unsigned kArguments = 8;
// See is_boxed() in term/term.h.
constexpr Word kPrimaryMask = 3, kBoxedTag = 2;
static_assert(is_boxed(kBoxedTag) && !is_boxed(kPrimaryMask));
}  // namespace

Stitcher::Stitcher(llvm::Module& module, const CodePieces& function, HandlerLibrary& library)
    : module_(module),
      context_(module.getContext()),
      function_(function),
      library_(library),
      layout_(function, library),
      i64_(llvm::Type::getInt64Ty(context_)),
      ptr_(llvm::PointerType::get(context_, 0)) {
  type_ = llvm::FunctionType::get(llvm::Type::getVoidTy(context_),
                                  {ptr_, ptr_, ptr_, ptr_, i64_, i64_, i64_, i64_}, false);
  llvm::MDBuilder md(context_);
  llvm::MDNode* domain = md.createAnonymousAliasScopeDomain("process");
  llvm::MDNode* exec = md.createAnonymousAliasScope(domain, "registers");
  llvm::MDNode* stack = md.createAnonymousAliasScope(domain, "stack");
  exec_scope_ = llvm::MDNode::get(context_, {exec});
  stack_scope_ = llvm::MDNode::get(context_, {stack});
  both_scopes_ = llvm::MDNode::get(context_, {exec, stack});
}

void Stitcher::run() {
  declare_roots();
  for (auto& [piece, function] : root_functions_) {
    make_root(piece);
    promote_registers(*function, function->getArg(kArgC), exec_scope_, stack_scope_);
  }
}

void Stitcher::declare_roots() {
  for (uint32_t k = 0; k < function_.list.size(); ++k) {
    if (!layout_.is_root(k)) continue;
    std::string name = module_.getName().str() + "." + std::to_string(function_.list[k].at);
    if (!function_.list[k].first) name += "." + std::to_string(k);
    bool entered = layout_.is_entered(k);
    auto* f = llvm::Function::Create(
        type_, entered ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage, name,
        module_);
    f->setCallingConv(llvm::CallingConv::PreserveNone);
    f->setDoesNotThrow();
    f->addFnAttr("frame-pointer", "none");
    root_functions_[k] = f;
    if (entered) roots.push_back({function_.list[k].at, name});
  }
}

llvm::BasicBlock* Stitcher::new_block() { return llvm::BasicBlock::Create(context_, "", f_); }

llvm::Function* Stitcher::handler(unsigned h) {
  llvm::Function*& f = handler_functions_[h];
  if (!f) {
    f = llvm::Function::Create(type_, llvm::Function::ExternalLinkage, "h" + std::to_string(h),
                               module_);
    f->setCallingConv(llvm::CallingConv::PreserveNone);
    f->setDoesNotThrow();
    handlers_used.push_back(h);
  }
  return f;
}

// --- one root
// ---------------------------------------------------------------------------------------
void Stitcher::make_root(uint32_t piece) {
  root_ = piece;
  f_ = root_functions_[piece];
  pending_.clear();
  llvm::BasicBlock* entry = new_block();
  State s = begin_loop(entry);
  make_piece(piece, loop_, s);
  while (!pending_.empty()) {
    auto node = pending_.extract(pending_.begin());
    State there = arrive(node.mapped());
    make_piece(node.key(), node.mapped().block, there);
  }
}

/// A branch back to the root stays inside.
Stitcher::State Stitcher::begin_loop(llvm::BasicBlock* entry) {
  loop_ = new_block();
  llvm::BranchInst::Create(loop_, entry);
  State s;
  for (int r = 0; r < kRegisters; ++r) {
    llvm::Argument* a = f_->getArg(kArgHP + static_cast<unsigned>(r));
    loop_phis_[r] = llvm::PHINode::Create(a->getType(), 2, "", loop_);
    loop_phis_[r]->addIncoming(a, entry);
    s.of[r] = loop_phis_[r];
  }
  // The heap's top is a multiple of eight: what is made there has the tag it was given.
  llvm::IRBuilder<> b(loop_);
  b.CreateAlignmentAssumption(module_.getDataLayout(), loop_phis_[HP], sizeof(Word));
  return s;
}

/// The state where several ways meet.
Stitcher::State Stitcher::arrive(Pending& p) {
  if (p.edges.size() == 1) return p.edges[0].state;
  State s;
  for (int r = 0; r < kRegisters; ++r) {
    llvm::Value* first = p.edges[0].state.of[r];
    if (llvm::all_of(p.edges, [&](const Edge& e) { return e.state.of[r] == first; })) {
      s.of[r] = first;
      continue;
    }
    auto* phi =
        llvm::PHINode::Create(first->getType(), static_cast<unsigned>(p.edges.size()), "", p.block);
    for (const Edge& e : p.edges) phi->addIncoming(e.state.of[r], e.from);
    s.of[r] = phi;
  }
  return s;
}

void Stitcher::make_piece(uint32_t piece, llvm::BasicBlock* block, const State& s) {
  switch (layout_.how(piece)) {
    case How::stitch:
      return stitch(piece, block, s);
    case How::choose:
      return choose(piece, block, s);
    case How::leave:
      return leave_to(function_.list[piece].whole, pointer(layout_.address(piece)), block, s);
  }
}

// --- ways on
// -----------------------------------------------------------------------------------------
void Stitcher::tail_call(llvm::Value* callee, llvm::Value* i, llvm::BasicBlock* block,
                         const State& s) {
  llvm::IRBuilder<> b(block);
  llvm::Value* arguments[kArguments] = {i, f_->getArg(kArgC)};
  for (int r = 0; r < kRegisters; ++r) arguments[kArgHP + r] = s.of[r];
  llvm::CallInst* call = b.CreateCall(type_, callee, arguments);
  call->setCallingConv(llvm::CallingConv::PreserveNone);
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  b.CreateRetVoid();
}

void Stitcher::go_to(uint32_t piece, llvm::BasicBlock* block, const State& s) {
  if (piece == root_) {
    for (int r = 0; r < kRegisters; ++r) loop_phis_[r]->addIncoming(s.of[r], block);
    llvm::BranchInst::Create(loop_, block);
    return;
  }
  if (layout_.is_root(piece)) {
    return tail_call(root_functions_[piece], llvm::PoisonValue::get(ptr_), block, s);
  }
  Pending& p = pending_[piece];
  if (!p.block) p.block = new_block();
  llvm::BranchInst::Create(p.block, block);
  p.edges.push_back({block, s});
}

void Stitcher::go_to_label(Word label, llvm::BasicBlock* block, const State& s) {
  uint32_t piece = layout_.piece_at(label);
  if (piece != Layout::kOutside) return go_to(piece, block, s);
  leave_through(label, block, s);
}
void Stitcher::leave_to(unsigned h, llvm::Value* i, llvm::BasicBlock* block, const State& s) {
  tail_call(handler(h), i, block, s);
}
void Stitcher::leave_through(Word label, llvm::BasicBlock* block, const State& s) {
  llvm::IRBuilder<> b(block);
  llvm::LoadInst* code = b.CreateLoad(ptr_, pointer(label));
  code->setAtomic(llvm::AtomicOrdering::Monotonic);
  tail_call(code, pointer(label), block, s);
}

// --- handlers' bodies
// -------------------------------------------------------------------------------
void Stitcher::stitch(uint32_t piece, llvm::BasicBlock* block, const State& s) {
  const HandlerBody& body = *library_.find(function_.list[piece].handler);
  llvm::ValueToValueMapTy map;
  llvm::Function& from = *body.function;
  map[from.getArg(kArgI)] = llvm::PoisonValue::get(ptr_);
  map[from.getArg(kArgC)] = f_->getArg(kArgC);
  for (int r = 0; r < kRegisters; ++r)
    map[from.getArg(kArgHP + static_cast<unsigned>(r))] = s.of[r];
  map_symbols(body, piece, map);
  std::vector<llvm::BasicBlock*> made;
  for (llvm::BasicBlock& b : from) {
    made.push_back(&b == &from.getEntryBlock() ? block : new_block());
    map[&b] = made.back();
  }
  std::vector<llvm::Instruction*> copies;
  size_t k = 0;
  for (llvm::BasicBlock& b : from) {
    for (llvm::Instruction& i : b) {
      llvm::Instruction* copy = i.clone();
      copy->insertInto(made[k], made[k]->end());
      add_scopes(i, copy);
      map[&i] = copy;
      copies.push_back(copy);
    }
    ++k;
  }
  for (llvm::Instruction* i : copies) {
    llvm::RemapInstruction(i, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    for (llvm::Use& u : i->operands()) {
      if (auto* c = llvm::dyn_cast<llvm::ConstantExpr>(u)) {
        u.set(llvm::ConstantFoldConstant(c, module_.getDataLayout()));
      }
    }
  }
  otherwise_ = nullptr;
  for (llvm::BasicBlock* b : made) end_block(b, piece, s);
}

void Stitcher::map_symbols(const HandlerBody& body, uint32_t piece, llvm::ValueToValueMapTy& map) {
  for (llvm::Function* f : body.intrinsics) {
    map[f] = module_.getOrInsertFunction(f->getName(), f->getFunctionType(), f->getAttributes())
                 .getCallee();
  }
  for (const SymbolUse& use : body.symbols) {
    // An operand beyond the piece's own words is never used by a way the piece can take.
    switch (use.kind) {
      case HoleKind::number:
      case HoleKind::word:
        map[use.value] = pointer(layout_.word(piece, use.operand));
        break;
      case HoleKind::bytes:
        map[use.value] = pointer(layout_.word(piece, use.operand) * sizeof(Word));
        break;
      case HoleKind::minus_bytes:
        map[use.value] = pointer(-(layout_.word(piece, use.operand) * sizeof(Word)));
        break;
      case HoleKind::list:
        map[use.value] = pointer(layout_.address(piece) + use.operand * sizeof(Word));
        break;
      default:
        map[use.value] = use.value;
        break;
    }
  }
}

/// Registers are none of the stack's, and what is neither is none of theirs.
void Stitcher::add_scopes(const llvm::Instruction& original, llvm::Instruction* copy) {
  copy->setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
  const llvm::Value* at = llvm::getLoadStorePointerOperand(&original);
  if (!at) return;
  for (;;) {
    if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(at)) {
      at = gep->getPointerOperand();
    } else {
      break;
    }
  }
  auto* argument = llvm::dyn_cast<llvm::Argument>(at);
  if (!argument && (llvm::isa<llvm::PHINode>(at) || llvm::isa<llvm::SelectInst>(at))) return;
  unsigned n = argument ? argument->getArgNo() : kArguments;
  constexpr unsigned kArgE = kArgHP + unsigned{E};
  if (n == kArgC) {
    copy->setMetadata(llvm::LLVMContext::MD_alias_scope, exec_scope_);
    copy->setMetadata(llvm::LLVMContext::MD_noalias, stack_scope_);
  } else if (n == kArgE) {
    copy->setMetadata(llvm::LLVMContext::MD_alias_scope, stack_scope_);
    copy->setMetadata(llvm::LLVMContext::MD_noalias, exec_scope_);
  } else {
    copy->setMetadata(llvm::LLVMContext::MD_noalias, both_scopes_);
  }
}

/// A tail call of one of the symbols for a way out becomes that way.
void Stitcher::end_block(llvm::BasicBlock* block, uint32_t piece, const State& begin) {
  auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block->getTerminator());
  if (!ret) return;
  auto* call = llvm::cast<llvm::CallInst>(ret->getPrevNode());
  call->setAttributes({});
  SymbolUse use = library_.symbol(call->getCalledOperand());
  if (!use.value) {
    OperandKind kinds[3];
    Instr instr = instr_of_handler(function_.list[piece].handler, kinds);
    if (instr == Instr::return_ || instr == Instr::deallocate_return) {
      call->setMetadata(kReturnMark, llvm::MDNode::get(context_, {}));
    }
    return;
  }
  State s;
  for (int r = 0; r < kRegisters; ++r)
    s.of[r] = call->getArgOperand(kArgHP + static_cast<unsigned>(r));
  llvm::Value* i = call->getArgOperand(kArgI);
  ret->eraseFromParent();
  call->eraseFromParent();
  const CodePiece& p = function_.list[piece];
  llvm::Value* here = pointer(layout_.address(piece));
  static const auto first_of = [](Instr instr) { return unsigned{info_of(instr).first_handler}; };
  switch (use.kind) {
    case HoleKind::next:
      return go_to(piece + 1, block, s);
    case HoleKind::branch:
      return go_to_label(layout_.word(piece, use.operand), block, s);
    case HoleKind::preempt:
      return leave_to(first_of(Instr::preempt), pointer(layout_.word(piece, use.operand)), block,
                      s);
    case HoleKind::preempt_here:
      return leave_to(first_of(Instr::preempt), i, block, s);
    case HoleKind::finish: {
      OperandKind kinds[3];
      return leave_to(first_of(finisher_of(instr_of_handler(p.whole, kinds))), here, block, s);
    }
    default:  // as nothing has changed, all such ways are one
      if (!otherwise_) {
        otherwise_ = new_block();
        leave_to(p.whole, here, otherwise_, begin);
      }
      llvm::BranchInst::Create(otherwise_, block);
  }
}

// --- jumps by a table
// -------------------------------------------------------------------------------
llvm::Value* Stitcher::load_operand(uint32_t piece, llvm::IRBuilder<>& b, const State& s) {
  OperandKind kinds[3];
  instr_of_handler(function_.list[piece].handler, kinds);
  Word w = layout_.word(piece, 1);
  switch (kinds[0]) {
    case OperandKind::x0:
      return s.of[X0];
    case OperandKind::x1:
      return s.of[X1];
    case OperandKind::x2:
      return s.of[X2];
    case OperandKind::c:
      return word(w);
    default:
      break;
  }
  bool y = kinds[0] == OperandKind::y;
  llvm::Value* base = y ? s.of[E] : f_->getArg(kArgC);
  llvm::LoadInst* load = b.CreateLoad(i64_, b.CreatePtrAdd(base, word(w)));
  load->setMetadata(llvm::LLVMContext::MD_alias_scope, y ? stack_scope_ : exec_scope_);
  load->setMetadata(llvm::LLVMContext::MD_noalias, y ? exec_scope_ : stack_scope_);
  return load;
}

/// select_val, select_arity: value fail n values... labels...; jump_table: value fail minimum n
/// labels...
void Stitcher::choose(uint32_t piece, llvm::BasicBlock* block, const State& s) {
  OperandKind kinds[3];
  Instr instr = instr_of_handler(function_.list[piece].handler, kinds);
  Word fail = layout_.word(piece, 2);
  llvm::BasicBlock* otherwise = new_block();
  llvm::IRBuilder<> b(block);
  llvm::Value* v = load_operand(piece, b, s);
  std::vector<std::pair<Word, Word>> cases;
  if (instr == Instr::jump_table) {
    Word minimum = layout_.word(piece, 3), n = layout_.word(piece, 4);
    for (Word k = 0; k < n; ++k) {
      cases.emplace_back(make_small(static_cast<int64_t>(minimum + k)),
                         layout_.word(piece, 5 + static_cast<unsigned>(k)));
    }
  } else {
    Word n = layout_.word(piece, 3) / 2;
    for (unsigned k = 0; k < n; ++k) {
      cases.emplace_back(layout_.word(piece, 4 + k),
                         layout_.word(piece, 4 + k + static_cast<unsigned>(n)));
    }
  }
  if (instr == Instr::select_arity) {
    llvm::BasicBlock* boxed = new_block();
    llvm::Value* tag = b.CreateAnd(v, word(kPrimaryMask));
    b.CreateCondBr(b.CreateICmpEQ(tag, word(kBoxedTag)), boxed, otherwise);
    b.SetInsertPoint(boxed);
    llvm::Value* at = b.CreateIntToPtr(b.CreateSub(v, word(kBoxedTag)), ptr_);
    v = b.CreateLoad(i64_, at);
    llvm::cast<llvm::LoadInst>(v)->setMetadata(llvm::LLVMContext::MD_noalias, both_scopes_);
  }
  llvm::SwitchInst* choice = b.CreateSwitch(v, otherwise, static_cast<unsigned>(cases.size()));
  for (auto [value, label] : cases) {
    llvm::BasicBlock* there = new_block();
    choice->addCase(llvm::cast<llvm::ConstantInt>(word(value)), there);
    go_to_label(label, there, s);
  }
  go_to_label(fail, otherwise, s);
}

}  // namespace wb
