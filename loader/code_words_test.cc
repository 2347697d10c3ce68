// Layers that come and go in any order, against the plain rule; and while other threads run the
// code.
#include "loader/code_words.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>

#include "loader/instruction_walk.h"

namespace wb {
namespace {

constexpr uint32_t kEntry = kHeaderWords;

/// A module of one function: trim 1, put_tuple of two, deallocate 1, return.
struct SmallModule {
  std::vector<Word> handlers;
  Module m;
  CodeWords words;
  Word* entry;

  static std::vector<Word> addresses() {
    std::vector<Word> all;
    for (unsigned h = 0; h < kHandlerCount; ++h) all.push_back(0x1000 + h * 16);
    return all;
  }
  explicit SmallModule(std::vector<Word> h = addresses(), bool warms_up = true)
      : handlers(std::move(h)), words(handlers.data()) {
    std::vector<Word> code(kHeaderWords);
    auto add = [&](Instr i, std::initializer_list<Word> operands) {
      m.instructions.push_back(info_of(i).first_handler);
      code.push_back(handlers[m.instructions.back()]);
      code.insert(code.end(), operands);
    };
    add(Instr::trim, {8});
    add(Instr::put_tuple, {0, 2, 0, 0});
    add(Instr::deallocate, {8});
    add(Instr::return_, {});
    m.functions.push_back({0, 0, 0, kEntry, 0});
    m.code_words = code.size();
    m.code = static_cast<Word*>(malloc(code.size() * sizeof(Word)));
    std::copy(code.begin(), code.end(), m.code);
    entry = m.code + kEntry;
    if (!warms_up) return;
    m.warms_up = true;
    set_entry_handler(entry, m.instructions[0]);
    *entry = handler(Instr::warm_up);
  }
  Word handler(Instr i) const { return handlers[info_of(i).first_handler]; }
  std::vector<uint32_t> offsets() const {
    std::vector<uint32_t> all;
    each_instruction(m, m.functions[0], [&](uint32_t at, unsigned) { all.push_back(at); });
    return all;
  }
  std::vector<Word> now() const {
    std::vector<Word> all;
    for (uint32_t at : offsets()) all.push_back(CodeWords::load(entry + at));
    return all;
  }
};

constexpr Word kNative = 0x700000, kHot = 0x900000;
constexpr uint32_t kSizes[] = {10, 300, 5, 7};

void set(SmallModule& s, Layer l, bool calls_itself, std::atomic<Word>* go_on) {
  CodeWords::Edit edit(s.words);
  switch (l) {
    case Layer::interpreted:
    case Layer::warm_up:
      FAIL("is there from the beginning");
      break;
    case Layer::baseline:
      edit.set_baseline(s.m, s.entry, kNative, kSizes, calls_itself);
      break;
    case Layer::llvm:
      edit.set_llvm(s.m, s.entry, {{0, kHot}, {s.offsets()[2], kHot + 64}});
      break;
    case Layer::breakpoint:
      edit.set_breakpoint(s.m, s.entry, go_on);
      break;
  }
}

/// What the words must be, said once more in other words.
struct Rule {
  bool counts = true, baseline = false, llvm = false, breakpoint = false;
  bool calls_itself = false;

  bool& of(Layer l) {
    return l == Layer::baseline     ? baseline
           : l == Layer::llvm       ? llvm
           : l == Layer::breakpoint ? breakpoint
                                    : counts;
  }
  std::vector<Word> below(const SmallModule& s) const {
    std::vector<Word> all;
    for (uint16_t h : s.m.instructions) all.push_back(s.handlers[h]);
    const bool hidden = calls_itself && breakpoint;
    if (baseline && !hidden) all = {kNative, kNative + 10, kNative + 310, kNative + 315};
    if (llvm && !hidden) all[0] = kHot, all[2] = kHot + 64;
    return all;
  }
  std::vector<Word> words(const SmallModule& s) const {
    std::vector<Word> all = below(s);
    if (breakpoint) {
      all[0] = s.handler(Instr::breakpoint);
    } else if (counts && !baseline && !llvm) {
      all[0] = s.handler(Instr::warm_up);
    }
    return all;
  }
};

}  // namespace

TEST_CASE("code words: what an instruction is does not depend on its word", "[code_words]") {
  SmallModule s;
  CHECK(s.offsets() == std::vector<uint32_t>{0, 2, 7, 9});
  for (uint32_t at : s.offsets()) s.entry[at] = 1;
  CHECK(s.offsets() == std::vector<uint32_t>{0, 2, 7, 9});
}

TEST_CASE("code words: layers come and go in any order", "[code_words]") {
  constexpr Layer kComing[] = {Layer::baseline, Layer::llvm, Layer::breakpoint};
  std::mt19937 random(1);
  for (int run = 0; run < 400; ++run) {
    SmallModule s(SmallModule::addresses(), run % 3 != 0);
    std::atomic<Word> go_on{0};
    Rule rule;
    rule.counts = s.m.warms_up;
    const bool calls_itself = run % 2;
    for (int step = 0; step < 12; ++step) {
      // LLVM compiles what has baseline code.
      const Layer l = kComing[random() % 3];
      bool on = !rule.of(l);
      if (l == Layer::llvm && !rule.baseline) continue;
      if (l == Layer::baseline && rule.llvm) on = true;
      if (on) {
        set(s, l, calls_itself, &go_on);
      } else {
        CodeWords::Edit(s.words).remove(s.m, s.entry, l);
      }
      rule.of(l) = on;
      if (l == Layer::baseline) {
        rule.counts &= !on;
        rule.calls_itself = on && calls_itself;
      }
      INFO("run " << run << ", step " << step);
      CHECK(s.now() == rule.words(s));
      if (rule.breakpoint) CHECK(go_on == rule.below(s)[0]);
    }
  }
}

// Where a native function of a library stands (nif_slot): every form of the code reads it there.
TEST_CASE("code words: operands are left alone by all layers", "[code_words]") {
  SmallModule s;
  s.entry[1] = 0x1234560;
  const std::vector<Word> code(s.m.code, s.m.code + s.m.code_words);
  std::atomic<Word> go_on{0};
  auto operands_stay = [&] {
    const std::vector<uint32_t> firsts = s.offsets();
    for (uint32_t at = 0; at < code.size() - kEntry; ++at) {
      if (!std::ranges::count(firsts, at) && s.entry[at] != code[kEntry + at]) return false;
    }
    return true;
  };
  for (Layer l : {Layer::breakpoint, Layer::baseline, Layer::llvm}) {
    set(s, l, true, &go_on);
    CHECK(operands_stay());
  }
  for (Layer l : {Layer::baseline, Layer::breakpoint, Layer::llvm}) {
    CodeWords::Edit(s.words).remove(s.m, s.entry, l);
    CHECK(operands_stay());
  }
}

TEST_CASE("code words: what a breakpoint covers", "[code_words]") {
  SmallModule s;
  std::atomic<Word> go_on{0};
  CodeWords::Edit edit(s.words);
  CodeWords::Covered on_counter = edit.set_breakpoint(s.m, s.entry, &go_on);
  CHECK(on_counter.runs == Layer::warm_up);
  CHECK(!on_counter.hidden);
  CHECK(go_on == s.handler(Instr::trim));
  edit.set_baseline(s.m, s.entry, kNative, kSizes, true);
  CHECK(go_on == s.handler(Instr::trim));  // it would pass the breakpoint by
  edit.remove(s.m, s.entry, Layer::breakpoint);
  CHECK(s.now()[0] == kNative);
  CHECK(edit.times_intercepted(s.m, s.entry) == 0);
  CodeWords::Covered on_native = edit.set_breakpoint(s.m, s.entry, &go_on);
  CHECK(on_native.runs == Layer::baseline);
  CHECK(on_native.hidden);
  CHECK(edit.times_intercepted(s.m, s.entry) == 1);
  CHECK(edit.words(s.m, s.entry, Layer::baseline)[2] == kNative + 310);
}

// A reader goes from word to word as a scheduler does and reads what each leads to, which was
// written before the word was, without any other synchronisation. Run under ThreadSanitizer (make
// test-full).
TEST_CASE("code words: layers change while others run the code", "[code_words]") {
  struct alignas(16) Code {
    Layer layer;
    uint64_t twice[2];  // equal once it is complete
  };
  std::deque<Code> handlers(kHandlerCount, Code{Layer::interpreted, {7, 7}});
  std::vector<Word> addresses;
  for (Code& c : handlers) addresses.push_back(reinterpret_cast<Word>(&c));
  SmallModule s(addresses);
  handlers[info_of(Instr::warm_up).first_handler].layer = Layer::warm_up;
  handlers[info_of(Instr::breakpoint).first_handler].layer = Layer::breakpoint;
  std::atomic<bool> stop{false};
  std::atomic<Word> go_on{addresses[0]};
  constexpr int kChanges = 2000;

  auto change = [&](Layer layer, uint64_t seed) {
    std::vector<std::unique_ptr<Code[]>> kept;  // freed when nobody runs it any more
    for (int k = 0; k < kChanges; ++k) {
      auto made = std::make_unique<Code[]>(4);
      for (int c = 0; c < 4; ++c) made[c] = {layer, {seed + k, seed + k}};
      auto code = reinterpret_cast<Word>(made.get());
      kept.push_back(std::move(made));
      constexpr uint32_t kEach[] = {sizeof(Code), sizeof(Code), sizeof(Code), sizeof(Code)};
      CodeWords::Edit edit(s.words);
      if (layer == Layer::baseline) edit.set_baseline(s.m, s.entry, code, kEach, k % 2);
      if (layer == Layer::llvm) edit.set_llvm(s.m, s.entry, {{0, code}, {7, code + sizeof(Code)}});
      if (layer == Layer::breakpoint) edit.set_breakpoint(s.m, s.entry, &go_on);
      if (k % 3 == 0) edit.remove(s.m, s.entry, layer);
    }
    return kept;
  };
  auto run = [&] {
    uint64_t wrong = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      for (uint32_t at : {0, 2, 7, 9}) {
        auto* code = reinterpret_cast<const Code*>(CodeWords::load(s.entry + at));
        wrong += code->twice[0] != code->twice[1];
        if (at) wrong += code->layer > Layer::llvm || code->layer == Layer::warm_up;
        if (code->layer != Layer::breakpoint) continue;
        code = reinterpret_cast<const Code*>(go_on.load(std::memory_order_acquire));
        wrong += code->twice[0] != code->twice[1] || code->layer == Layer::breakpoint;
      }
    }
    return wrong;
  };
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> readers, writers;
  std::vector<std::vector<std::unique_ptr<Code[]>>> kept(3);
  for (int k = 0; k < 2; ++k) readers.emplace_back([&] { wrong += run(); });
  constexpr Layer kLayers[] = {Layer::baseline, Layer::llvm, Layer::breakpoint};
  for (size_t k = 0; k < 3; ++k) {
    writers.emplace_back([&, k] { kept[k] = change(kLayers[k], 1000 * (k + 1)); });
  }
  for (std::thread& t : writers) t.join();
  stop = true;
  for (std::thread& t : readers) t.join();
  CHECK(wrong == 0);
  CodeWords::Edit edit(s.words);
  for (Layer l : kLayers) edit.remove(s.m, s.entry, l);
  for (Word w : s.now()) CHECK(reinterpret_cast<const Code*>(w)->layer == Layer::interpreted);
}

}  // namespace wb
