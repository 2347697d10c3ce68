// The code of earlier runs in this one: finds a hot function's image (hot_image.h) for a function
// as it was loaded, places it, and gathers what this run has compiled for the next.
//
// Files are read when the first function of their module asks, and written by write(): when the
// compiler has nothing to do, and at the end. What another machine has written meanwhile to the
// same file is lost: it will be compiled once more.
//
// Code made for another processor or by another plugin has other files (the key): the plugin is
// known by its build id. A program that was built without it brings code that it has made, and
// has the plugin's first bytes in a file of their own, for that id.
//
// One lock for memory and files. A KeptFunctions belongs to who has it, with a lock of theirs.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "loader/code_table.h"
#include "loader/module_images.h"
#include "vm/jit/baseline.h"
#include "vm/jit/code_memory.h"
#include "vm/orc/compiler.h"
#include "vm/orc/hot_image.h"

namespace wb {

/// Of one module.
struct KeptFunctions {
  HotFunctions all;
  bool was_read = false;
  bool changed = false;  ///< since it was written
  ImageKey key{};
};

class KeptCode final : public CodeOwner {
 public:
  /// `plugin`: the file, or its first bytes; it need not be there.
  KeptCode(const CodeTable& code, Baseline& baseline, const std::string& plugin);
  ~KeptCode() override;

  /// Reads what there is of `m`, once.
  void read(const Module& m, KeptFunctions* kept);
  /// What HotFunctions::write() has made.
  void write(const ImageKey& key, std::span<const uint8_t> file);

  enum class Found : uint8_t { yes, not_now, never };
  /// Makes `f` of the function at `entry` and of the callees that the image says. `homes`: of each
  /// callee the module. not_now: something is not loaded, or somebody compiles.
  Found lower(const HotFunction& image, Module& m, const Word* entry, LoweredFunction* f,
              std::vector<Module*>* homes);
  /// For `f`, which has its counters. False: it is for another function, or there is no memory.
  bool place(const HotFunction& image, const LoweredFunction& f, OrcCompiler::Result* out);
  void release(void* code) override;

  /// What is to be kept of a function, but for its code. `homes`: of each callee the module.
  static HotFunction describe(const LoweredFunction& f, const std::vector<const Module*>& homes);

 private:
  CodeMemory::Block allocate(size_t bytes);
  void give_back(const CodeMemory::Block& block);
  bool expect_floats(const HotFunction& image, uint32_t of, Module& home, const Word* entry);
  bool find_guesses(const HotFunction& image, const std::vector<Module*>& homes,
                    LoweredFunction* f) const;

  const CodeTable& code_;
  Baseline& baseline_;
  const uint64_t key_;  ///< of processor and plugin
  std::mutex lock_;
  std::unique_ptr<CodeMemory> memory_;  ///< made with the first code
};

}  // namespace wb
