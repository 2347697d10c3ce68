#include "vm/orc/kept_code.h"

#include <cpuid.h>

#include <algorithm>
#include <array>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/build_id.h"
#include "bytecode/instructions.h"
#include "loader/instruction_walk.h"
#include "loader/met_floats.h"
#include "term/atom.h"

namespace wb {

namespace {
constexpr size_t kMemoryLimit = size_t{128} << 20;
constexpr size_t kMostBytes = size_t{8} << 20;  // of a file

/// What the processor can do, and what made the code.
uint64_t key_of(const std::string& plugin) {
  struct {
    unsigned processor[4][4];
    BuildId plugin;
  } made_by{};
  unsigned(*leaf)[4] = made_by.processor;
  for (const unsigned number : {0u, 1u, 7u, 0x80000001u}) {
    auto& [a, b, c, d] = *leaf++;
    __get_cpuid_count(number, 0, &a, &b, &c, &d);
    if (number == 1)
      b = 0, c &= ~(1u << 27);  // which of the processors this is; OSXSAVE is the system's
  }
  (void)find_build_id(plugin, &made_by.plugin);
  return XXH3_64bits(&made_by, sizeof made_by);
}

const Module::Function* function_named(const Module& m, std::string_view name, uint32_t arity) {
  auto it = std::ranges::find_if(m.functions, [&](const Module::Function& f) {
    return f.arity == arity && atom_text(f.name) == name;
  });
  return it == m.functions.end() ? nullptr : &*it;
}
}  // namespace

KeptCode::KeptCode(const CodeTable& code, Baseline& baseline, const std::string& plugin)
    : code_(code), baseline_(baseline), key_(key_of(plugin)) {}
KeptCode::~KeptCode() = default;

// --- files ---------------------------------------------------------------------------------------
void KeptCode::read(const Module& m, KeptFunctions* kept) {
  if (std::exchange(kept->was_read, true)) return;
  ModuleImages* images = code_.images();
  if (!images || !m.image_key.bytes) return;
  kept->key = m.image_key;
  kept->key.beside = key_;
  ModuleImages::Memory memory(images);
  kept->all.read(images->read(kept->key, memory, images->hot_counts));
}

void KeptCode::write(const ImageKey& key, std::span<const uint8_t> file) {
  ModuleImages* images = code_.images();
  if (images && key.bytes && file.size() <= kMostBytes)
    images->write(key, file, images->hot_counts);
}

// --- of an image, what was compiled --------------------------------------------------------------
/// Numbers are only looked for in instructions that count what they have met.
bool KeptCode::expect_floats(const HotFunction& image, uint32_t of, Module& home,
                             const Word* entry) {
  size_t wanted = std::ranges::count(image.floats, of, &HotFunction::Float::of);
  if (!wanted) return true;
  each_instruction(home, *home.function_at(entry), [&](uint32_t offset, unsigned handler) {
    const Instr i = instr_of(handler);
    if (i != Instr::add && i != Instr::sub && i != Instr::mul) return;
    for (const HotFunction::Float& f : image.floats) {
      if (f.of != of || f.at != offset) continue;
      MetFloats::expect(const_cast<Word*>(entry) + offset);
      --wanted;
    }
  });
  return !wanted;
}

KeptCode::Found KeptCode::lower(const HotFunction& image, Module& m, const Word* entry,
                                LoweredFunction* f, std::vector<Module*>* homes) {
  if (!expect_floats(image, 0, m, entry)) return Found::never;
  if (!baseline_.lower_function(m, entry, f)) return Found::not_now;
  for (uint32_t k = 0; k < image.callees.size(); ++k) {
    const HotFunction::Name& n = image.callees[k];
    const Term name = intern(n.module);
    if (is_fault(name)) return Found::never;
    Module* const home = name == m.name ? &m : code_.find_module(name);
    if (!home) return Found::not_now;
    const Module::Function* callee = function_named(*home, n.function, n.arity);
    if (!callee) return Found::never;
    const Word* at = home->code + callee->entry;
    if (!expect_floats(image, k + 1, *home, at)) return Found::never;
    if (!baseline_.lower_function(*home, at, &f->callees.emplace_back(), false))
      return Found::not_now;
    homes->push_back(home);
  }
  return find_guesses(image, *homes, f) ? Found::yes : Found::never;
}

bool KeptCode::find_guesses(const HotFunction& image, const std::vector<Module*>& homes,
                            LoweredFunction* f) const {
  for (const HotFunction::Fun& fun : image.funs) {
    const Module& home = *homes[fun.callee];
    const Word* entry = f->callees[fun.callee].entry;
    if (fun.lambda >= home.funs.size() || home.code + home.fun_entries[fun.lambda] != entry)
      return false;
    const FunEntry* found = home.funs[fun.lambda];
    if (found->arity != fun.arity || found->free_count != fun.free) return false;
    f->funs.push_back({entry, fun.arity, fun.free, reinterpret_cast<Word>(found)});
  }
  for (const HotFunction::Exported& e : image.exports) {
    const Term module = intern(e.target.module), function = intern(e.target.function);
    if (is_fault(module) || is_fault(function)) return false;
    const Export* target = code_.find_export(module, function, e.target.arity);
    if (!target) return false;
    f->exports.push_back({reinterpret_cast<Word>(target), f->callees[e.callee].entry});
  }
  return true;
}

bool KeptCode::place(const HotFunction& image, const LoweredFunction& f, OrcCompiler::Result* out) {
  const Symbols symbols(f);
  if (symbols.digest() != image.digest || !image.code.is_sound(f.size)) return false;
  std::vector<Word> values;
  for (const Symbol& s : image.code.symbols) {
    if (!symbols.value_of(s, &values.emplace_back())) return false;
  }
  const CodeImage& code = image.code;
  const CodeMemory::Block block = allocate(code.bytes.size() + CodeImage::kAlignment);
  if (!block.write) return false;
  const size_t skip = -reinterpret_cast<Word>(block.run) % CodeImage::kAlignment;
  const uint8_t* run = block.run + skip;
  if (!code.place(block.write + skip, run, values, code_.handlers())) {
    give_back(block);
    return false;
  }
  for (const CodeImage::Entry& e : code.entries)
    out->entries.push_back({e.at, reinterpret_cast<Word>(run + e.code)});
  out->lines = code.lines;
  out->handlers = code.handlers;
  out->code = new CodeMemory::Block(block);
  out->block = run;
  out->bytes = code.bytes.size();
  return true;
}

CodeMemory::Block KeptCode::allocate(size_t bytes) {
  std::lock_guard lock(lock_);
  if (!memory_) {
    memory_ = CodeMemory::make(reinterpret_cast<const void*>(code_.handlers()[0]),
                               CodeMemory::Region::kept, kMemoryLimit, baseline_.names_for_perf());
  }
  return memory_ ? memory_->allocate(bytes) : CodeMemory::Block{};
}
void KeptCode::give_back(const CodeMemory::Block& block) {
  std::lock_guard lock(lock_);
  memory_->give_back(block);
}
void KeptCode::release(void* code) {
  const std::unique_ptr<CodeMemory::Block> block(static_cast<CodeMemory::Block*>(code));
  give_back(*block);
}

// --- and the other way round ---------------------------------------------------------------------
HotFunction KeptCode::describe(const LoweredFunction& f, const std::vector<const Module*>& homes) {
  HotFunction h;
  h.digest = Symbols(f).digest();
  auto callee_at = [&](const Word* entry) {
    auto is_it = [&](const LoweredFunction& c) { return c.entry == entry; };
    return static_cast<uint32_t>(std::ranges::find_if(f.callees, is_it) - f.callees.begin());
  };
  auto add_floats = [&](const LoweredFunction& from, uint32_t of) {
    for (const LoweredOp& op : from.list) {
      if (instr_of(op.handler) == Instr::one_float) h.floats.push_back({of, op.at});
    }
  };
  add_floats(f, 0);
  for (uint32_t k = 0; k < f.callees.size(); ++k) {
    const LoweredFunction& callee = f.callees[k];
    h.callees.push_back(
        {atom_text(homes[k]->name), atom_text(entry_function(callee.entry)), callee.arity});
    add_floats(callee, k + 1);
  }
  for (const LoweredFunction::SeenFun& s : f.funs) {
    const uint32_t callee = callee_at(s.entry);
    const auto& funs = homes[callee]->funs;
    const auto at = std::ranges::find(funs, reinterpret_cast<FunEntry*>(s.fun));
    h.funs.push_back({callee, s.arity, s.free, static_cast<uint32_t>(at - funs.begin())});
  }
  for (const LoweredFunction::SeenExport& s : f.exports) {
    const auto* e = reinterpret_cast<const Export*>(s.target);
    h.exports.push_back(
        {callee_at(s.entry), {atom_text(e->module), atom_text(e->function), e->arity}});
  }
  return h;
}

}  // namespace wb
