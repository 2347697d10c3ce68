// The plugin: LLVM, statically linked, behind OrcCompiler.
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/ObjectTransformLayer.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>

#include <set>

#include "base/processor_time.h"
#include "vm/orc/compiler.h"
#include "vm/orc/plugin/image_recorder.h"
#include "vm/orc/plugin/ir_builder.h"
#include "vm/orc/plugin/lines.h"
#include "vm/orc/plugin/memory.h"
#include "vm/orc/plugin/optimiser.h"

namespace wb {

namespace {

using namespace llvm;
using namespace llvm::orc;

constexpr size_t kMemoryLimit = size_t{128} << 20;

class Compiler final : public OrcCompiler {
 public:
  explicit Compiler(const Word* handlers) : handlers_(handlers) {}
  bool open(bool for_perf);
  bool compile(const LoweredFunction& function, bool with_ir, Result* out) override;
  void release(void* code) override {
    ResourceTrackerSP tracker(static_cast<ResourceTracker*>(code));
    tracker->Release();  // what release() of the smart pointer's owner gave away
    consumeError(tracker->remove());
  }

 private:
  Error link(std::unique_ptr<llvm::Module> module, const IrBuilder& builder, Result* out);
  void add_lines(const IrBuilder& builder, Result* out) const;
  Error define_handlers(const std::vector<unsigned>& used);
  Error define_symbols(const IrBuilder& builder, ResourceTrackerSP tracker);
  void add_image(const IrBuilder& builder, Result* out);

  const Word* const handlers_;
  ThreadSafeContext context_{std::make_unique<LLVMContext>()};
  OrcMemory* memory_ = nullptr;  // jit_'s
  std::unique_ptr<LLJIT> jit_;
  std::unique_ptr<HandlerLibrary> library_;
  std::unique_ptr<Optimiser> optimiser_;
  std::set<unsigned> defined_;
  const std::shared_ptr<ImageRecorder> recorder_ = std::make_shared<ImageRecorder>();
  ObjectLines lines_;  ///< of the object that was made last
  uint64_t made_ = 0;
};

/// Passes that find nothing to do in our code, and look for long: AVX-512's mask registers.
static void leave_out_passes() {
  static const char* const kOptions[] = {"whitebeam", "-disable-x86-domain-reassignment"};
  cl::ParseCommandLineOptions(std::size(kOptions), kOptions);
}

bool Compiler::open(bool for_perf) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  leave_out_passes();
  auto code = CodeMemory::make(reinterpret_cast<const void*>(handlers_[0]), CodeMemory::Region::hot,
                               kMemoryLimit, for_perf);
  if (!code) return false;
  auto target = JITTargetMachineBuilder::detectHost();
  if (!target) return consumeError(target.takeError()), false;
  target->setRelocationModel(Reloc::PIC_);
  // What depends on the run lies anywhere, handlers and the code itself near.
  target->setCodeModel(CodeModel::Medium);
  target->setCodeGenOptLevel(CodeGenOptLevel::Less);
  auto memory = std::make_unique<OrcMemory>(std::move(code));
  memory_ = memory.get();
  auto jit = LLJITBuilder()
                 .setJITTargetMachineBuilder(*target)
                 .setPlatformSetUp(setUpInactivePlatform)
                 .setLinkProcessSymbolsByDefault(false)
                 .setObjectLinkingLayerCreator([&](ExecutionSession& session, const Triple&) {
                   auto layer = std::make_unique<ObjectLinkingLayer>(session, std::move(memory));
                   layer->addPlugin(recorder_);
                   return layer;
                 })
                 .create();
  if (!jit) return consumeError(jit.takeError()), false;
  jit_ = std::move(*jit);
  jit_->getObjTransformLayer().setTransform(
      [this](std::unique_ptr<MemoryBuffer> object) -> Expected<std::unique_ptr<MemoryBuffer>> {
        lines_ = read_lines(object->getMemBufferRef());
        return std::move(object);
      });
  library_ = std::make_unique<HandlerLibrary>(*context_.getContext());
  auto machine = target->createTargetMachine();
  if (!machine) return consumeError(machine.takeError()), false;
  optimiser_ = std::make_unique<Optimiser>(std::move(*machine));
  return true;
}

bool Compiler::compile(const LoweredFunction& function, bool with_ir, Result* out) {
  auto module =
      std::make_unique<llvm::Module>("f" + std::to_string(made_++), *context_.getContext());
  module->setDataLayout(jit_->getDataLayout());
  module->setTargetTriple(jit_->getTargetTriple().str());
  uint64_t begin = processor_time();
  Unit unit(function);
  IrBuilder builder(*module, unit, *library_);
  builder.run();
  uint64_t built = processor_time();
  if (with_ir) out->ir = optimiser_->print(*module);
  if (!optimiser_->run(*module, unit, builder, &out->error)) return false;
  if (with_ir) out->ir += optimiser_->print(*module);
  uint64_t optimised = processor_time();
  if (Error e = link(std::move(module), builder, out)) {
    out->error = toString(std::move(e));
    return false;
  }
  out->building_ns = built - begin;
  out->optimising_ns = optimised - built;
  out->linking_ns = processor_time() - optimised;
  return true;
}

Error Compiler::define_handlers(const std::vector<unsigned>& used) {
  SymbolMap symbols;
  for (unsigned h : used) {
    if (!defined_.insert(h).second) continue;
    symbols[jit_->mangleAndIntern("h" + std::to_string(h))] = {ExecutorAddr(handlers_[h]),
                                                               JITSymbolFlags::Exported};
  }
  if (symbols.empty()) return Error::success();
  return jit_->getMainJITDylib().define(absoluteSymbols(std::move(symbols)));
}

/// As long as the code is there.
Error Compiler::define_symbols(const IrBuilder& builder, ResourceTrackerSP tracker) {
  SymbolMap symbols;
  for (const IrBuilder::Used& u : builder.symbols_used) {
    symbols[jit_->mangleAndIntern(u.variable->getName())] = {ExecutorAddr(u.value),
                                                             JITSymbolFlags::Exported};
  }
  if (symbols.empty()) return Error::success();
  return jit_->getMainJITDylib().define(absoluteSymbols(std::move(symbols)), std::move(tracker));
}

Error Compiler::link(std::unique_ptr<llvm::Module> module, const IrBuilder& builder, Result* out) {
  if (Error e = define_handlers(builder.handlers_used)) return e;
  JITDylib& library = jit_->getMainJITDylib();
  ResourceTrackerSP tracker = library.createResourceTracker();
  if (Error e = define_symbols(builder, tracker)) return e;
  recorder_->begin(builder);
  if (Error e = jit_->addIRModule(tracker, ThreadSafeModule(std::move(module), context_))) return e;
  for (const IrBuilder::Root& root : builder.roots) {
    auto address = jit_->lookup(root.name);
    if (!address) {
      consumeError(tracker->remove());
      return address.takeError();
    }
    out->entries.push_back({root.at, address->getValue()});
  }
  out->block = memory_->last().run;
  out->bytes = memory_->last().size;
  add_lines(builder, out);
  add_image(builder, out);
  tracker->Retain();
  out->code = tracker.get();
  return Error::success();
}

/// From the object's addresses to the block's.
void Compiler::add_lines(const IrBuilder& builder, Result* out) const {
  out->handlers = builder.handlers_used;
  if (out->entries.empty()) return;
  auto first = lines_.symbols.find(builder.roots[0].name);
  if (first == lines_.symbols.end()) return;
  uint64_t moved = out->entries[0].code - first->second - reinterpret_cast<Word>(out->block);
  for (const ObjectLines::Row& row : lines_.rows) {
    bool about_one = row.line >= IrBuilder::kFirstLine;
    uint32_t at = about_one ? row.line - IrBuilder::kFirstLine : Line::kNone;
    uint64_t code = row.address + moved;
    if (code >= out->bytes) continue;
    if (!out->lines.empty() && out->lines.back().at == at) continue;
    out->lines.push_back({static_cast<uint32_t>(code), at});
  }
}

void Compiler::add_image(const IrBuilder& builder, Result* out) {
  CodeImage image = recorder_->take();
  if (image.bytes.empty() || builder.depends_on_run) return;
  const Word base = recorder_->base();
  auto offset = [&](Word code) { return static_cast<uint32_t>(code - base); };
  for (const Entry& e : out->entries) image.entries.push_back({e.at, offset(e.code)});
  const Word skipped = base - reinterpret_cast<Word>(out->block);  // to be aligned
  for (const Line& l : out->lines) {
    if (l.code >= skipped && l.code - skipped < image.bytes.size())
      image.lines.push_back({static_cast<uint32_t>(l.code - skipped), l.at});
  }
  image.handlers = out->handlers;
  out->image = std::move(image);
}

}  // namespace
}  // namespace wb

extern "C" __attribute__((visibility("default"))) wb::OrcCompiler* whitebeam_open_orc_compiler_8(
    const wb::Word* handlers, bool for_perf, uint64_t layout) {
  if (layout != wb::plugin_layout()) return nullptr;
  auto compiler = std::make_unique<wb::Compiler>(handlers);
  return compiler->open(for_perf) ? compiler.release() : nullptr;
}
