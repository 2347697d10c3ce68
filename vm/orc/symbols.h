// What a hot function's code depends on of this run of the machine, by name: its *symbols*. Code
// that refers to them by name can be kept for other runs (hot_image.h).
//
// Atoms, literals, exports, funs and code have other numbers and addresses in each run. They all
// come to a function through words of its operations, so a symbol is one of these words, and what
// it stands for in another run is found there, in the same function as loaded then. Nothing has to
// be named by text.
//
// Words that are equal are one symbol, and different ones are different symbols: LLVM may rely on
// both. Addresses in the function itself or in one that it has in line are all of one kind, *code*:
// which of these functions, and which word of it.
//
// digest() is of everything else: operations, operands that are the same in every run, and which
// words are equal. Code is good for a function of the same digest, if what the symbols stand for
// fits where it is written (code_image.h).
//
// What is not recognised as one of these is taken for a number that is the same in every run. Where
// that is wrong the digest is another in each run, and the code is not used.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vm/jit/lowered_function.h"

namespace wb {

struct Symbol {
  enum class Kind : uint8_t {
    code,     ///< the address of word `at` of function `of`
    catches,  ///< the catch tag of that word (term/term.h)
    atom,     ///< a term of less than 32 bits: the value number `at`
    object,   ///< a literal without its tag: the value number `at`
    address,  ///< of an export, a fun, a native function: the value number `at`
    counter,  ///< number `at` of those that its owner counts in
    count
  };
  Kind kind;
  uint32_t of;  ///< 0: the function itself, k + 1: its callee k
  uint32_t at;
  bool operator==(const Symbol&) const = default;
};

class Symbols {
 public:
  static constexpr uint32_t kExits = 0, kNoFloat = 1, kCounters = 2;

  /// Must not outlive `f`.
  explicit Symbols(const LoweredFunction& f);

  /// The function that a symbol's `of` means.
  const LoweredFunction& function(uint32_t of) const { return of == 0 ? f_ : f_.callees[of - 1]; }
  uint32_t functions() const { return static_cast<uint32_t>(1 + f_.callees.size()); }
  uint32_t number_of(const LoweredFunction& f) const {
    return &f == &f_ ? 0 : static_cast<uint32_t>(1 + (&f - f_.callees.data()));
  }
  /// Does word `k` of LoweredFunction::words of a function depend on the run?
  bool depends(uint32_t of, uint32_t k) const { return depends_[of][k]; }
  /// The symbol of a word that does, or of an address in one of the functions. False: there is
  /// none.
  bool find(Word value, Symbol* symbol) const;
  /// What a symbol stands for. False: it is none of this function's.
  bool value_of(const Symbol& symbol, Word* value) const;
  /// Is the content of a literal the same in every run?
  static bool is_constant(const LoweredFunction::Literal& l);
  uint64_t digest() const { return digest_; }

 private:
  struct Value {
    Word word;
    Symbol::Kind kind;
  };
  void read(uint32_t of);
  void read_operand(uint32_t of, uint32_t k, char kind);
  void add(Word w, Symbol::Kind kind);
  bool is_code(Word address, Symbol* symbol) const;
  void mix(uint64_t w) {
    digest_ = (digest_ ^ w) * 0x9fb21c651e98df25ull, digest_ ^= digest_ >> 32;
  }

  const LoweredFunction& f_;
  std::vector<std::vector<bool>> depends_;  ///< by function and word
  std::vector<Value> values_;
  std::unordered_map<Word, uint32_t> numbers_;  ///< of values_
  uint64_t digest_ = 0x9e3779b97f4a7c15;
};

}  // namespace wb
