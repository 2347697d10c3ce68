#include "loader/code_words.h"

#include <algorithm>

#include "loader/instruction_walk.h"

namespace wb {

namespace {
enum LayerFlag : uint8_t { kSeesCalls = 1, kGoesOn = 2 };
constexpr uint8_t kLayerFlags[] = {
#define LAYER(name, text, flags) flags,
#include "loader/code_layers.def"
#undef LAYER
};
constexpr unsigned kLayers = sizeof kLayerFlags;
constexpr unsigned index_of(Layer l) { return static_cast<unsigned>(l); }
constexpr uint8_t bit(Layer l) { return static_cast<uint8_t>(1u << index_of(l)); }
constexpr uint8_t layers_with(uint8_t flag) {
  uint8_t all = 0;
  for (unsigned l = 0; l < kLayers; ++l) {
    if (kLayerFlags[l] & flag) all |= static_cast<uint8_t>(1u << l);
  }
  return all;
}
constexpr uint8_t kInterceptors = layers_with(kSeesCalls);
constexpr uint8_t kNative = bit(Layer::baseline) | bit(Layer::llvm);

bool hides_native(const PatchStack& s) { return s.calls_itself && s.layers & kInterceptors; }
bool is_intercepted(const PatchStack& s) { return s.layers & kInterceptors; }

void add_size(std::vector<uint8_t>& to, uint32_t size) {
  for (; size >> 7; size >>= 7) to.push_back(static_cast<uint8_t>(size | 0x80));
  to.push_back(static_cast<uint8_t>(size));
}
uint32_t read_size(const uint8_t*& from) {
  uint32_t size = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t byte = *from++;
    size |= uint32_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return size;
  }
}

void store(Word* at, Word w) {
  std::atomic_ref word(*at);
  if (word.load(std::memory_order_relaxed) != w) word.store(w, std::memory_order_release);
}
}  // namespace

/// One instruction, as its layers see it.
struct CodeWords::Place {
  uint32_t at;
  unsigned handler;
  Word baseline;  ///< where its code is, if there is any
};
struct CodeWords::Function {
  Module& module;
  const Module::Function& function;
  Word* const entry;
  PatchStack& stack;

  /// f(place) for every instruction.
  template <class F>
  void each_place(F f) const {
    const uint8_t* sizes = nullptr;
    if (stack.has(Layer::baseline)) sizes = module.patches->sizes.data() + stack.sizes;
    Word code = stack.baseline;
    each_instruction(module, function, [&](uint32_t at, unsigned handler) {
      f(Place{at, handler, code});
      if (sizes) code += read_size(sizes);
    });
  }
  Place first() const { return {0, handlers_of(module, function)[0], stack.baseline}; }
};

CodeWords::CodeWords(const Word* handlers)
    : handlers_(handlers),
      warm_up_(handlers[info_of(Instr::warm_up).first_handler]),
      breakpoint_(handlers[info_of(Instr::breakpoint).first_handler]) {
  auto [lowest, highest] = std::minmax_element(handlers, handlers + kHandlerCount);
  lowest_ = *lowest, highest_ = *highest;
}

// --- what a stack says ---------------------------------------------------------------------------
/// 0: the layer has no word there.
Word CodeWords::word_of(const PatchStack& s, Layer l, const Place& p) const {
  switch (l) {
    case Layer::interpreted:
      return handlers_[p.handler];
    case Layer::warm_up:
      return p.at == 0 ? warm_up_ : 0;
    case Layer::baseline:
      return p.baseline;
    case Layer::llvm: {
      auto patch = std::ranges::lower_bound(s.llvm, p.at, {}, &Patch::at);
      return patch != s.llvm.end() && patch->at == p.at ? patch->word : 0;
    }
    case Layer::breakpoint:
      return p.at == 0 ? breakpoint_ : 0;
  }
  return 0;
}

/// The highest of `layers` that has a word there.
Layer CodeWords::highest(const PatchStack& s, uint8_t layers, const Place& p) const {
  layers &= s.layers;
  if (hides_native(s)) layers &= static_cast<uint8_t>(~kNative);
  for (unsigned l = kLayers; l-- > 1;) {
    if (layers >> l & 1 && word_of(s, static_cast<Layer>(l), p)) return static_cast<Layer>(l);
  }
  return Layer::interpreted;
}

void CodeWords::update(const Function& f, bool only_entry) const {
  const PatchStack& s = f.stack;
  constexpr uint8_t kAll = (1u << kLayers) - 1;
  auto store_word = [&](const Place& p) {
    store(f.entry + p.at, word_of(s, highest(s, kAll, p), p));
  };
  if (s.has(Layer::breakpoint)) {
    constexpr uint8_t kBelow = (bit(Layer::breakpoint) - 1) & ~bit(Layer::warm_up);
    const Place first = f.first();
    s.go_on->store(word_of(s, highest(s, kBelow, first), first), std::memory_order_release);
  }
  if (only_entry) {
    store_word(f.first());
  } else {
    f.each_place(store_word);
  }
}

// --- stacks --------------------------------------------------------------------------------------
/// Of a function of which nobody has anything yet.
PatchStack CodeWords::initial(const Module& m, const Word* entry) {
  PatchStack s;
  s.layers = bit(Layer::interpreted);
  if (m.warms_up && has_entry_handler(entry)) s.layers |= bit(Layer::warm_up);
  return s;
}

PatchStack CodeWords::stack_of(const Module& m, const Word* entry) {
  if (m.patches) {
    auto found = m.patches->functions.find(static_cast<uint32_t>(entry - m.code));
    if (found != m.patches->functions.end()) return found->second;
  }
  return initial(m, entry);
}

CodeWords::Function CodeWords::function(Module& m, Word* entry) {
  const Module::Function* f = m.function_at(entry);
  WB_CHECK(f && m.code + f->entry == entry);
  if (!m.patches) m.patches = std::make_unique<ModulePatches>();
  auto [at, is_new] = m.patches->functions.try_emplace(f->entry);
  if (is_new) at->second = initial(m, entry);
  return {m, *f, entry, at->second};
}

// --- an edit -------------------------------------------------------------------------------------
bool CodeWords::Edit::has(const Module& m, const Word* entry, Layer l) const {
  return stack_of(m, entry).has(l);
}
bool CodeWords::Edit::is_intercepted(const Module& m, const Word* entry) const {
  return wb::is_intercepted(stack_of(m, entry));
}
bool CodeWords::Edit::calls_itself(const Module& m, const Word* entry) const {
  return stack_of(m, entry).calls_itself;
}
uint32_t CodeWords::Edit::times_intercepted(const Module& m, const Word* entry) const {
  return stack_of(m, entry).intercepted;
}

std::vector<Word> CodeWords::Edit::words(const Module& m, const Word* entry, Layer l) const {
  std::vector<Word> all;
  PatchStack s = stack_of(m, entry);
  if (!s.has(l)) return all;
  Function f{const_cast<Module&>(m), *m.function_at(entry), const_cast<Word*>(entry), s};
  f.each_place([&](const Place& p) { all.push_back(words_.word_of(s, l, p)); });
  return all;
}

void CodeWords::Edit::set_baseline(Module& m, Word* entry, Word code,
                                   std::span<const uint32_t> sizes, bool calls_itself) {
  Function f = words_.function(m, entry);
  WB_CHECK(sizes.size() == handlers_of(m, f.function).size());
  PatchStack& s = f.stack;
  s.baseline = code;
  s.sizes = static_cast<uint32_t>(m.patches->sizes.size());
  for (uint32_t size : sizes) add_size(m.patches->sizes, size);
  s.calls_itself = calls_itself;
  s.layers |= bit(Layer::baseline);
  s.layers &= static_cast<uint8_t>(~bit(Layer::warm_up));
  words_.update(f, false);
}

void CodeWords::Edit::set_llvm(Module& m, Word* entry, std::vector<Patch> patches) {
  Function f = words_.function(m, entry);
  f.stack.llvm = std::move(patches);
  f.stack.layers |= bit(Layer::llvm);
  words_.update(f, false);
}

/// What the new layer is put on.
CodeWords::Covered CodeWords::cover(const Function& f, Layer l) {
  PatchStack& s = f.stack;
  const bool was_hidden = hides_native(s);
  constexpr uint8_t kCode = bit(Layer::breakpoint) - 1;
  const Covered covered{highest(s, kCode, f.first()), s.calls_itself && !was_hidden};
  if (s.layers & kNative) ++s.intercepted;
  s.layers |= bit(l);
  return covered;
}

CodeWords::Covered CodeWords::Edit::set_breakpoint(Module& m, Word* entry,
                                                   std::atomic<Word>* go_on) {
  Function f = words_.function(m, entry);
  f.stack.go_on = go_on;
  const Covered covered = words_.cover(f, Layer::breakpoint);
  words_.update(f, !f.stack.calls_itself);
  return covered;
}

void CodeWords::Edit::remove(Module& m, Word* entry, Layer l) {
  if (l == Layer::interpreted || !has(m, entry, l)) return;
  Function f = words_.function(m, entry);
  PatchStack& s = f.stack;
  const bool only_entry = !(bit(l) & kNative) && !s.calls_itself;
  s.layers &= static_cast<uint8_t>(~bit(l));
  if (l == Layer::llvm) s.llvm = {};
  if (l == Layer::breakpoint) s.go_on = nullptr;
  if (!(s.layers & kNative)) s.calls_itself = false;
  words_.update(f, only_entry);
}

}  // namespace wb
