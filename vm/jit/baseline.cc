#include "vm/jit/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <unordered_map>

#include "base/processor_time.h"
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

const Word* end_of(const Module& m, const Word* entry) {
  return m.code + m.end_of(*m.function_at(entry));
}
}  // namespace

/// The blocks of a module's native code.
struct NativeCode final : AttachedCode {
  explicit NativeCode(Baseline& b) : owner(b) {}
  ~NativeCode() override {
    std::lock_guard lock(owner.lock_);
    for (const CodeMemory::Block& b : blocks) {
      if (owner.gdb_symbols_) owner.gdb_symbols_->forget(b.run);
      owner.memory_->give_back(b);
    }
  }
  Baseline& owner;
  std::vector<CodeMemory::Block> blocks;
  /// A compiled function.
  struct Compiled {
    uint32_t first;        ///< of its instructions in `handlers`
    bool calls_itself;     ///< without passing its first word
    uint32_t block;        ///< of `blocks`
    uint32_t count;        ///< how many instructions it has
    uint32_t returns = 0;  ///< to the interpreter
  };
  std::unordered_map<const Word*, Compiled> functions;  ///< by entry
  std::vector<uint16_t> handlers;                       ///< what the words had
};

void Baseline::add_name(const uint8_t* code, size_t size, const std::string& name) {
  if (perf_map_) perf_map_->add(code, size, name);
  if (gdb_symbols_) gdb_symbols_->add(code, size, name);
}

void Baseline::forget_name(const uint8_t* code) {
  std::lock_guard lock(lock_);
  if (gdb_symbols_) gdb_symbols_->forget(code);
}

std::unique_ptr<Baseline> Baseline::make(const Word* handlers, Names names) {
  if (!kHasStencils) return nullptr;
  std::unique_ptr<Baseline> b(new Baseline(handlers));
  b->memory_ = CodeMemory::make(reinterpret_cast<const void*>(handlers[0]),
                                CodeMemory::Region::baseline, kMemoryLimit, names.perf);
  if (names.gdb) b->gdb_symbols_ = std::make_unique<GdbSymbols>();
  if (names.perf) {
    b->perf_map_ = PerfMap::make();
    if (!b->perf_map_) fprintf(stderr, "whitebeam: --perf-map: cannot write to /tmp\n");
  }
  return b->memory_ ? std::move(b) : nullptr;
}

Baseline::Baseline(const Word* handlers)
    : handlers_(handlers),
      usual_(make_handler_table(false)),
      preempt_(handlers[info_of(Instr::preempt).first_handler]),
      index_(handlers) {}

std::vector<CodeMemory::Block> Baseline::blocks_of(const Module& m) {
  if (!m.native) return {};
  return static_cast<const NativeCode&>(*m.native).blocks;
}

std::vector<Baseline::Compiled> Baseline::compiled(const Module& m) {
  std::vector<Compiled> all;
  std::lock_guard lock(lock_);
  auto* native = static_cast<NativeCode*>(m.native.get());
  if (!native) return all;
  for (const auto& [entry, made] : native->functions) {
    auto from = native->handlers.begin() + made.first;
    all.push_back({entry, native->blocks[made.block], made.returns, {from, from + made.count}});
  }
  return all;
}

bool Baseline::compile(Module& m, const Word* entry) {
  std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock) return false;
  uint64_t started = processor_time();
  compile_locked(m, *m.function_at(entry));
  counters.ns.fetch_add(processor_time() - started, std::memory_order_relaxed);
  return true;
}

void Baseline::compile_all(Module& m) {
  std::lock_guard lock(lock_);
  uint64_t started = processor_time();
  for (const Module::Function& f : m.functions) compile_locked(m, f);
  counters.ns.fetch_add(processor_time() - started, std::memory_order_relaxed);
}

// --- one function --------------------------------------------------------------------------------
void Baseline::compile_locked(Module& m, const Module::Function& f) {
  Word* entry = m.code + f.entry;
  const Word* end = m.code + m.end_of(f);
  const EntryState state = entry_state(entry);
  if (!state.warms_up) return;                                             // done before
  if (*entry != handlers_[info_of(Instr::warm_up).first_handler]) return;  // has a breakpoint
  auto store = [](Word* at, Word w) { std::atomic_ref(*at).store(w, std::memory_order_release); };
  size_t size = 0;
  items_.clear();
  made_.assign(1, 0);
  if (read(entry, end)) size = lay_out();
  if (size) block_ = memory_->allocate(size);
  if (!size || !block_.write) {
    counters.refused.fetch_add(1, std::memory_order_relaxed);
    clear_entry_state(entry);
    store(entry, handlers_[state.first_handler]);
    return;
  }
  calls_itself_ = false;
  exit_label_ = 0;
  for (const Item& item : items_) write_item(item, entry);
  memory_->trim(block_, exits_);
  constexpr int kBreakpoint = 0xcc;  // int3
  memset(block_.write + exits_, kBreakpoint, block_.size - exits_);
  if (!m.native) m.native = std::make_unique<NativeCode>(*this);
  static_cast<NativeCode*>(m.native.get())->blocks.push_back(block_);
  if (perf_map_ || gdb_symbols_) {
    add_name(block_.run, block_.size,
             fmt::format("{}:{}/{}", atom_text(m.name), atom_text(f.name), f.arity));
  }
  clear_entry_state(entry);
  auto& native = static_cast<NativeCode&>(*m.native);
  auto first_of_all = static_cast<uint32_t>(native.handlers.size());
  size_t instructions = 0, not_native = 0;
  for (const Item& item : items_) {
    if (item.continues) continue;
    ++instructions;
    not_native += item.stencil == nullptr;
    native.handlers.push_back(item.handler);
    store(entry + item.at, reinterpret_cast<Word>(block_.run + item.native));
  }
  native.functions[entry] = {first_of_all, calls_itself_,
                             static_cast<uint32_t>(native.blocks.size() - 1),
                             static_cast<uint32_t>(instructions)};
  counters.functions.fetch_add(1, std::memory_order_relaxed);
  counters.instructions.fetch_add(instructions, std::memory_order_relaxed);
  counters.not_native.fetch_add(not_native, std::memory_order_relaxed);
  counters.bytes.fetch_add(block_.size, std::memory_order_relaxed);
}

// --- breakpoints ---------------------------------------------------------------------------------
template <class F>
static void each_instruction(Module& m, Word* entry, const uint16_t* handlers, F f) {
  const Word* end = end_of(m, entry);
  for (Word* at = entry; at < end; ++handlers) {
    f(at, *handlers);
    at += loaded_size(instr_of(*handlers), at, end);
  }
}
bool Baseline::revert_to_interpreter(Module& m, Word* entry, std::vector<Word>* native) {
  auto* code = static_cast<NativeCode*>(m.native.get());
  if (!code) return false;
  auto it = code->functions.find(entry);
  if (it == code->functions.end() || !it->second.calls_itself) return false;
  each_instruction(m, entry, code->handlers.data() + it->second.first, [&](Word* at, uint16_t h) {
    native->push_back(*at);
    std::atomic_ref(*at).store(handlers_[h], std::memory_order_release);
  });
  counters.interpreted.fetch_add(1, std::memory_order_relaxed);
  return true;
}
Baseline::Tier Baseline::tier_of(const Word* entry) const {
  Word first = std::atomic_ref(const_cast<Word&>(*entry)).load(std::memory_order_acquire);
  if (memory_->holds(first)) return Tier::baseline;
  return index_.find(first) == kNoHandler ? Tier::hot : Tier::none;
}
Baseline::Tier Baseline::count_breakpoint(const Module& m, const Word* entry, Word now) {
  auto* code = static_cast<NativeCode*>(m.native.get());
  auto it = code ? code->functions.find(entry) : decltype(code->functions.end()){};
  if (!code || it == code->functions.end()) return Tier::none;
  ++it->second.returns;
  const CodeMemory::Block& b = code->blocks[it->second.block];
  if (now - reinterpret_cast<Word>(b.run) >= b.size) return Tier::hot;
  counters.traced.fetch_add(1, std::memory_order_relaxed);
  return Tier::baseline;
}
void Baseline::count_unloaded(const Module& m) {
  std::lock_guard lock(lock_);
  auto* code = static_cast<NativeCode*>(m.native.get());
  if (code) counters.unloaded.fetch_add(code->functions.size(), std::memory_order_relaxed);
}
void Baseline::restore_native_code(Module& m, Word* entry, const std::vector<Word>& native) {
  auto* code = static_cast<NativeCode*>(m.native.get());
  size_t k = 0;
  each_instruction(m, entry, code->handlers.data() + code->functions[entry].first,
                   [&](Word* at, uint16_t) {
                     std::atomic_ref(*at).store(native[k++], std::memory_order_release);
                   });
}

static void add_literals(const LoweredOp& op, LoweredFunction* out) {
  OperandKind kinds[3];
  Instr i = instr_of_handler(op.handler, kinds);
  for (unsigned k = 0; k < shape_operands(info_of(i).shape); ++k) {
    Word w = out->words[op.words + 1 + k];
    if (kinds[k] != OperandKind::c || !is_pointer(w)) continue;
    const Word* at = pointer_of(w);
    out->literals.push_back({at, at[0]});
    if (is_cons(w) || is_float(w)) out->literals.push_back({at + 1, at[1]});
  }
}
bool Baseline::lower_function(const Module& m, const Word* entry, LoweredFunction* out) {
  std::unique_lock lock(lock_, std::try_to_lock);
  auto* code = static_cast<NativeCode*>(m.native.get());
  if (!lock || !code) return false;
  auto it = code->functions.find(entry);
  if (it == code->functions.end()) return false;
  items_.clear();
  made_.assign(1, 0);
  const Word* end = end_of(m, entry);
  expect_floats_ = true;
  bool read_all = read(entry, end, code->handlers.data() + it->second.first);
  expect_floats_ = false;
  if (!read_all) return false;
  out->entry = entry;
  out->arity = entry_arity(entry);
  out->size = static_cast<size_t>(end - entry);
  out->words.assign(entry, end);
  out->words.insert(out->words.end(), made_.begin(), made_.end());
  for (const Item& item : items_) {
    auto words = item.made ? static_cast<uint32_t>(out->size + item.made) : item.at;
    out->list.push_back({item.at, words, item.made ? item.own : item.handler, item.handler,
                         !item.continues, item.stencil != nullptr});
  }
  for (const LoweredOp& p : out->list) add_literals(p, out);
  return true;
}

/// Lists the function's instructions. `handlers`: theirs, if its words have others by now.
bool Baseline::read(const Word* entry, const Word* end, const uint16_t* handlers) {
  for (const Word* at = entry; at < end;) {
    unsigned h = handlers      ? *handlers++
                 : at == entry ? entry_state(entry).first_handler
                               : index_.find(*at);
    if (h == kNoHandler) return false;
    size_t words = loaded_size(instr_of(h), at, end);
    if (!words) return false;
    Item item{.at = static_cast<uint32_t>(at - entry),
              .handler = static_cast<uint16_t>(h),
              .stencil = choose(h, at)};
    if (!lower(instr_of(h), at, item)) items_.push_back(item);
    at += words;
  }
  return true;
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
