// Code that one machine has compiled runs in another: with a compiler whose code leads to the
// interpreter's handlers, so without LLVM, also under AddressSanitizer and ThreadSanitizer.
#include "vm/orc/kept_code.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "gc/fragment.h"
#include "loader/test_images.h"
#include "term/atom.h"
#include "vm/interp/interpreter.h"
#include "vm/machine/machine.h"
#include "vm/orc/orc.h"
#include "vm/process/run.h"
#include "vm/process/spawn.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

/// Of each instruction a jump to its handler.
CodeImage jumps_to_handlers(const LoweredFunction& f) {
  CodeImage image;
  for (const LoweredOp& op : f.list) {
    if (!op.first) continue;
    constexpr uint8_t kJump = 0xe9;
    const auto at = static_cast<uint32_t>(image.bytes.size());
    image.entries.push_back({op.at, at});
    image.bytes.insert(image.bytes.end(), {kJump, 0, 0, 0, 0});
    image.fixups.push_back({.at = at + 1,
                            .field = CodeImage::Field::relative32,
                            .refers = CodeImage::Refers::handler,
                            .to = op.whole,
                            .addend = -4});
  }
  return image;
}

class Jumps final : public OrcCompiler {
 public:
  bool compile(const LoweredFunction& f, bool, Result* out) override {
    for (const LoweredOp& op : f.list) {
      if (op.first) out->entries.push_back({op.at, make_handler_table(false)[op.whole]});
    }
    out->image = jumps_to_handlers(f);
    out->code = this;
    out->block = &kCode;
    out->bytes = 1;
    return true;
  }
  void release(void*) override {}

 private:
  static constexpr uint8_t kCode = 0;
};

/// A machine with lists, every function of which has baseline code.
struct Kept {
  Jumps compiler;
  MachinePtr vm;
  std::optional<InstanceScope> scope;
  Module* m = nullptr;
  bool has_orc = false;

  /// `atoms`: so many more than others have.
  explicit Kept(const ImageDirectory& images, int atoms = 0) {
    VmOptions o;
    o.schedulers = 1;
    o.otp_root = "/usr/lib/erlang";
    o.jit = JitMode::full;
    o.images = images.path + "/images";
    vm = MachinePtr(new Machine(o));
    scope.emplace(vm->instance);
    for (int k = 0; k < atoms; ++k) intern("another atom " + std::to_string(k));
    auto loaded = vm->code->load_from_path(am::lists);
    REQUIRE(loaded);
    m = *loaded;
    has_orc = vm->orc != nullptr;
    if (!has_orc) return;
    vm->orc->use_compiler(&compiler);
    vm->baseline->compile_all(*m);
  }
  Word* entry(const char* name, uint32_t arity) {
    for (const Module::Function& f : m->functions) {
      if (f.name == intern(name) && f.arity == arity) return m->code + f.entry;
    }
    FAIL("lists has no such function");
    return nullptr;
  }
  LoweredFunction lowered(const char* name, uint32_t arity) {
    LoweredFunction f;
    REQUIRE(vm->baseline->lower_function(*m, entry(name, arity), &f));
    f.exit_count = f.no_float = &counter;
    return f;
  }
  uint64_t counter = 0;
};

void keep_duplicate(const ImageDirectory& images) {
  Kept first(images);
  if (!first.has_orc) return;
  CHECK(!first.vm->orc->use_kept(*first.m, first.entry("duplicate", 2)));
  first.vm->orc->compile_now(*first.m, first.entry("duplicate", 2), nullptr);
  first.vm->orc->compile_now(*first.m, first.entry("duplicate", 3), nullptr);
}

}  // namespace

TEST_CASE("kept code: another machine runs it", "[orc]") {
  ImageDirectory images;
  keep_duplicate(images);
  Kept second(images, 5000);
  if (!second.has_orc) return;
  Orc& orc = *second.vm->orc;
  CHECK(!orc.use_kept(*second.m, second.entry("nth", 2)));
  for (uint32_t arity : {2u, 3u}) {
    Word* entry = second.entry("duplicate", arity);
    REQUIRE(orc.use_kept(*second.m, entry));
    Orc::Hot hot;
    REQUIRE(orc.find(*second.m, entry, &hot));
    CHECK(hot.entries.size() > 2);
    CHECK(!second.vm->code->code_words().is_handler(CodeWords::load(entry)));
  }
  CHECK(orc.counters.kept == 2);
  CHECK(orc.counters.functions == 0);
  CHECK(second.vm->code->images()->hot_counts.used == 1);
  FragmentHeap h(64);
  Term args = cons(h, make_small(10), cons(h, am::true_, kNil));
  second.vm->main_pid = spawn_process(*second.vm, nullptr, am::lists, intern("duplicate"), args);
  second.vm->start();
  CHECK(second.vm->wait() == 0);
}

TEST_CASE("kept code: a damaged file counts as none", "[orc]") {
  ImageDirectory images;
  keep_duplicate(images);
  for (const fs::path& file : images.files()) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(-9, std::ios::end);
    f.put('\x55').put('\xaa').put('\x55');
  }
  Kept second(images);
  if (!second.has_orc) return;
  CHECK(!second.vm->orc->use_kept(*second.m, second.entry("duplicate", 2)));
  CHECK(second.vm->orc->counters.kept == 0);
  CHECK(second.vm->code->images()->hot_counts.refused == 1);
}

TEST_CASE("symbols: a function has one digest in all runs", "[orc]") {
  ImageDirectory images;
  Kept a(images), b(images, 300);
  if (!a.has_orc) return;
  for (auto [name, arity] :
       {std::pair("sort", 1), {"foldl", 3}, {"sublist", 2}, {"keydelete", 3}}) {
    std::optional<LoweredFunction> fa, fb;
    fa.emplace(a.lowered(name, arity)), fb.emplace(b.lowered(name, arity));
    const Symbols sa(*fa), sb(*fb);
    CHECK(sa.digest() == sb.digest());
    // What a symbol stands for is the same word of the function.
    for (const LoweredOp& op : fa->list) {
      for (uint32_t k = op.words + 1; k < op.words + 3 && k < fa->words.size(); ++k) {
        Symbol symbol;
        Word value = 0;
        CHECK(sa.depends(0, k) == sb.depends(0, k));
        if (!sa.depends(0, k) || !sa.find(fa->words[k], &symbol)) continue;
        REQUIRE(sb.value_of(symbol, &value));
        if (symbol.kind == Symbol::Kind::object) value |= fb->words[k] & 3;
        CHECK(value == fb->words[k]);
      }
    }
  }
}

TEST_CASE("symbols: another function has another digest", "[orc]") {
  ImageDirectory images;
  Kept a(images);
  if (!a.has_orc) return;
  const LoweredFunction f = a.lowered("foldl", 3);
  const uint64_t before = Symbols(f).digest();
  size_t same = 0, words = 0;
  for (const LoweredOp& op : f.list) {
    const bool has_operand = info_of(instr_of(op.handler)).operands[0];
    if (!has_operand || Symbols(f).depends(0, op.words + 1)) continue;
    LoweredFunction g = f;
    g.words[op.words + 1] ^= 16;
    ++words;
    same += Symbols(g).digest() == before;
  }
  CHECK(words > 5);
  CHECK(same == 0);
  Word value;
  CHECK(!Symbols(f).value_of({Symbol::Kind::code, 0, 1u << 30}, &value));
  CHECK(!Symbols(f).value_of({Symbol::Kind::code, 7, 0}, &value));
  CHECK(!Symbols(f).value_of({Symbol::Kind::atom, 0, 1u << 30}, &value));
  CHECK(!Symbols(f).value_of({Symbol::Kind::counter, 0, 2}, &value));
}

}  // namespace wb
