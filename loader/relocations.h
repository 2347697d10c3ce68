// What the emitter notes of a module for its image: which words to write anew, and what it asked
// the code table.
//
// Terms are noted by what they are: an atom by its text, a literal by its index in the file, one
// that the emitter has made by its external form.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "bytecode/beam_file.h"
#include "loader/code.h"

namespace wb {

class CodeTable;

enum class Relocation : uint8_t {
#define RELOCATION(kind, holds, image) kind,
#include "loader/relocations.def"
  count
};
constexpr size_t kRelocations = static_cast<size_t>(Relocation::count);

class Relocations {
 public:
  struct Place {
    uint32_t at;  ///< word
    uint32_t value;
  };
  /// An export that code refers to, or of which the emitter or the validator wanted to know what
  /// the machine has for it.
  struct Reference {
    enum : uint32_t { kBif = 1, kBuiltin = 2, kGuard = 4, kAsked = 7, kImported = 8, kLinked = 16 };
    uint32_t module, function;  ///< atoms of the image
    uint32_t arity;
    uint32_t flags;
  };

  Relocations(const CodeTable& table, const BeamFile& file);

  void add(Relocation kind, uint32_t at, uint64_t value) {
    places_[static_cast<size_t>(kind)].push_back({at, static_cast<uint32_t>(value)});
  }
  /// The file's literals, as decoded.
  void name_literals(const std::vector<Term>& literals);
  /// A word that holds `t`, which may be a number or [].
  void add_term(uint32_t at, Term t);
  /// `code` refers to it.
  uint32_t link(Term module, Term function, uint32_t arity);
  /// What the machine has for it matters; it need not exist.
  uint32_t ask(Term module, Term function, uint32_t arity);
  uint32_t atom(Term t);
  /// The code as emitted, with words of an image in those that depend on this run.
  void take_code(std::vector<Word> code);

  const std::vector<Place>& places(Relocation kind) const {
    return places_[static_cast<size_t>(kind)];
  }
  const std::vector<Word>& code() const { return code_; }
  const std::vector<Term>& atoms() const { return atoms_; }
  const std::vector<Reference>& references() const { return references_; }
  const std::vector<Term>& made() const { return made_; }  ///< literals by the emitter

  /// Reference::kAsked of what the machine has.
  static uint32_t answers(const CodeTable& table, Term module, Term function, uint32_t arity);

 private:
  struct Mfa {
    Term module, function;
    uint32_t arity;
    bool operator==(const Mfa&) const = default;
  };
  struct MfaHash {
    size_t operator()(const Mfa& k) const {
      return (k.module * 31 + k.function) * 0x9e3779b97f4a7c15 + k.arity;
    }
  };

  const CodeTable& table_;
  std::array<std::vector<Place>, kRelocations> places_;
  std::vector<Word> code_;
  std::vector<Term> atoms_, made_;
  std::unordered_map<Term, uint32_t> atom_index_, literal_index_, made_index_;
  std::vector<Reference> references_;
  std::unordered_map<Mfa, uint32_t, MfaHash> reference_index_;
};

}  // namespace wb
