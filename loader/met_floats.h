// Which additions, subtractions and multiplications meet floats: seen by the lower tiers, for the
// LLVM tier to know what to expect (docs/design.md, Three tiers, one semantics).
//
// The last word of these instructions is the number of live registers. Beside it stands how often
// the instruction has met a float, as long as it goes the slow way with them; that stops at
// kMany. Code that expects floats and meets others is given up (vm/orc/orc.h): then this word says
// that none is to be made again. Any thread may do both, in any order: it is a hint.
#pragma once

#include <atomic>

#include "base/base.h"
#include "bytecode/instructions.h"

namespace wb {

struct MetFloats {
  static constexpr Word kOne = Word{1} << 32, kMany = 255 * kOne, kNever = Word{1} << 40;

  static uint32_t live(const Word* instruction) { return static_cast<uint32_t>(load(instruction)); }
  static void count(const Word* instruction) {
    if (load(instruction) < kMany) word(instruction).fetch_add(kOne, std::memory_order_relaxed);
  }
  static bool expects(const Word* instruction) {
    Word w = load(instruction);
    return w >= kMany && !(w & kNever);
  }
  /// As if it had often met them.
  static void expect(Word* instruction) {
    Word w = load(instruction);
    if (w < kMany)
      word(instruction).compare_exchange_strong(w, w | kMany, std::memory_order_relaxed);
  }
  static void give_up(Word* instruction) {
    word(instruction).fetch_or(kNever, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kAt = instr::place::add::live;
  static_assert(kAt == instr::place::sub::live && kAt == instr::place::mul::live);
  static std::atomic_ref<Word> word(const Word* instruction) {
    return std::atomic_ref(const_cast<Word&>(instruction[kAt]));
  }
  static Word load(const Word* instruction) {
    return word(instruction).load(std::memory_order_relaxed);
  }
};

}  // namespace wb
