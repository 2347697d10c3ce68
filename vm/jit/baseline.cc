#include "vm/jit/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>

#include "base/stopwatch.h"
#include "loader/instruction_walk.h"
#include "term/atom.h"
#include "vm/interp/interpreter.h"
#include "vm/jit/stencils.h"

namespace wb {

namespace {
constexpr size_t kMemoryLimit = size_t{192} << 20;
constexpr size_t kLoadI = 10, kJump = 5, kJumpThroughI = 4;
constexpr size_t kExit = kLoadI + kJump;
/// Are the words of `at` that `mask` names all below the limit?
bool all_below(unsigned mask, const Word* at, Word limit) {
  for (; mask; mask &= mask - 1) {
    if (at[std::countr_zero(mask)] >= limit) return false;
  }
  return true;
}
bool all_labels(unsigned mask, const Word* at) {
  for (; mask; mask &= mask - 1) {
    if (!at[std::countr_zero(mask)]) return false;
  }
  return true;
}
/// May write up to kCopyStep - 1 bytes more.
void copy_code(uint8_t* to, const uint8_t* from, size_t size) {
  for (size_t k = 0; k < size; k += kCopyStep) memcpy(to + k, from + k, kCopyStep);
}

}  // namespace

/// The blocks of a module's native code.
struct NativeCode final : AttachedCode {
  explicit NativeCode(Baseline& b) : owner(b) {}
  ~NativeCode() override {
    std::lock_guard lock(owner.lock_);
    for (const Function& f : functions) {
      if (owner.gdb_symbols_) owner.gdb_symbols_->forget(f.block.run);
      owner.memory_->give_back(f.block);
    }
  }
  Baseline& owner;
  /// A compiled function, which is one block.
  struct Function {
    uint32_t entry;  ///< word offset
    CodeMemory::Block block;
  };
  std::vector<Function> functions;
};

/// Under the lock.
void Baseline::name_code(const uint8_t* code, size_t size, const std::string& name) {
  if (perf_map_) perf_map_->add(code, size, name);
  if (gdb_symbols_) gdb_symbols_->add(code, size, name);
}

void Baseline::add_name(const uint8_t* code, size_t size, const std::string& name) {
  std::lock_guard lock(lock_);
  name_code(code, size, name);
}

void Baseline::forget_name(const uint8_t* code) {
  std::lock_guard lock(lock_);
  if (gdb_symbols_) gdb_symbols_->forget(code);
}

std::unique_ptr<Baseline> Baseline::make(const Word* handlers, CodeWords& words, Names names) {
  if (!kHasStencils) return nullptr;
  std::unique_ptr<Baseline> b(new Baseline(handlers, words));
  b->memory_ = CodeMemory::make(reinterpret_cast<const void*>(handlers[0]),
                                CodeMemory::Region::baseline, kMemoryLimit, names.perf);
  if (names.gdb) b->gdb_symbols_ = std::make_unique<GdbSymbols>();
  if (names.perf) {
    b->perf_map_ = PerfMap::make();
    if (!b->perf_map_) fprintf(stderr, "whitebeam: --perf-map: cannot write to /tmp\n");
  }
  return b->memory_ ? std::move(b) : nullptr;
}

Baseline::Baseline(const Word* handlers, CodeWords& words)
    : handlers_(handlers),
      usual_(make_handler_table(false)),
      preempt_(handlers[info_of(Instr::preempt).first_handler]),
      code_words_(words) {}

std::vector<CodeMemory::Block> Baseline::blocks_of(const Module& m) {
  std::vector<CodeMemory::Block> all;
  if (!m.native) return all;
  for (const auto& f : static_cast<const NativeCode&>(*m.native).functions) all.push_back(f.block);
  return all;
}

std::vector<Baseline::Compiled> Baseline::compiled(const Module& m) {
  std::vector<Compiled> all;
  std::lock_guard lock(lock_);
  auto* native = static_cast<NativeCode*>(m.native.get());
  if (!native) return all;
  const CodeWords::Edit edit(code_words_);
  for (const NativeCode::Function& f : native->functions) {
    const Word* entry = m.code + f.entry;
    all.push_back({entry, f.block, edit.times_intercepted(m, entry)});
  }
  return all;
}

bool Baseline::compile(Module& m, const Word* entry) {
  std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock) return false;
  Stopwatch watch(counters.ns);
  compile_locked(m, *m.function_at(entry));
  return true;
}

void Baseline::compile_all(Module& m) {
  std::lock_guard lock(lock_);
  Stopwatch watch(counters.ns);
  for (const Module::Function& f : m.functions) compile_locked(m, f);
}

// --- one function --------------------------------------------------------------------------------
void Baseline::compile_locked(Module& m, const Module::Function& f) {
  Word* entry = m.code + f.entry;
  // Nobody else ends the counting.
  if (!CodeWords::Edit(code_words_).has(m, entry, Layer::warm_up)) return;
  set_entry_count(entry, 0);
  items_.clear();
  made_.assign(1, 0);
  read(m, f);
  block_ = memory_->allocate(lay_out());
  if (!block_.write) {
    counters.refused.fetch_add(1, std::memory_order_relaxed);
    return CodeWords::Edit(code_words_).remove(m, entry, Layer::warm_up);
  }
  calls_itself_ = false;
  exit_label_ = 0;
  for (const Item& item : items_) write_item(item, entry);
  memory_->trim(block_, exits_);
  constexpr int kBreakpoint = 0xcc;  // int3
  memset(block_.write + exits_, kBreakpoint, block_.size - exits_);
  if (perf_map_ || gdb_symbols_) {
    name_code(block_.run, block_.size,
              fmt::format("{}:{}/{}", atom_text(m.name), atom_text(f.name), f.arity));
  }
  if (!m.native) m.native = std::make_unique<NativeCode>(*this);
  static_cast<NativeCode&>(*m.native).functions.push_back({f.entry, block_});
  install(m, entry);
  counters.functions.fetch_add(1, std::memory_order_relaxed);
  counters.bytes.fetch_add(block_.size, std::memory_order_relaxed);
}

void Baseline::install(Module& m, Word* entry) {
  std::vector<uint32_t> sizes;
  size_t not_native = 0;
  uint32_t before = 0;
  for (const Item& item : items_) {
    if (item.continues) continue;
    if (!sizes.empty()) sizes.back() = item.native - before;
    before = item.native;
    sizes.push_back(0);  // nobody asks for the last one's
    not_native += item.stencil == nullptr;
  }
  counters.instructions.fetch_add(sizes.size(), std::memory_order_relaxed);
  counters.not_native.fetch_add(not_native, std::memory_order_relaxed);
  CodeWords::Edit(code_words_)
      .set_baseline(m, entry, reinterpret_cast<Word>(block_.run), sizes, calls_itself_);
}

// --- for who looks -------------------------------------------------------------------------------
Baseline::Tier Baseline::tier_of(const Word* entry) const {
  const Word first = CodeWords::load(entry);
  if (memory_->holds(first)) return Tier::baseline;
  return code_words_.is_handler(first) ? Tier::none : Tier::hot;
}
void Baseline::count_breakpoint(CodeWords::Covered covered) {
  if (covered.runs == Layer::baseline) counters.traced.fetch_add(1, std::memory_order_relaxed);
  if (covered.hidden) counters.interpreted.fetch_add(1, std::memory_order_relaxed);
}
void Baseline::count_unloaded(const Module& m) {
  std::lock_guard lock(lock_);
  auto* code = static_cast<NativeCode*>(m.native.get());
  if (code) counters.unloaded.fetch_add(code->functions.size(), std::memory_order_relaxed);
}

// --- what a function consists of -----------------------------------------------------------------
static void add_literals(const LoweredOp& op, LoweredFunction* out) {
  OperandKind kinds[3];
  Instr i = instr_of_handler(op.handler, kinds);
  for (unsigned k = 0; k < shape_operands(info_of(i).shape); ++k) {
    Word w = out->words[op.words + 1 + k];
    if (kinds[k] != OperandKind::c || !is_pointer(w)) continue;
    const Word* at = pointer_of(w);
    out->literals.push_back({at, at[0]});
    if (is_cons(w) || is_float(w)) out->literals.push_back({at + 1, at[1], is_float(w)});
  }
}
bool Baseline::lower_function(const Module& m, const Word* entry, LoweredFunction* out,
                              bool compiled) {
  std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock) return false;
  if (compiled && !CodeWords::Edit(code_words_).has(m, entry, Layer::baseline)) return false;
  const Module::Function& f = *m.function_at(entry);
  items_.clear();
  made_.assign(1, 0);
  for_llvm_ = true;
  read(m, f);
  for_llvm_ = false;
  out->entry = entry;
  out->arity = entry_arity(entry);
  out->size = m.end_of(f) - f.entry;
  for (size_t k = 0; k < out->size; ++k) {  // some operands count (loader/met_floats.h)
    out->words.push_back(CodeWords::load(entry + k));
  }
  out->words.insert(out->words.end(), made_.begin(), made_.end());
  for (const Item& item : items_) {
    auto words = item.made ? static_cast<uint32_t>(out->size + item.made) : item.at;
    out->list.push_back({item.at, words, item.made ? item.own : item.handler, item.handler,
                         !item.continues, item.stencil != nullptr});
  }
  for (const LoweredOp& p : out->list) add_literals(p, out);
  return true;
}

/// Lists the function's instructions.
void Baseline::read(const Module& m, const Module::Function& f) {
  const Word* entry = m.code + f.entry;
  each_instruction(m, f, [&](uint32_t offset, unsigned handler) {
    const Word* at = entry + offset;
    Item item{
        .at = offset, .handler = static_cast<uint16_t>(handler), .stencil = choose(handler, at)};
    if (!lower(instr_of(handler), at, item)) items_.push_back(item);
  });
}

/// The stencil for an instruction, if its operands fit.
const Stencil* Baseline::choose(unsigned handler, const Word* at) const {
  if (handlers_[handler] != usual_[handler]) return nullptr;
  const HandlerKinds& h = kHandlerKinds[handler];
  bool narrow = true, has_constant = false;
  for (unsigned k = 0; k < 3; ++k) {
    if (h.kinds[k] != OperandKind::c) continue;
    Word w = at[1 + k];
    has_constant = true;
    narrow =
        w < kNumberLimit && !is_pointer(w) && (is_small(w) || instr_has(h.instr, kAnyConstant));
  }
  const Stencil* s = stencil_of(handler, narrow);
  if (!s && narrow && has_constant) s = stencil_of(handler, false);
  if (!s || !all_below(s->numbers, at, kNumberLimit) || !all_below(s->counts, at, kCountLimit)) {
    return nullptr;
  }
  return all_labels(s->labels, at) ? s : nullptr;
}

/// Where each instruction's code will be; returns the size of all, exits included.
size_t Baseline::lay_out() {
  size_t code = 0, exits = 0;
  for (Item& item : items_) {
    item.native = static_cast<uint32_t>(code);
    if (!item.stencil) {
      code += kExit;
      continue;
    }
    code += item.stencil->size;
    exits += item.stencil->exits;
  }
  code += kCopyStep;  // for what copy_code writes behind the last
  exits_ = static_cast<uint32_t>(code);
  return code + exits * kExit;
}

void Baseline::write_item(const Item& item, const Word* entry) {
  const Word* at = entry + item.at;
  if (item.stencil) return fill(item, entry);
  uint32_t exits = exits_;  // an exit in line
  exits_ = item.native;
  exit_to(reinterpret_cast<Word>(at), handlers_[item.handler]);
  exits_ = exits;
}

/// The handler of end_NAME, which does the rest of an instruction.
Word Baseline::finisher(unsigned handler) const {
  return handlers_[info_of(finisher_of(instr_of(handler))).first_handler];
}

void Baseline::fill(const Item& item, const Word* entry) {
  const Stencil& s = *item.stencil;
  const Word* at = words_of(item, entry);
  copy_code(block_.write + item.native, kStencilCode + s.code, s.size);
  uint32_t otherwise = 0;  // one exit serves all its slow paths
  for (unsigned k = 0; k < s.holes; ++k) {
    const Hole& h = kStencilHoles[s.first_hole + k];
    uint32_t where = item.native + h.at;
    Word w = at[h.operand];
    auto number = [&](Word value) {
      auto v = static_cast<int32_t>(static_cast<int64_t>(value) + h.addend);
      memcpy(block_.write + where, &v, sizeof v);
    };
    switch (h.kind) {
      case HoleKind::number:
        number(w);
        break;
      case HoleKind::bytes:
        number(w * sizeof(Word));
        break;
      case HoleKind::minus_bytes:
        number(-(w * sizeof(Word)));
        break;
      case HoleKind::word:
        w += static_cast<Word>(static_cast<int64_t>(h.addend));
        memcpy(block_.write + where, &w, sizeof w);
        break;
      case HoleKind::list: {
        auto list = reinterpret_cast<Word>(at + h.operand);
        memcpy(block_.write + where, &list, sizeof list);
        break;
      }
      case HoleKind::next:
        rel32(where, h.addend, item.native + s.size);
        break;
      case HoleKind::branch: {
        const Item* target = item_at(entry, w);
        if (target && target->at == 0) calls_itself_ = true;
        rel32(where, h.addend, target ? target->native : exit_through(w));
        break;
      }
      case HoleKind::preempt:
        rel32(where, h.addend, exit_to(w, preempt_));
        break;
      case HoleKind::preempt_here:
        rel32_outside(where, h.addend, preempt_);
        break;
      case HoleKind::finish:
        rel32(where, h.addend,
              exit_to(reinterpret_cast<Word>(entry + item.at), finisher(item.handler)));
        break;
      case HoleKind::otherwise:
        if (!otherwise) {
          otherwise = exit_to(reinterpret_cast<Word>(entry + item.at), handlers_[item.handler]);
        }
        rel32(where, h.addend, otherwise);
        break;
    }
  }
}

/// The instruction of this function at an address.
const Baseline::Item* Baseline::item_at(const Word* entry, Word address) const {
  const Word* to = reinterpret_cast<const Word*>(address);
  if (to < entry) return nullptr;
  auto offset = static_cast<size_t>(to - entry);
  auto it = std::lower_bound(items_.begin(), items_.end(), offset,
                             [](const Item& i, size_t o) { return i.at < o; });
  return it != items_.end() && it->at == offset ? &*it : nullptr;
}

// --- exits: I is loaded (it lives in r12), then the interpreter goes on --------------------------
/// Code that jumps to a handler with I = `i`.
uint32_t Baseline::exit_to(Word i, Word handler) {
  uint32_t at = exits_;
  uint8_t* p = block_.write + at;
  p[0] = 0x49, p[1] = 0xbc;  // movabs $i, %r12
  memcpy(p + 2, &i, sizeof i);
  p[kLoadI] = 0xe9;  // jmp handler
  exits_ += kExit;
  rel32_outside(at + kLoadI + 1, -4, handler);
  return at;
}
/// Code that goes on at an instruction of another function, in whatever form that is.
uint32_t Baseline::exit_through(Word label) {
  if (label == exit_label_) return label_exit_;
  uint32_t at = exits_;
  exit_label_ = label, label_exit_ = at;
  uint8_t* p = block_.write + at;
  p[0] = 0x49, p[1] = 0xbc;  // movabs $label, %r12
  memcpy(p + 2, &label, sizeof label);
  memcpy(p + kLoadI, "\x41\xff\x24\x24", kJumpThroughI);  // jmp *(%r12)
  exits_ += kExit;
  return at;
}
void Baseline::rel32(uint32_t at, int32_t addend, uint32_t target) {
  auto v = static_cast<int32_t>(static_cast<int64_t>(target) + addend - at);
  memcpy(block_.write + at, &v, sizeof v);
}
void Baseline::rel32_outside(uint32_t at, int32_t addend, Word target) {
  auto here = reinterpret_cast<Word>(block_.run + at);
  auto v = static_cast<int32_t>(static_cast<int64_t>(target - here) + addend);
  memcpy(block_.write + at, &v, sizeof v);
}

}  // namespace wb
