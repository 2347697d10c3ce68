// Memory for linked code, as JITLink asks for it: blocks of a CodeMemory (vm/jit/code_memory.h),
// which is written at one address and executed at another, and lies where a jump reaches the
// interpreter's handlers.
#pragma once

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>

#include <map>
#include <mutex>

#include "vm/jit/code_memory.h"

namespace wb {

class OrcMemory final : public llvm::jitlink::JITLinkMemoryManager {
 public:
  explicit OrcMemory(std::unique_ptr<CodeMemory> memory) : memory_(std::move(memory)) {}
  void allocate(const llvm::jitlink::JITLinkDylib* library, llvm::jitlink::LinkGraph& graph,
                OnAllocatedFunction done) override;
  using JITLinkMemoryManager::allocate;
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction done) override;
  using JITLinkMemoryManager::deallocate;
  /// What was taken last.
  const CodeMemory::Block& last() const { return last_; }

 private:
  friend class OrcAllocation;
  void give_back(const uint8_t* run);
  std::unique_ptr<CodeMemory> memory_;
  std::mutex lock_;
  std::map<const uint8_t*, CodeMemory::Block> blocks_;
  CodeMemory::Block last_;
};

}  // namespace wb
