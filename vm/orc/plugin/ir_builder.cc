#include "vm/orc/plugin/ir_builder.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include "vm/orc/plugin/addresses.h"
#include "vm/orc/plugin/loop_contexts.h"
#include "vm/orc/plugin/registers.h"
#include "vm/orc/plugin/scalar_replacement.h"
#include "vm/orc/plugin/stack_slots.h"
#include "vm/process/exec.h"

namespace wb {

namespace {
enum Argument { kArgI, kArgC, kArgHP, kArgE };
constexpr unsigned kArguments = 8;
// See is_boxed() in term/term.h.
constexpr Word kPrimaryMask = 3, kBoxedTag = 2;
static_assert(is_boxed(kBoxedTag) && !is_boxed(kPrimaryMask));
}  // namespace

IrBuilder::IrBuilder(llvm::Module& module, const Unit& unit, HandlerLibrary& library)
    : module_(module),
      context_(module.getContext()),
      unit_(unit),
      symbols_(unit.function()),
      library_(library),
      layout_(unit, library),
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
  context_scope_ =
      llvm::MDNode::get(context_, {md.createAnonymousAliasScope(domain, kContextScope)});
  auto range = [&](uint64_t from, uint64_t to) {
    return llvm::MDNode::get(context_, {llvm::ConstantAsMetadata::get(word(from)),
                                        llvm::ConstantAsMetadata::get(word(to))});
  };
  below_2g_ = range(0, uint64_t{1} << 31);
  anywhere_ = range(~uint64_t{0}, ~uint64_t{0});  // by definition
}

void IrBuilder::run() {
  declare_roots();
  declare_locations();
  for (auto& [op, function] : root_functions_) {
    promoted_ = {function,
                 function->getArg(kArgC),
                 function->getArg(kArgE),
                 layout_.live_at(op),
                 exec_scope_,
                 stack_scope_,
                 {},
                 {},
                 {}};
    build_root(op);
    promote_registers(promoted_);
  }
  name_catches();
}

void IrBuilder::declare_roots() {
  for (uint32_t k = 0; k < unit_.list.size(); ++k) {
    if (!layout_.is_root(k)) continue;
    std::string name = module_.getName().str() + "." + std::to_string(unit_.list[k].at);
    if (!unit_.list[k].first) name += "." + std::to_string(k);
    bool entered = layout_.is_entered(k);
    auto* f = llvm::Function::Create(
        type_, entered ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage, name,
        module_);
    f->setCallingConv(llvm::CallingConv::PreserveNone);
    f->setDoesNotThrow();
    f->addFnAttr("frame-pointer", "none");
    root_functions_[k] = f;
    if (entered) roots.push_back({unit_.list[k].at, name});
  }
}

/// What line numbers are about.
void IrBuilder::declare_locations() {
  module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder debug(module_);
  llvm::DIFile* file = debug.createFile("words", "");
  debug.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "whitebeam", true, "", 0, "",
                          llvm::DICompileUnit::LineTablesOnly);
  auto* type = debug.createSubroutineType(debug.getOrCreateTypeArray({}));
  for (auto& [op, f] : root_functions_) {
    f->setSubprogram(debug.createFunction(file, "", "", file, 0, type, 0, llvm::DINode::FlagZero,
                                          llvm::DISubprogram::SPFlagDefinition));
  }
  debug.finalize();
}

llvm::BasicBlock* IrBuilder::new_block() { return llvm::BasicBlock::Create(context_, "", f_); }

llvm::Function* IrBuilder::handler(unsigned h) {
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

// --- what depends on this run --------------------------------------------------------------------
llvm::Constant* IrBuilder::named(const Symbol& symbol) {
  for (const Used& u : symbols_used) {
    if (u.symbol == symbol) return u.variable;
  }
  Word value = 0;
  symbols_.value_of(symbol, &value);
  std::string name = module_.getName().str() + ".s" + std::to_string(symbols_used.size());
  auto* variable =
      new llvm::GlobalVariable(module_, llvm::Type::getInt8Ty(context_), false,
                               llvm::GlobalValue::ExternalLinkage, nullptr, std::move(name));
  const bool is_atom = symbol.kind == Symbol::Kind::atom;
  variable->setMetadata(llvm::LLVMContext::MD_absolute_symbol, is_atom ? below_2g_ : anywhere_);
  if (symbol.kind == Symbol::Kind::object || symbol.kind == Symbol::Kind::code)
    variable->setAlignment(llvm::Align(sizeof(Word)));
  symbols_used.push_back({symbol, value, variable});
  return variable;
}

/// Catch tags that handlers make of an address: LLVM folds no arithmetic on symbols.
void IrBuilder::name_catches() {
  using namespace llvm::PatternMatch;
  for (llvm::Function& f : module_) {
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f))) {
      llvm::Value* base = nullptr;
      const auto address = m_PtrToInt(m_Value(base));
      if (!match(&i, m_Or(m_Shl(address, m_SpecificInt(8)), m_SpecificInt(make_catch(nullptr)))))
        continue;
      auto used = llvm::find_if(symbols_used, [&](const Used& u) { return u.variable == base; });
      if (used == symbols_used.end() || used->symbol.kind != Symbol::Kind::code) continue;
      const Symbol tag{Symbol::Kind::catches, used->symbol.of, used->symbol.at};
      i.replaceAllUsesWith(as_word(named(tag)));
      i.eraseFromParent();
    }
  }
}

/// Of code, a fun, an export or a literal; 0: none.
llvm::Constant* IrBuilder::address(Word w) {
  Symbol symbol;
  if (w && symbols_.find(w, &symbol)) {
    llvm::Constant* at = named(symbol);
    if (symbol.kind != Symbol::Kind::object) return at;
    return llvm::ConstantExpr::getGetElementPtr(llvm::Type::getInt8Ty(context_), at,
                                                word(w & kPrimaryMask));
  }
  depends_on_run |= w != 0;
  return pointer(w);
}

bool IrBuilder::depends(uint32_t op, unsigned k) const {
  const LoweredFunction& f = *unit_.bodies[unit_.body[op]].function;
  return symbols_.depends(symbols_.number_of(f), unit_.list[op].words + k);
}
/// An operation's word.
llvm::Constant* IrBuilder::operand(uint32_t op, unsigned k) {
  const Word w = layout_.word(op, k);
  return depends(op, k) ? address(w) : pointer(w);
}

// --- one root ------------------------------------------------------------------------------------
void IrBuilder::build_root(uint32_t op) {
  root_ = op;
  f_ = root_functions_[op];
  pending_.clear();
  copied_.clear();
  copied_ops_ = 0;
  side_ops_ = 0;
  deopt_points_.clear();
  llvm::BasicBlock* entry = new_block();
  State s = begin_loop(entry);
  build_op(op, loop_, s);
  is_entry_made_ = false;
  while (!pending_.empty()) {
    // The copy of the entry comes when all that goes to it has been made.
    auto next = pending_.begin();
    if (next->first == 0 && pending_.size() > 1) ++next;
    auto node = pending_.extract(next);
    State there = arrive(node.mapped());
    llvm::BasicBlock* block = node.mapped().block;
    if (node.key() == 0) {
      is_entry_made_ = true;
      promoted_.marks.push_back({make_mark(block), layout_.live_at(0), there.of[E]});
    }
    build_op(node.key(), block, there);
  }
  remove_stack_phi();
}

/// Mostly a loop ends with the stack as it began.
void IrBuilder::remove_stack_phi() {
  llvm::PHINode* phi = loop_phis_[E];
  for (llvm::Value* v : phi->incoming_values()) {
    BaseOffset there = base_of(v, module_.getDataLayout());
    if ((there.base != phi && there.base != f_->getArg(kArgE)) || there.at) return;
  }
  phi->replaceAllUsesWith(f_->getArg(kArgE));
  for (LiveMark& m : promoted_.marks) {
    if (m.top == phi) m.top = f_->getArg(kArgE);
  }
  phi->eraseFromParent();
}

/// A branch back to the root stays inside.
IrBuilder::State IrBuilder::begin_loop(llvm::BasicBlock* entry) {
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
  promoted_.marks.push_back({make_mark(loop_), layout_.live_at(root_), s.of[E]});
  return s;
}

/// Where several ways meet: do all have the stack's top at the same offset?
bool IrBuilder::same_stack(const Pending& p, int64_t* at) const {
  for (const Edge& e : p.edges) {
    BaseOffset there = base_of(e.state.of[E], module_.getDataLayout());
    if (there.base != loop_phis_[E]) return false;
    if (&e != &p.edges.front() && there.at != *at) return false;
    *at = there.at;
  }
  return true;
}

/// The state where several ways meet.
IrBuilder::State IrBuilder::arrive(Pending& p) {
  if (p.edges.size() == 1) return p.edges[0].state;
  State s;
  s.deopt = p.edges[0].state.deopt;
  for (const Edge& e : p.edges) {
    if (e.state.deopt != s.deopt) s.deopt = nullptr;
  }
  int64_t top = 0;
  bool same = same_stack(p, &top);
  for (int r = 0; r < kRegisters; ++r) {
    llvm::Value* first = p.edges[0].state.of[r];
    if (llvm::all_of(p.edges, [&](const Edge& e) { return e.state.of[r] == first; })) {
      s.of[r] = first;
      continue;
    }
    if (r == E && same) continue;
    auto* phi =
        llvm::PHINode::Create(first->getType(), static_cast<unsigned>(p.edges.size()), "", p.block);
    for (const Edge& e : p.edges) phi->addIncoming(e.state.of[r], e.from);
    s.of[r] = phi;
  }
  if (same) {
    s.of[E] = llvm::IRBuilder<>(p.block).CreatePtrAdd(loop_phis_[E], word(static_cast<Word>(top)));
  }
  return s;
}

void IrBuilder::build_op(uint32_t op, llvm::BasicBlock* block, const State& s) {
  here_ = location(op);
  switch (layout_.lowering(op)) {
    case Lowering::inline_handler:
      return inline_handler(op, block, s);
    case Lowering::switch_table:
      return build_switch(op, block, s);
    case Lowering::interpret:
      exit_to(unit_.list[op].whole, address(layout_.address(op)), block, s);
      return;
  }
}

// --- ways on -------------------------------------------------------------------------------------
FunctionExit& IrBuilder::tail_call(llvm::Value* callee, llvm::Value* i, llvm::BasicBlock* block,
                                   const State& s, LiveRegisters live) {
  llvm::IRBuilder<> b(block);
  b.SetCurrentDebugLocation(here_);
  llvm::Value* arguments[kArguments] = {i, f_->getArg(kArgC)};
  for (int r = 0; r < kRegisters; ++r) arguments[kArgHP + r] = s.of[r];
  llvm::CallInst* call = b.CreateCall(type_, callee, arguments);
  call->setCallingConv(llvm::CallingConv::PreserveNone);
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  b.CreateRetVoid();
  promoted_.exits.push_back({call, live});
  return promoted_.exits.back();
}

void IrBuilder::branch_to(uint32_t op, llvm::BasicBlock* block, const State& s) {
  if (op == root_) {
    for (int r = 0; r < kRegisters; ++r) loop_phis_[r]->addIncoming(s.of[r], block);
    llvm::BranchInst::Create(loop_, block);
    return;
  }
  bool once_more = op == 0 && !is_entry_made_ && layout_.copies_entry() && !layout_.is_rare(root_);
  bool goes_on = layout_.is_side(op) && !layout_.is_side(root_);
  if (layout_.is_root(op) && !once_more && !goes_on) {
    tail_call(root_functions_[op], llvm::PoisonValue::get(ptr_), block, s, layout_.live_at(op));
    return;
  }
  if (layout_.is_side(root_) && ends_side(op)) {
    return exit_through(layout_.address(op), block, s, layout_.live_at(op));
  }
  branch_inside(op, block, s);
}
/// Has a side root enough, and can it be left where this operation begins?
bool IrBuilder::ends_side(uint32_t op) {
  bool is_word = unit_.list[op].first && unit_.body[op] == 0;
  return is_word && !pending_.contains(op) && ++side_ops_ > Layout::kLongestSide;
}
/// To where nothing but this root's code goes, or its copy of another's.
void IrBuilder::branch_inside(uint32_t op, llvm::BasicBlock* block, const State& s) {
  Pending& p = pending_[op];
  if (!p.block) p.block = new_block();
  llvm::BranchInst::Create(p.block, block);
  p.edges.push_back({block, s});
}

void IrBuilder::branch_to_label(uint32_t from, Word label, llvm::BasicBlock* block,
                                const State& s) {
  if (uint32_t body = unit_.known(from); body != Unit::kNone) return enter_in_line(body, block, s);
  uint32_t op = layout_.target(from, label);
  if (op != Layout::kOutside) return branch_to(op, block, s);
  exit_through(label, block, s, live_at_label(from, label));
}
FunctionExit& IrBuilder::exit_to(unsigned h, llvm::Value* i, llvm::BasicBlock* block,
                                 const State& s, LiveRegisters live) {
  return tail_call(handler(h), i, block, s, live);
}
/// To another function, the end of this one, or code of the lower tier.
void IrBuilder::exit_through(Word label, llvm::BasicBlock* block, const State& s,
                             LiveRegisters live) {
  llvm::IRBuilder<> b(block);
  b.SetCurrentDebugLocation(here_);
  llvm::LoadInst* code = b.CreateLoad(ptr_, address(label));
  code->setAtomic(llvm::AtomicOrdering::Monotonic);
  tail_call(code, address(label), block, s, live);
}

// --- going back to what was before ---------------------------------------------------------------
llvm::Instruction* IrBuilder::make_mark(llvm::BasicBlock* block) {
  return new llvm::FreezeInst(llvm::PoisonValue::get(i64_), "", block);
}

/// Has nothing been written but registers and what lies beyond the tops of then?
bool IrBuilder::can_re_execute(const std::vector<llvm::Instruction*>& done,
                               const DeoptPoint& since) const {
  const llvm::DataLayout& layout = module_.getDataLayout();
  BaseOffset heap = base_of(since.state.of[HP], layout), stack = base_of(since.state.of[E], layout);
  for (llvm::Instruction* i : done) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(i);
    if (call && call->isMustTailCall()) continue;
    if (!i->mayWriteToMemory() || llvm::isa<llvm::LoadInst, llvm::AssumeInst>(i)) continue;
    auto* store = llvm::dyn_cast<llvm::StoreInst>(i);
    if (!store) return false;
    auto [base, at] = base_of(store->getPointerOperand(), layout);
    bool register_or_scratch =
        base == f_->getArg(kArgC) && at >= 0 && static_cast<size_t>(at) < offsetof(Exec, p);
    if (!register_or_scratch && !(base == heap.base && at >= heap.at) &&
        !(base == stack.base && at < stack.at)) {
      return false;
    }
  }
  return true;
}

/// One more time that it has met what it was not made for. Schedulers may count at once and miss
/// one.
void IrBuilder::count(uint32_t counter, llvm::BasicBlock* block) {
  const Symbol symbol{Symbol::Kind::counter, 0, counter};
  if (Word none; !symbols_.value_of(symbol, &none)) return;
  llvm::IRBuilder<> b(block);
  b.SetCurrentDebugLocation(here_);
  llvm::Value* at = named(symbol);
  auto* before = b.CreateLoad(i64_, at);
  before->setAtomic(llvm::AtomicOrdering::Monotonic);
  b.CreateStore(b.CreateAdd(before, word(1)), at)->setAtomic(llvm::AtomicOrdering::Monotonic);
}

/// Where an operation goes that is not done inline.
llvm::BasicBlock* IrBuilder::otherwise(uint32_t op, const State& begin) {
  const LoweredOp& p = unit_.list[op];
  if (begin.deopt && instr_has(instr_of(p.handler), kRarelyLeaves)) {
    DeoptPoint& r = *begin.deopt;
    if (!r.way_out) {
      r.way_out = new_block();
      count(Symbols::kExits, r.way_out);
      const LoweredOp& first = unit_.list[r.op];
      exit_to(first.whole, address(layout_.address(r.op)), r.way_out, r.state,
              layout_.live_at(r.op))
          .as_at = r.mark;
    }
    return r.way_out;
  }
  if (!otherwise_) {  // as nothing has changed, all such ways are one
    otherwise_ = new_block();
    if (instr_of(p.handler) == Instr::one_float) count(Symbols::kNoFloat, otherwise_);
    exit_to(p.whole, address(layout_.address(op)), otherwise_, begin);
  }
  return otherwise_;
}

// --- handlers' bodies ----------------------------------------------------------------------------
/// What a fun or an export leads to is only gone to, which comes after by itself: LLVM may keep
/// what it knows of the fun.
static void relax(Instr instr, llvm::Instruction* i) {
  if (!calls_fun(instr) && !calls_export(instr)) return;
  auto* load = llvm::dyn_cast<llvm::LoadInst>(i);
  if (load && load->getOrdering() == llvm::AtomicOrdering::Acquire) {
    load->setOrdering(llvm::AtomicOrdering::Monotonic);
  }
}

/// Does a handler's pointer come of an operand, which is an argument or a register in memory?
static bool is_of_operand(const llvm::Value* pointer) {
  using namespace llvm::PatternMatch;
  const llvm::Value* term = nullptr;
  if (!match(pointer, m_IntToPtr(m_Add(m_Value(term), m_Value())))) return false;
  auto* load = llvm::dyn_cast<llvm::LoadInst>(term);
  if (!load) return llvm::isa<llvm::Argument>(term);
  const llvm::Value* at = load->getPointerOperand();
  while (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(at)) at = gep->getPointerOperand();
  return llvm::isa<llvm::Argument>(at);
}

void IrBuilder::inline_handler(uint32_t op, llvm::BasicBlock* block, const State& before) {
  State s = before;
  if (!s.deopt) {
    deopt_points_.push_back({op, before, make_mark(block)});
    s.deopt = &deopt_points_.back();
  }
  otherwise_ = nullptr;
  if (calls_fun(instr_of(unit_.list[op].handler))) {
    for (uint32_t body : unit_.guesses(op)) {
      llvm::BasicBlock* others = new_block();
      guess_ = body;
      copy_handler(op, compare_fun(op, body, s, block, others), s);
      guess_ = Unit::kNone;
      block = others;
    }
  }
  copy_handler(op, block, s);
}

void IrBuilder::copy_handler(uint32_t op, llvm::BasicBlock* block, const State& s) {
  const HandlerBody& body = *library_.find(unit_.list[op].handler);
  llvm::ValueToValueMapTy map;
  llvm::Function& from = *body.function;
  map[from.getArg(kArgI)] = llvm::PoisonValue::get(ptr_);
  map[from.getArg(kArgC)] = f_->getArg(kArgC);
  for (int r = 0; r < kRegisters; ++r)
    map[from.getArg(kArgHP + static_cast<unsigned>(r))] = s.of[r];
  map_symbols(body, op, map);
  std::vector<llvm::BasicBlock*> made;
  for (llvm::BasicBlock& b : from) {
    made.push_back(&b == &from.getEntryBlock() ? block : new_block());
    map[&b] = made.back();
  }
  std::vector<llvm::Instruction*> copies;
  const Instr instr = instr_of(unit_.list[op].handler);
  size_t k = 0;
  for (llvm::BasicBlock& b : from) {
    for (llvm::Instruction& i : b) {
      llvm::Instruction* copy = i.clone();
      copy->insertInto(made[k], made[k]->end());
      copy->setDebugLoc(here_);
      add_scopes(i, copy, instr_has(instr, kReadsContext));
      relax(instr, copy);
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
  note_spill(copies, s);
  DeoptPoint* after = can_re_execute(copies, *s.deopt) ? s.deopt : nullptr;
  for (llvm::BasicBlock* b : made) end_block(b, op, s, after);
}

/// Does a handler leave the stack's top to C++?
void IrBuilder::note_spill(const std::vector<llvm::Instruction*>& copies, const State& s) {
  const llvm::DataLayout& layout = module_.getDataLayout();
  const llvm::Value* exec = f_->getArg(kArgC);
  Spill spill;
  for (llvm::Instruction* i : copies) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(i);
    if (!store || !store->getValueOperand()->getType()->isPointerTy()) continue;
    if (base_of(store->getValueOperand(), layout).base != base_of(s.of[E], layout).base) continue;
    auto at = offset_in_process(store->getPointerOperand(), exec, layout);
    if (at) spill.saved_top = store, spill.at = *at;
  }
  if (!spill.saved_top) return;
  for (llvm::Instruction* i : copies) {
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(i); call && calls_out(*call))
      spill.calls.push_back(call);
    auto* load = llvm::dyn_cast<llvm::LoadInst>(i);
    if (load && offset_in_process(load->getPointerOperand(), exec, layout) == spill.at)
      spill.reloads.push_back(load);
  }
  promoted_.spills.push_back(std::move(spill));
}

void IrBuilder::map_symbols(const HandlerBody& body, uint32_t op, llvm::ValueToValueMapTy& map) {
  for (llvm::Function* f : body.intrinsics) {
    map[f] = module_.getOrInsertFunction(f->getName(), f->getFunctionType(), f->getAttributes())
                 .getCallee();
  }
  for (const SymbolUse& use : body.symbols) {
    // An operand beyond the operation's own words is never used by a path that the operation can
    // take.
    switch (use.kind) {
      case HoleKind::number:
      case HoleKind::word:
        map[use.value] = operand(op, use.operand);
        break;
      case HoleKind::bytes:
        map[use.value] = pointer(layout_.word(op, use.operand) * sizeof(Word));
        break;
      case HoleKind::minus_bytes:
        map[use.value] = pointer(-(layout_.word(op, use.operand) * sizeof(Word)));
        break;
      case HoleKind::list:
        map[use.value] = address(layout_.address(op) + use.operand * sizeof(Word));
        break;
      case HoleKind::next:
      case HoleKind::branch:
      case HoleKind::preempt:
      case HoleKind::preempt_here:
      case HoleKind::otherwise:
      case HoleKind::finish:
        map[use.value] = use.value;
        break;
    }
  }
}

/// Registers are none of the stack's, and what is neither is none of theirs.
void IrBuilder::add_scopes(const llvm::Instruction& original, llvm::Instruction* copy,
                           bool matches) {
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
  if (n == kArgHP && llvm::isa<llvm::StoreInst>(copy))
    copy->setMetadata(kOnHeap, llvm::MDNode::get(context_, {}));
  if (n == kArgC) {
    copy->setMetadata(llvm::LLVMContext::MD_alias_scope, exec_scope_);
    copy->setMetadata(llvm::LLVMContext::MD_noalias, stack_scope_);
  } else if (n == kArgE) {
    copy->setMetadata(llvm::LLVMContext::MD_alias_scope, stack_scope_);
    copy->setMetadata(llvm::LLVMContext::MD_noalias, exec_scope_);
  } else {
    copy->setMetadata(llvm::LLVMContext::MD_noalias, both_scopes_);
    if (matches && is_of_operand(at))
      copy->setMetadata(llvm::LLVMContext::MD_alias_scope, context_scope_);
  }
}

// --- calls in line -------------------------------------------------------------------------------
void IrBuilder::enter_in_line(uint32_t body, llvm::BasicBlock* block, const State& s) {
  uint32_t first = unit_.bodies[body].first;
  promoted_.marks.push_back({make_mark(block), layout_.live_at(first), s.of[E]});
  branch_inside(first, block, s);
}

/// Is there room for another root's code here? Not for what comes earlier: it may be made already.
bool IrBuilder::may_copy(uint32_t root, uint32_t from) {
  constexpr size_t kEnough = 96;
  if (layout_.is_rare(root_)) return false;
  if (copied_.contains(root) || layout_.is_rare(root)) return root > from;
  if (root <= from || copied_ops_ + layout_.size_of(root) > kEnough) return false;
  copied_ops_ += layout_.size_of(root);
  copied_.insert(root);
  return true;
}

IrBuilder::State IrBuilder::state_of(llvm::CallInst* call, DeoptPoint* deopt) {
  State s;
  for (int r = 0; r < kRegisters; ++r)
    s.of[r] = call->getArgOperand(kArgHP + static_cast<unsigned>(r));
  s.deopt = deopt;
  return s;
}

/// A return whose call is here, too.
bool IrBuilder::return_in_line(llvm::CallInst* call, uint32_t op, DeoptPoint* after) {
  Instr i = instr_of(unit_.list[op].handler);
  if (i != Instr::return_ && i != Instr::deallocate_return) return false;
  uint32_t back = unit_.back_of(unit_.body[op]);
  if (back == Unit::kNone) return false;
  llvm::BasicBlock* block = call->getParent();
  State s = state_of(call, after);
  block->getTerminator()->eraseFromParent();
  call->eraseFromParent();
  promoted_.marks.push_back({make_mark(block), layout_.live_at(back), s.of[E]});
  if (back != root_ && layout_.is_root(back) && may_copy(back, op)) {
    branch_inside(back, block, s);
  } else {
    branch_to(back, block, s);
  }
  return true;
}

/// Which fun is called was guessed: if it is that one, its own copy of the handler comes next,
/// where LLVM knows what the handler will find. Returns where that copy goes.
llvm::BasicBlock* IrBuilder::compare_fun(uint32_t op, uint32_t body, const State& s,
                                         llvm::BasicBlock* block, llvm::BasicBlock* others) {
  const LoweredFunction::SeenFun& fun = unit_.fun_of(body);
  llvm::IRBuilder<> b(block);
  b.SetCurrentDebugLocation(here_);
  llvm::Value* f = load_operand(op, b, s);
  auto go_on_if = [&](llvm::Value* v, llvm::Constant* wanted) {
    llvm::BasicBlock* next = new_block();
    b.CreateCondBr(b.CreateICmpEQ(v, wanted), next, others);
    b.SetInsertPoint(next);
  };
  go_on_if(b.CreateAnd(f, word(kPrimaryMask)), word(kBoxedTag));
  llvm::Value* at = b.CreateIntToPtr(b.CreateSub(f, word(kBoxedTag)), ptr_);
  auto load = [&](Word k) {
    llvm::LoadInst* l = b.CreateLoad(i64_, b.CreatePtrAdd(at, word(k * sizeof(Word))));
    l->setMetadata(llvm::LLVMContext::MD_noalias, both_scopes_);
    return l;
  };
  go_on_if(load(0), word(make_header(Kind::fun, 3 + fun.free)));
  go_on_if(load(1), as_word(address(fun.fun)));
  // Arity and number of free variables are part of what a FunEntry stands for (CodeTable::FunKey).
  b.CreateAssumption(b.CreateICmpEQ(load(2), word(fun.arity | Word{fun.free} << 32)));
  return b.GetInsertBlock();
}

/// What a fun or an export leads to was guessed: a call of that stays here.
void IrBuilder::stay_inlined(uint32_t body, llvm::CallInst* call, DeoptPoint* after) {
  llvm::BasicBlock* block = call->getParent();
  llvm::BasicBlock* others = block->splitBasicBlock(call);
  block->getTerminator()->eraseFromParent();
  llvm::BasicBlock* known = new_block();
  llvm::IRBuilder<> b(block);
  b.SetCurrentDebugLocation(here_);
  auto entry = reinterpret_cast<Word>(unit_.bodies[body].function->entry);
  b.CreateCondBr(b.CreateICmpEQ(call->getArgOperand(kArgI), address(entry)), known, others);
  enter_in_line(body, known, state_of(call, after));
}

/// Out of the function, to what the instruction has found.
void IrBuilder::exit_function(llvm::CallInst* call, uint32_t op, DeoptPoint* after) {
  if (return_in_line(call, op, after)) return;
  if (guess_ != Unit::kNone) stay_inlined(guess_, call, after);
  if (calls_export(instr_of(unit_.list[op].handler))) {
    for (uint32_t body : unit_.guesses(op)) stay_inlined(body, call, after);
  }
  promoted_.exits.push_back({call, live_of_callee(op)});
}
/// What may be read where this instruction goes: arguments (what a fun has caught is in memory
/// already), or a result.
LiveRegisters IrBuilder::live_of_callee(uint32_t op) const {
  Instr i = instr_of(unit_.list[op].handler);
  LiveRegisters live;
  live.floats = false;
  if (i == Instr::return_ || i == Instr::deallocate_return) live.x = 1;
  if (calls_fun(i)) live.x = static_cast<unsigned>(arity_of_fun_call(unit_.words(op)));
  if (auto guesses = unit_.guesses(op); calls_export(i) && !guesses.empty()) {
    live.x = unit_.bodies[guesses[0]].function->arity;
  }
  return live;
}
/// Where no instruction of this function is, another begins, or this one fails.
LiveRegisters IrBuilder::live_at_label(uint32_t from, Word label) const {
  if (uint32_t body = unit_.known(from); body != Unit::kNone) {
    return layout_.live_at(unit_.bodies[body].first);
  }
  uint32_t op = layout_.target(from, label);
  return op == Layout::kOutside ? LiveRegisters{LiveRegisters{}.x, false} : layout_.live_at(op);
}

/// A tail call of one of the symbols for a way out becomes that way. Only what may go on for long
/// is preempted: not where a copy begins that stays.
void IrBuilder::end_block(llvm::BasicBlock* block, uint32_t op, const State& begin,
                          DeoptPoint* after) {
  auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block->getTerminator());
  if (!ret) return;
  auto* call = llvm::cast<llvm::CallInst>(ret->getPrevNode());
  call->setAttributes({});
  SymbolUse use = library_.symbol(call->getCalledOperand());
  if (!use.value) return exit_function(call, op, after);
  State s = state_of(call, after);
  llvm::Value* i = call->getArgOperand(kArgI);
  ret->eraseFromParent();
  call->eraseFromParent();
  const LoweredOp& p = unit_.list[op];
  llvm::Value* here = address(layout_.address(op));
  static const auto first_of = [](Instr instr) { return unsigned{info_of(instr).first_handler}; };
  switch (use.kind) {
    case HoleKind::next:
      return branch_to(unit_.next(op), block, s);
    case HoleKind::branch:
      return branch_to_label(op, layout_.word(op, use.operand), block, s);
    case HoleKind::preempt: {
      Word label = layout_.word(op, use.operand);
      uint32_t body = unit_.known(op);
      if (body != Unit::kNone && layout_.stays(body)) return enter_in_line(body, block, s);
      exit_to(first_of(Instr::preempt), address(label), block, s, live_at_label(op, label));
      return;
    }
    case HoleKind::preempt_here: {
      llvm::CallInst* exit =
          exit_to(first_of(Instr::preempt), i, block, s, live_of_callee(op)).call;
      if (!calls_export(instr_of(p.handler))) return;
      for (uint32_t body : unit_.guesses(op)) {
        if (layout_.stays(body)) stay_inlined(body, exit, after);
      }
      return;
    }
    case HoleKind::finish:
      exit_to(first_of(finisher_of(instr_of(p.whole))), here, block, s);
      return;
    case HoleKind::otherwise:
    case HoleKind::number:  // from here on none that is called
    case HoleKind::bytes:
    case HoleKind::minus_bytes:
    case HoleKind::word:
    case HoleKind::list:
      llvm::BranchInst::Create(otherwise(op, begin), block);
      return;
  }
}

// --- jumps by a table ----------------------------------------------------------------------------
/// The first operand, which the operation's handler knows the kind of.
llvm::Value* IrBuilder::load_operand(uint32_t op, llvm::IRBuilder<>& b, const State& s) {
  OperandKind kind = kHandlerKinds[unit_.list[op].handler].kinds[0];
  Word w = layout_.word(op, 1);
  switch (kind) {
    case OperandKind::x0:
      return s.of[X0];
    case OperandKind::x1:
      return s.of[X1];
    case OperandKind::x2:
      return s.of[X2];
    case OperandKind::c:
      return as_word(operand(op, 1));
    case OperandKind::x:
    case OperandKind::y:
      break;
  }
  bool y = kind == OperandKind::y;
  llvm::Value* base = y ? s.of[E] : f_->getArg(kArgC);
  llvm::LoadInst* load = b.CreateLoad(i64_, b.CreatePtrAdd(base, word(w)));
  load->setMetadata(llvm::LLVMContext::MD_alias_scope, y ? stack_scope_ : exec_scope_);
  load->setMetadata(llvm::LLVMContext::MD_noalias, y ? exec_scope_ : stack_scope_);
  return load;
}

/// Atoms are searched by comparing: their values may be others in another run, but in each run the
/// list is in their order.
void IrBuilder::compare_cases(uint32_t op, llvm::BasicBlock* block, const State& s) {
  const instr::select_val select{unit_.words(op)};
  llvm::IRBuilder<> b(block);
  b.SetCurrentDebugLocation(here_);
  compare_cases(op, load_operand(op, b, s), 0, static_cast<unsigned>(select.count() / 2), block, s);
}
/// Cases `from` to `end`, which is not one of them.
void IrBuilder::compare_cases(uint32_t op, llvm::Value* v, unsigned from, unsigned end,
                              llvm::BasicBlock* block, const State& s) {
  constexpr unsigned kFew = 3;
  const instr::select_val select{unit_.words(op)};
  auto value = [&](unsigned k) {
    return as_word(operand(op, instr::place::select_val::cases + k));
  };
  llvm::IRBuilder<> b(block);
  b.SetCurrentDebugLocation(here_);
  if (end - from > kFew) {
    const unsigned middle = from + (end - from) / 2;
    llvm::BasicBlock *below = new_block(), *above = new_block();
    b.CreateCondBr(b.CreateICmpULT(v, value(middle)), below, above);
    compare_cases(op, v, from, middle, below, s);
    return compare_cases(op, v, middle, end, above, s);
  }
  for (unsigned k = from; k < end; ++k) {
    llvm::BasicBlock *there = new_block(), *next = new_block();
    b.CreateCondBr(b.CreateICmpEQ(v, value(k)), there, next);
    branch_to_label(op, select.cases()[select.count() / 2 + k], there, s);
    b.SetInsertPoint(next);
  }
  branch_to_label(op, select.fail(), b.GetInsertBlock(), s);
}

void IrBuilder::build_switch(uint32_t op, llvm::BasicBlock* block, const State& s) {
  const Instr i = instr_of(unit_.list[op].handler);
  const instr::jump_table table{unit_.words(op)};
  const instr::select_val select{table.I};  // a select_arity has the same words
  constexpr unsigned kFirstCase = instr::place::select_val::cases;
  if (i == Instr::select_val) {
    bool of_run = false;
    for (unsigned k = 0; k < select.count() / 2; ++k) of_run |= depends(op, kFirstCase + k);
    if (of_run) return compare_cases(op, block, s);
  }
  llvm::BasicBlock* otherwise = new_block();
  llvm::IRBuilder<> b(block);
  b.SetCurrentDebugLocation(here_);
  llvm::Value* v = load_operand(op, b, s);
  std::vector<std::pair<Word, Word>> cases;
  if (i == Instr::jump_table) {
    for (Word k = 0; k < table.count(); ++k) {
      cases.emplace_back(make_small(static_cast<int64_t>(table.low() + k)), table.targets()[k]);
    }
  } else {
    const Word n = select.count() / 2, *values = select.cases(), *labels = values + n;
    for (Word k = 0; k < n; ++k) cases.emplace_back(values[k], labels[k]);
  }
  if (i == Instr::select_arity) {
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
    branch_to_label(op, label, there, s);
  }
  branch_to_label(op, i == Instr::jump_table ? table.fail() : select.fail(), otherwise, s);
}

}  // namespace wb
