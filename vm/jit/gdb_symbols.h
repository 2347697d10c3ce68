// Names of native code for gdb (--gdb-symbols), by its JIT interface: a list of symbol files in
// memory, one for each block of code, and a function that gdb has a breakpoint in.
//
// The list belongs to the process, for gdb finds it by its name; LLVM's compilers know the same
// one. Costs some 700 bytes a function, and a stop for each while a debugger is attached.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

namespace wb {

class GdbSymbols {
 public:
  GdbSymbols();
  ~GdbSymbols();
  GdbSymbols(const GdbSymbols&) = delete;
  void add(const uint8_t* code, size_t size, const std::string& name);
  void forget(const uint8_t* code);

 private:
  struct File;
  std::unordered_map<const uint8_t*, std::unique_ptr<File>> files_;
};

}  // namespace wb
