#include "vm/orc/plugin/image_recorder.h"

#include <llvm/ExecutionEngine/JITLink/x86_64.h>

namespace wb {

using namespace llvm;
using namespace llvm::jitlink;

void ImageRecorder::begin(const IrBuilder& builder) {
  image_ = {};
  symbols_.clear();
  for (const IrBuilder::Used& u : builder.symbols_used) {
    symbols_[u.variable->getName().str()] = static_cast<uint32_t>(image_.symbols.size());
    image_.symbols.push_back(u.symbol);
  }
}

/// When all is written: what is relative inside of the code is right wherever it lies.
void ImageRecorder::modifyPassConfig(orc::MaterializationResponsibility&, LinkGraph&,
                                     PassConfiguration& passes) {
  passes.PostFixupPasses.push_back([this](LinkGraph& graph) {
    if (!record(graph)) image_ = {};
    return Error::success();
  });
}

static bool is_in_memory(const Block& b) {
  return b.getSection().getMemLifetime() != orc::MemLifetime::NoAlloc;
}

bool ImageRecorder::record(LinkGraph& graph) {
  base_ = ~Word{0};
  for (const Block* b : graph.blocks()) {
    if (is_in_memory(*b)) base_ = std::min(base_, b->getAddress().getValue());
  }
  base_ &= ~(CodeImage::kAlignment - 1);
  for (const Block* b : graph.blocks()) {
    if (is_in_memory(*b) && !add_bytes(*b)) return false;
  }
  for (const Block* b : graph.blocks()) {
    if (!is_in_memory(*b)) continue;
    for (const Edge& e : b->edges()) {
      if (e.isRelocation() && !add_fixup(*b, e)) return false;
    }
  }
  return true;
}

bool ImageRecorder::add_bytes(const Block& block) {
  if (block.isZeroFill() || block.getAlignment() > CodeImage::kAlignment) return false;
  const uint64_t at = block.getAddress().getValue() - base_;
  const ArrayRef<char> content = block.getContent();
  if (image_.bytes.size() < at + content.size()) image_.bytes.resize(at + content.size());
  memcpy(image_.bytes.data() + at, content.data(), content.size());
  return true;
}

/// What a field means and to what it is added; false: one that is not known here.
static bool kind_of(Edge::Kind kind, CodeImage::Field* field, int64_t* addend) {
  switch (kind) {
    case x86_64::Pointer64:
      *field = CodeImage::Field::absolute64;
      return true;
    case x86_64::Pointer32:
    case x86_64::Pointer32Signed:
      *field = CodeImage::Field::absolute32;
      return true;
    case x86_64::PCRel32:
    case x86_64::BranchPCRel32:
      *addend -= 4;  // from the field's end
      [[fallthrough]];
    case x86_64::Delta32:
      *field = CodeImage::Field::relative32;
      return true;
    default:
      return false;
  }
}

bool ImageRecorder::refer(const jitlink::Symbol& target, CodeImage::Fixup* fixup,
                          int64_t* addend) const {
  if (target.isDefined()) {
    fixup->refers = CodeImage::Refers::itself;
    *addend += static_cast<int64_t>(target.getAddress().getValue() - base_);
    return true;
  }
  const StringRef name = target.getName();
  if (auto at = symbols_.find(std::string_view(name)); at != symbols_.end()) {
    fixup->refers = CodeImage::Refers::symbol;
    fixup->to = at->second;
    return true;
  }
  fixup->refers = CodeImage::Refers::handler;
  return name.starts_with("h") && !name.drop_front().getAsInteger(10, fixup->to);
}

bool ImageRecorder::add_fixup(const Block& block, const Edge& edge) {
  CodeImage::Fixup fixup{};
  int64_t addend = edge.getAddend();
  if (!kind_of(edge.getKind(), &fixup.field, &addend) || !refer(edge.getTarget(), &fixup, &addend))
    return false;
  const bool relative = fixup.field == CodeImage::Field::relative32;
  if (relative && fixup.refers == CodeImage::Refers::itself) return true;  // it is right
  fixup.at = static_cast<uint32_t>(block.getFixupAddress(edge).getValue() - base_);
  fixup.addend = static_cast<int32_t>(addend);
  const size_t size = fixup.field == CodeImage::Field::absolute64 ? 8 : 4;
  memset(image_.bytes.data() + fixup.at, 0, size);
  image_.fixups.push_back(fixup);
  return fixup.addend == addend;
}

}  // namespace wb
