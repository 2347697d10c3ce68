#include "vm/orc/plugin/memory.h"

namespace wb {

using namespace llvm;
using namespace llvm::jitlink;

/// Linked and not yet in use.
class OrcAllocation final : public JITLinkMemoryManager::InFlightAlloc {
 public:
  OrcAllocation(OrcMemory& memory, const uint8_t* run) : memory_(memory), run_(run) {}
  void abandon(OnAbandonedFunction done) override {
    memory_.give_back(run_);
    done(Error::success());
  }
  void finalize(OnFinalizedFunction done) override {
    done(JITLinkMemoryManager::FinalizedAlloc(orc::ExecutorAddr::fromPtr(run_)));
  }

 private:
  OrcMemory& memory_;
  const uint8_t* run_;
};

void OrcMemory::allocate(const JITLinkDylib*, LinkGraph& graph, OnAllocatedFunction done) {
  BasicLayout layout(graph);
  Align alignment;
  size_t size = 0;
  auto allocate_segment = [&](const BasicLayout::Segment& s) {
    alignment = std::max(alignment, s.Alignment);
    size = alignTo(size, s.Alignment);
    size_t at = size;
    size += s.ContentSize + s.ZeroFillSize;
    return at;
  };
  for (auto& [group, segment] : layout.segments()) allocate_segment(segment);
  CodeMemory::Block block;
  {
    std::lock_guard lock(lock_);
    block = memory_->allocate(size + alignment.value());
    if (!block.write) {
      done(make_error<StringError>("no memory for code is left", inconvertibleErrorCode()));
      return;
    }
    blocks_[block.run] = block;
    last_ = block;
  }
  // JITLink aligns addresses and bytes each by itself, so both begin aligned.
  size_t begin = offsetToAlignedAddr(block.run, alignment);
  size = 0;
  for (auto& [group, segment] : layout.segments()) {
    size_t at = begin + allocate_segment(segment);
    segment.Addr = orc::ExecutorAddr::fromPtr(block.run + at);
    segment.WorkingMem = reinterpret_cast<char*>(block.write + at);
    memset(segment.WorkingMem + segment.ContentSize, 0, segment.ZeroFillSize);
  }
  if (Error e = layout.apply()) {
    give_back(block.run);
    done(std::move(e));
    return;
  }
  done(std::make_unique<OrcAllocation>(*this, block.run));
}

void OrcMemory::deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction done) {
  for (FinalizedAlloc& a : allocations) give_back(a.release().toPtr<const uint8_t*>());
  done(Error::success());
}

void OrcMemory::give_back(const uint8_t* run) {
  std::lock_guard lock(lock_);
  auto node = blocks_.extract(run);
  memory_->give_back(node.mapped());
}

}  // namespace wb
