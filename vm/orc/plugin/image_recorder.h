// Notes, while JITLink links a function's code, what becomes of it apart from this run
// (../code_image.h): the bytes, and the fields that refer to something outside.
#pragma once

#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>

#include <map>
#include <string>

#include "vm/orc/code_image.h"
#include "vm/orc/plugin/ir_builder.h"

namespace wb {

class ImageRecorder final : public llvm::orc::ObjectLinkingLayer::Plugin {
 public:
  /// The next that is linked is this.
  void begin(const IrBuilder& builder);
  /// Without bytes: it has fields that cannot be written anew.
  CodeImage take() { return std::move(image_); }
  Word base() const { return base_; }  ///< where its first byte lies

  void modifyPassConfig(llvm::orc::MaterializationResponsibility&, llvm::jitlink::LinkGraph&,
                        llvm::jitlink::PassConfiguration& passes) override;
  llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility&) override {
    return llvm::Error::success();
  }
  llvm::Error notifyRemovingResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey,
                                   llvm::orc::ResourceKey) override {}

 private:
  bool record(llvm::jitlink::LinkGraph& graph);
  bool add_bytes(const llvm::jitlink::Block& block);
  bool add_fixup(const llvm::jitlink::Block& block, const llvm::jitlink::Edge& edge);
  bool refer(const llvm::jitlink::Symbol& target, CodeImage::Fixup* fixup, int64_t* addend) const;

  std::map<std::string, uint32_t, std::less<>> symbols_;  ///< by their names in the object
  CodeImage image_;
  Word base_ = 0;
};

}  // namespace wb
