// What is kept of a module's hot functions for later runs: the code that LLVM has made of each, and
// of what. A file a module, beside its image (loader/module_images.h).
//
//   number of functions; for each: name, arity, and as a list of bytes, unless it is only wanted,
//     digest (symbols.h); callees in line; what funs and exports were seen to lead to;
//     instructions for which floats are expected; the code (code_image.h)
//
// Nothing in it is believed: numbers are looked at, names are looked up, and the digest of the
// function as it was loaded must be that of the one which was compiled. But the code itself is not
// proven harmless by anything but the file's checksum and owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/orc/code_image.h"

namespace wb {

struct HotFunction {
  struct Name {
    std::string_view module, function;
    uint32_t arity;
  };
  /// A fun among the arguments: a callee, and which fun of the callee's module.
  struct Fun {
    uint32_t callee, arity, free, lambda;
  };
  struct Exported {
    uint32_t callee;
    Name target;
  };
  /// An instruction: word `at` of function `of`, as in Symbol.
  struct Float {
    uint32_t of, at;
  };
  uint64_t digest = 0;
  std::vector<Name> callees;
  std::vector<Fun> funs;
  std::vector<Exported> exports;
  std::vector<Float> floats;
  CodeImage code;
};

std::vector<uint8_t> write_hot_function(const HotFunction& f);
/// Its texts are in `bytes`. Nothing: it is none.
std::optional<HotFunction> read_hot_function(std::span<const uint8_t> bytes);

/// A module's, in the file's form.
class HotFunctions {
 public:
  struct Item {
    std::string name;
    uint32_t arity;
    /// So many runs have ended before its code was made: it is wanted, and there are no bytes.
    uint32_t tries = 0;
    std::vector<uint8_t> bytes;
  };
  static constexpr uint32_t kMostTries = 3;  ///< then it may get hot as any other
  const Item* find(std::string_view name, uint32_t arity) const;
  /// In the place of another of this name.
  void put(Item item);
  bool empty() const { return items_.empty(); }
  std::vector<uint8_t> write() const;
  /// False: it is none; nothing has changed.
  bool read(std::span<const uint8_t> file);

 private:
  std::vector<Item> items_;
};

}  // namespace wb
