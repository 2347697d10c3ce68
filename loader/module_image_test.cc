// Code out of an image is the code that the emitter makes, in a program whose atoms have other
// numbers, too; damaged, foreign and old images are as if they were not there.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "bytecode/test_corpus.h"
#include "loader/code_table.h"
#include "loader/disasm_loaded.h"
#include "loader/module_image.h"
#include "loader/module_images.h"
#include "loader/test_images.h"
#include "term/atom.h"
#include "vm/machine/machine.h"

namespace fs = std::filesystem;
using namespace wb;

namespace {

std::unique_ptr<Machine> machine(const std::string& images) {
  VmOptions options;
  options.schedulers = 1;
  options.images = images;
  auto vm = std::make_unique<Machine>(options);
  REQUIRE((images.empty() || vm->code->images()));
  return vm;
}

/// All that is known of a module, but for where it is in memory.
std::string text_of(Machine& vm, const Module& m) {
  InstanceScope scope(vm.instance);
  std::string text, all = disassemble_loaded(m);
  bool address = false;
  for (char c : all) {
    if (!address) text += c;
    address = address ? isxdigit(c) : text.ends_with("0x");
  }
  auto number = [&](uint64_t n) { text += " " + std::to_string(n); };
  auto name = [&](Term t) { text += " " + std::string(atom_text(t)); };
  name(m.name);
  for (uint8_t b : m.md5) number(b);
  for (auto& x : m.exports) name(x.target->function), number(x.target->arity), number(x.entry);
  for (Export* e : m.imports) name(e->module), name(e->function), number(e->arity);
  for (size_t k = 0; k < m.funs.size(); ++k) {
    name(m.funs[k]->name), number(m.funs[k]->arity), number(m.funs[k]->free_count);
    number(m.fun_entries[k]), number(m.funs[k]->index), number(m.funs[k]->old_uniq);
  }
  for (auto& f : m.functions) number(f.start), number(f.entry), number(f.first_instruction);
  for (uint32_t k : m.replaceable) number(k);
  for (auto& f : m.files) text += " " + f.name;
  number(m.on_load_entry), number(m.declares_nifs), number(m.warms_up);
  return text + m.strings + m.attributes + m.compile_info;
}

std::unique_ptr<Module> prepared(Machine& vm, const std::vector<uint8_t>& beam) {
  InstanceScope scope(vm.instance);
  auto m = vm.code->prepare(beam, "image_test");
  return m ? std::move(*m) : nullptr;
}

std::string find_beam(std::string_view name) {
  for (const std::string& path : installed_beams()) {
    if (path.ends_with(name)) return path;
  }
  return "";
}

constexpr const char* kDirectory = "WB_TEST_IMAGES";

/// Every how many-th module: all of them take minutes in some builds.
size_t stride() { return getenv("WB_ALL_IMAGES") ? 1 : 7; }

}  // namespace

// Atoms are numbered in the order in which they come, so this program has others than the one that
// wrote the images. Run by the test below.
TEST_CASE("another program links these images") {
  const char* directory = getenv(kDirectory);
  if (!directory) return;
  auto with = machine(directory), without = machine("");
  auto paths = installed_beams();
  size_t loaded = 0;
  for (size_t k = paths.size(); k-- > 0;) {
    if (k % stride()) continue;
    const auto beam = file_bytes(paths[k]);
    auto a = prepared(*with, beam), b = prepared(*without, beam);
    INFO(paths[k]);
    REQUIRE(!a == !b);
    if (!a) continue;
    ++loaded;
    CHECK(text_of(*with, *a) == text_of(*without, *b));
  }
  CHECK(with->code->images()->counts.used == loaded);
  CHECK(with->code->images()->counts.written == 0);
  std::ofstream(std::string(directory) + "/linked") << loaded;
}

TEST_CASE("images give the code that was emitted") {
  if (installed_beams().empty()) return;
  ImageDirectory directory;
  {
    auto vm = machine(directory.path);
    auto paths = installed_beams();
    for (size_t k = 0; k < paths.size(); k += stride()) prepared(*vm, file_bytes(paths[k]));
    CHECK(vm->code->images()->counts.used == 0);
    CHECK(vm->code->images()->counts.written > 20);
  }
  const pid_t child = fork();
  if (child == 0) {
    setenv(kDirectory, directory.path.c_str(), 1);
    execl("/proc/self/exe", "unit_tests", "another program links these images", "-w", "NoTests",
          nullptr);
    _exit(127);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(fs::exists(directory.path + "/linked"));
}

TEST_CASE("a damaged image is replaced") {
  const std::string path = find_beam("/sets.beam");
  if (path.empty()) return;
  ImageDirectory directory;
  const auto beam = file_bytes(path);
  std::string good;
  {
    auto vm = machine(directory.path);
    good = text_of(*vm, *prepared(*vm, beam));
  }
  REQUIRE(directory.files().size() == 1);
  const fs::path file = directory.files()[0];
  const auto whole = file_bytes(file);
  SeededRandom random{42};
  auto vm = machine(directory.path);
  const auto& counts = vm->code->images()->counts;
  for (int round = 0; round < 60; ++round) {
    auto bytes = whole;
    if (round < 10)
      bytes.resize(whole.size() * static_cast<size_t>(round) / 10);
    else if (round < 40)
      bytes[random.below(120)] ^= static_cast<uint8_t>(1u << random.below(8));
    else
      bytes[random.below(bytes.size())] ^= static_cast<uint8_t>(1u << random.below(8));
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
    const uint64_t refused = counts.refused, used = counts.used;
    auto m = prepared(*vm, beam);
    REQUIRE(m);
    CHECK(text_of(*vm, *m) == good);
    CHECK(counts.refused == refused + 1);
    CHECK(counts.used == used);
    CHECK(file_bytes(file) == whole);
  }
}

TEST_CASE("linking believes no count and no index") {
  const std::string path = find_beam("/sets.beam");
  if (path.empty()) return;
  auto vm = machine("");
  InstanceScope scope(vm->instance);
  const auto beam = file_bytes(path);
  ImageDirectory directory;
  std::string why;
  auto images = ModuleImages::open(directory.path, &why);
  REQUIRE(images);
  auto writer = machine(directory.path);
  REQUIRE(prepared(*writer, beam));
  ModuleImages::Memory memory(images.get());
  const auto read = images->read(ModuleImages::key_of(beam, writer->options.otp.number), memory);
  REQUIRE(!read.empty());
  const std::vector<uint8_t> whole(read.begin(), read.end());
  REQUIRE(link_image(*vm->code, whole));
  for (size_t n = 0; n < whole.size(); n += 41) {
    CHECK(!link_image(*vm->code, std::span(whole).first(n)));
  }
  SeededRandom random{7};
  for (int round = 0; round < 3000; ++round) {
    auto bytes = whole;
    damage(&bytes, &random);
    link_image(*vm->code, bytes);  // code, or none
  }
}

TEST_CASE("images are kept only where nobody else can write") {
  ImageDirectory directory;
  std::string why;
  const std::string inner = directory.path + "/images";
  REQUIRE(mkdir(inner.c_str(), 0755) == 0);
  CHECK(!ModuleImages::open(inner, &why));
  CHECK(why.find(inner) == 0);
  REQUIRE(chmod(inner.c_str(), 0700) == 0);
  CHECK(ModuleImages::open(inner, &why));
  REQUIRE(symlink(inner.c_str(), (directory.path + "/link").c_str()) == 0);
  CHECK(!ModuleImages::open(directory.path + "/link", &why));
  CHECK(!ModuleImages::open("/proc/images", &why));

  const std::string path = find_beam("/queue.beam");
  if (path.empty()) return;
  const auto beam = file_bytes(path);
  auto vm = machine(inner);
  const auto& counts = vm->code->images()->counts;
  REQUIRE(prepared(*vm, beam));
  REQUIRE(directory.files().size() == 1);
  const fs::path file = directory.files()[0];
  REQUIRE(chmod(file.c_str(), 0666) == 0);
  REQUIRE(prepared(*vm, beam));
  CHECK(counts.refused == 1);
  REQUIRE(prepared(*vm, beam));  // it was replaced
  CHECK(counts.used == 1);
  fs::rename(file, directory.path + "/elsewhere");
  fs::create_symlink(directory.path + "/elsewhere", file);
  REQUIRE(prepared(*vm, beam));
  CHECK(counts.used == 1);
}

TEST_CASE("an image is good only for what the machine has natively") {
  const std::string path = find_beam("/lists.beam");
  if (path.empty()) return;
  ImageDirectory directory;
  const auto beam = file_bytes(path);
  {
    auto vm = machine(directory.path);
    REQUIRE(prepared(*vm, beam));
  }
  auto vm = machine(directory.path);
  {
    InstanceScope scope(vm->instance);
    vm->code->add_bif(intern("lists"), intern("sublist"), 2,
                      vm->code->find_export(intern("lists"), intern("reverse"), 2)->bif);
  }
  auto m = prepared(*vm, beam);
  REQUIRE(m);
  CHECK(vm->code->images()->counts.used == 1);     // the file was read
  CHECK(vm->code->images()->counts.written == 1);  // and made anew
  CHECK(disassemble_loaded(*m, "sublist").find("bif_entry") != std::string::npos);
}

TEST_CASE("what was used longest ago goes first") {
  ImageDirectory directory;
  std::string why;
  auto images = ModuleImages::open(directory.path, &why);
  REQUIRE(images);
  const std::vector<uint8_t> image(1000);
  for (uint64_t k = 0; k < 10; ++k) images->write({k, 0, 0, 25}, image);
  for (const fs::path& file : directory.files()) {
    ModuleImages::Memory memory(images.get());
    const bool old = images->read({3, 0, 0, 25}, memory).empty();
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(old ? 1 : 0));
  }
  const auto all = ModuleImages::use(directory.path);
  CHECK(all.files == 10);
  CHECK(ModuleImages::prune(directory.path, all.bytes / 2));
  CHECK(ModuleImages::use(directory.path).files == 5);
  CHECK(ModuleImages::prune(directory.path, 0));
  CHECK(ModuleImages::use(directory.path).files == 0);
  CHECK(!ModuleImages::prune(directory.path + "/none", 0));
}
