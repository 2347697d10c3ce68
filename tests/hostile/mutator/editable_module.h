// A module whose instructions can be changed and written again.
//
// Each instruction is kept with its bytes, so that a mutant costs only those it changes: it is a
// list of pieces, most of them the original's. What decode() knows is not changed here; the result
// is a file, which goes through all gates of the loader.
#pragma once

#include <string>
#include <vector>

#include "bytecode/beam_file.h"
#include "bytecode/decode.h"

namespace wb::mutator {

/// An operand by value: with the elements of a list and the words of a heap need.
struct Arg {
  Operand o;
  std::vector<Operand> elements;  ///< of a list; those are never lists themselves
  HeapNeed need;                  ///< of an alloc
};

struct Piece {
  uint8_t op = 0;  ///< may be no opcode at all
  std::vector<Arg> args;
};

class EditableModule {
 public:
  /// Nothing to be made of the file: *why says so.
  bool read(const std::string& path, std::string* why);

  struct Function {
    Term name;
    uint32_t arity;
    uint32_t begin, end;           ///< pieces
    std::vector<Arg> pool;         ///< every operand of the function
    std::vector<uint32_t> labels;  ///< numbers
  };

  const std::string& name() const { return name_; }
  const BeamFile& file() const { return file_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::string& bytes(uint32_t piece) const { return bytes_[piece]; }
  const std::vector<Function>& functions() const { return functions_; }
  /// All lists there are, by opcode.
  const std::vector<Arg>& lists_of(uint8_t op) const { return lists_[op]; }

  std::string encode(const Piece& p) const;
  /// A chunk ExpT with all functions.
  const std::string& all_exports() const { return all_exports_; }
  /// A chunk's data; empty: there is none.
  std::string chunk(std::string_view id) const;
  struct Replaced {
    std::string id, data;
  };
  /// The file with this code and these chunks.
  std::vector<uint8_t> file_with(const std::string& code,
                                 const std::vector<Replaced>& chunks) const;

 private:
  void encode(const Operand& o, const Arg* whole, std::string* out) const;
  bool rename();
  void take_apart(const CodeUnit& unit);
  void disarm_imports();

  std::string name_;
  std::vector<uint8_t> original_;
  BeamFile file_;
  std::vector<std::pair<std::string, std::string>> chunks_;
  std::string code_header_, all_exports_;
  std::vector<Piece> pieces_;
  std::vector<std::string> bytes_;
  std::vector<Function> functions_;
  std::vector<Arg> lists_[256];
  std::vector<std::pair<Term, uint32_t>> atom_index_;  ///< sorted
  uint32_t index_of(Term atom) const;
};

}  // namespace wb::mutator
