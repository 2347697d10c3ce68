// The owner of code words: the first words of loaded instructions, which decide what an instruction
// leads to. Nobody else writes them.
//
// A function is a *patch stack*: layers (code_layers.def) in a fixed order, each of which has words
// for some of the function's instructions. A word in the code always is what the highest layer that
// has one there says; it is computed from the stack and from nothing that stood there before. So
// whoever sets or removes a layer need not know which others there are, and they come and go in any
// order: LLVM's code may be installed below a breakpoint, a breakpoint set on a function that is
// still counting its calls, baseline code removed below both.
//
// What the lowest layer says follows from the instructions' identities: Module::instructions lists
// which handler each instruction has (instruction_walk.h). The emitter writes it, it never changes,
// and whoever walks loaded code reads it there; nothing is read out of patched words.
//
// Two rules go beyond the order of layers:
// - Native code of a function that calls itself does not pass the function's first word. Below a
//   layer that must see every call (kSeesCalls) it is *hidden*: neither its words nor LLVM's are in
//   the code. Who is inside it leaves it within a slice; set_...() says whether that must be waited
//   for. Functions in line elsewhere are the LLVM tier's business (vm/orc/orc.h).
// - A breakpoint goes on with what is below it. That word is kept up to date in `go_on`, which the
//   breakpoint brings along. The call counter is skipped there: it would begin the instruction
//   again.
//
// Locks: one, of this object. It is held by an Edit, so that several steps can be one: setting a
// breakpoint and invalidating what has the function in line, or looking for breakpoints and
// installing code. It is taken after the code table's, Breakpoints' and the baseline compiler's,
// before those of the LLVM tier; nothing below it waits. What exists of a function's stack is only
// looked at under it.
//
// Memory order: a word is stored with release order, after what it leads to is complete. A thread
// that runs code reads words one at a time, without a lock (interp/handler.h, WB_HANDLER_OF), and
// acquires what is behind them. It may see some words of a function changed and others not yet, in
// any order; that is sound because all layers do the same to the same registers, heap and stack,
// and any instruction may be reached in any form. What a removed layer's words led to may be freed
// when every scheduler has passed a safe point.
//
// Memory: two bytes an instruction for its identity; a stack for functions that have ever had more
// than the two lowest layers; for those with baseline code one more byte an instruction, the size
// of its code.
//
// Native functions of libraries (erlang:load_nif/2) are no layer: nothing of a word depends on
// them. The functions that they may replace begin with the instruction nif_slot (code.h), which
// every form of them has.
//
// Rejected: compare-and-swap from what each party believes stands there (every pair of layers needs
// a rule of its own, and one that finds something else must give up); a copy of all words of all
// layers (eight bytes an instruction and layer).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "loader/code.h"

namespace wb {

enum class Layer : uint8_t {
#define LAYER(name, text, flags) name,
#include "loader/code_layers.def"
#undef LAYER
};

/// A layer's word for one instruction.
struct Patch {
  uint32_t at;  ///< word offset from the function's entry
  Word word;
};

/// What is set on one function. Under an Edit.
struct PatchStack {
  uint8_t layers = 0;         ///< a bit each
  bool calls_itself = false;  ///< native code comes back to the entry without passing its word
  uint32_t intercepted = 0;   ///< how often a layer that sees every call was put on native code
  Word baseline = 0;          ///< address of the first instruction's code
  uint32_t sizes = 0;         ///< where in ModulePatches::sizes those of baseline code begin
  std::vector<Patch> llvm;    ///< in order
  std::atomic<Word>* go_on = nullptr;  ///< of the breakpoint

  bool has(Layer l) const { return layers >> static_cast<unsigned>(l) & 1; }
};

/// A module's stacks; in Module::patches.
struct ModulePatches {
  std::unordered_map<uint32_t, PatchStack> functions;  ///< by offset of the entry
  /// Bytes of each instruction's baseline code, seven bits a byte, the lowest first.
  std::vector<uint8_t> sizes;
};

class CodeWords {
 public:
  explicit CodeWords(const Word* handlers);

  /// What it meant to put a layer on a function.
  struct Covered {
    Layer runs;   ///< the layer whose code was reached by calls until now
    bool hidden;  ///< native code was hidden: somebody may still be in it
  };

  /// Changes, and looks at what may change; in one step for everybody else who has an Edit.
  class Edit {
   public:
    explicit Edit(CodeWords& words) : words_(words), lock_(words.lock_) {}

    // `entry` is a function's of `m`.
    bool has(const Module& m, const Word* entry, Layer l) const;
    /// Must all calls be seen by a layer?
    bool is_intercepted(const Module& m, const Word* entry) const;
    /// Has its native code calls that pass by its first word?
    bool calls_itself(const Module& m, const Word* entry) const;
    /// How often has a layer that sees every call been put on its native code?
    uint32_t times_intercepted(const Module& m, const Word* entry) const;
    /// The word that a layer, if it is there, has for each instruction, in order; 0: none.
    std::vector<Word> words(const Module& m, const Word* entry, Layer l) const;

    /// Code that begins at `code`, as many bytes for each instruction as `sizes` says. The calls
    /// need not be counted any more.
    void set_baseline(Module& m, Word* entry, Word code, std::span<const uint32_t> sizes,
                      bool calls_itself);
    /// `patches` are in order, one for an instruction.
    void set_llvm(Module& m, Word* entry, std::vector<Patch> patches);
    /// `go_on` must live as long as the layer is there.
    Covered set_breakpoint(Module& m, Word* entry, std::atomic<Word>* go_on);
    /// If it is there.
    void remove(Module& m, Word* entry, Layer l);

   private:
    CodeWords& words_;
    std::unique_lock<std::mutex> lock_;
  };

  /// Lies there a handler? Without a lock.
  bool is_handler(Word address) const { return address >= lowest_ && address <= highest_; }
  /// Are the function's calls still counted? Without a lock, so it may change.
  bool warms_up(const Word* entry) const { return load(entry) == warm_up_; }
  static Word load(const Word* at) {
    return std::atomic_ref(const_cast<Word&>(*at)).load(std::memory_order_acquire);
  }

 private:
  struct Place;
  struct Function;
  static PatchStack initial(const Module& m, const Word* entry);
  static PatchStack stack_of(const Module& m, const Word* entry);
  static Function function(Module& m, Word* entry);
  Word word_of(const PatchStack& s, Layer l, const Place& p) const;
  Layer highest(const PatchStack& s, uint8_t layers, const Place& p) const;
  void update(const Function& f, bool only_entry) const;
  Covered cover(const Function& f, Layer l);

  const Word* const handlers_;
  const Word warm_up_, breakpoint_;
  Word lowest_, highest_;
  std::mutex lock_;
};

}  // namespace wb
