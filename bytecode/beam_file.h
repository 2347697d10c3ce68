// A .beam file, taken apart: the container opened, every table read and bounds-checked.
//
// A file is hostile input. parse_beam() believes no count and no size in it: tables are allocated
// only after the bytes that would fill them have been seen, compressed data has a limit. What it
// does not look into is the code itself: decode.h reads that, validate.h proves it harmless.
//
// All spans point into the two buffers at the top, which never change: a BeamFile can be moved, not
// copied, and must outlive what is decoded from it.
#pragma once

#include <string>
#include <vector>

#include "base/md5.h"
#include "bytecode/byte_reader.h"
#include "bytecode/load_error.h"
#include "term/term.h"

namespace wb {

struct BeamImport {
  Term module, function;
  uint32_t arity;
};

struct BeamExport {  // also an entry of LocT
  Term function;
  uint32_t arity, label;
};

struct BeamLambda {
  Term name;
  uint32_t arity;  // of the implementing function: includes the free variables
  uint32_t label, index, num_free, old_uniq;
};

struct BeamLine {
  uint32_t file;  // index into line_files; 0 = Module.erl
  uint32_t line;  // 0 = no location
};

/// What the compiler claims about a register. A claim, not a proof: a file may lie.
struct BeamType {
  enum : uint16_t {
    atom = 1,
    bitstring = 2,
    match_context = 4,
    cons = 8,
    flo = 16,
    fun = 32,
    integer = 64,
    map = 128,
    nil = 256,
    pid = 512,
    port = 1024,
    reference = 2048,
    tuple = 4096,
    any = 0x1fff
  };
  uint16_t bits = any;
  bool has_range = false;
  int64_t min = 0, max = -1;
};

/// A native record that the module defines (OTP 29).
struct BeamRecord {
  struct Field {
    Term name;
    enum DefaultKind : uint8_t { none, immediate, literal } of = none;
    uint64_t value = 0;  // of its default: a term, or an index into literals
  };
  Term name;
  bool is_exported;
  std::vector<Field> fields;
};

struct BeamFile {
  BeamFile() = default;
  BeamFile(BeamFile&&) = default;
  BeamFile& operator=(BeamFile&&) = default;

  std::string name;                      // as given by the caller: for messages
  std::vector<uint8_t> container;        // the whole file, gunzipped
  std::vector<uint8_t> literal_storage;  // LitT, inflated

  std::vector<Term> atoms;  // [0] is [], [1] the module
  std::vector<BeamImport> imports;
  std::vector<BeamExport> exports;
  std::vector<BeamExport> locals;
  std::vector<BeamLambda> lambdas;
  std::vector<Bytes> literals;  // external terms, leading 131 included
  Bytes strings;

  std::vector<BeamLine> lines;          // [0] is "no location"
  std::vector<std::string> line_files;  // [0] is Module.erl
  std::vector<BeamType> types;          // [0] is any
  std::vector<BeamRecord> records;      // of distinct names, whose fields have distinct names

  uint32_t label_count = 0;  // labels are below this
  uint32_t function_count = 0;
  Bytes code;                                        // the instructions
  uint32_t code_base = 0;                            // their offset in the Code chunk
  Bytes attributes, compile_info, meta, debug_info;  // external terms; empty if absent
  Md5Digest md5{};

  Term module() const { return atoms[1]; }
};

/// Takes over `bytes` (a .beam file, possibly gzipped). Interns the file's atoms.
Result<BeamFile> parse_beam(std::vector<uint8_t> bytes, std::string name);
Result<BeamFile> read_beam_file(const std::string& path);

}  // namespace wb
