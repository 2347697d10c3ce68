// What the compiler says of registers (chunk Type) decides nothing: whatever it claims, the same
// code is loaded.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "bytecode/test_corpus.h"
#include "loader/code_table.h"
#include "loader/disasm_loaded.h"
#include "term/atom.h"
#include "vm/machine/machine.h"

using namespace wb;

namespace {

constexpr size_t kHeader = 8, kEntry = 18;  // of the chunk; bits, least and largest integer

/// Where the chunk's data begins, and its size; 0: it has none.
size_t type_chunk(const std::vector<uint8_t>& file, size_t* size) {
  auto u32 = [&](size_t at) {
    return size_t{file[at]} << 24 | size_t{file[at + 1]} << 16 | size_t{file[at + 2]} << 8 |
           file[at + 3];
  };
  for (size_t at = 12; at + 8 < file.size(); at += 8 + ((u32(at + 4) + 3) & ~size_t{3})) {
    if (memcmp(file.data() + at, "Type", 4) != 0) continue;
    *size = u32(at + 4);
    return at + 8;
  }
  return 0;
}

std::string loaded_text(const std::vector<uint8_t>& file) {
  VmOptions options;
  options.schedulers = 1;
  Machine vm(options);
  InstanceScope scope(vm.instance);
  CodeTable::Loaded m = vm.code->load(file, "hints");
  REQUIRE(m);
  // Where things are in memory differs from load to load.
  std::string text;
  bool address = false;
  for (char c : disassemble_loaded(**m)) {
    if (!address) text += c;
    address = address ? isxdigit(c) : text.ends_with("0x");
  }
  return text;
}

}  // namespace

TEST_CASE("lies about the types of registers change no loaded code") {
  size_t lied = 0;
  for (const std::string& path : installed_beams()) {
    bool wanted = false;
    for (const char* name : {"/gb_trees.beam", "/lists.beam", "/base64.beam", "/erl_scan.beam"})
      wanted |= path.ends_with(name);
    if (!wanted) continue;
    std::vector<uint8_t> file = file_bytes(path);
    size_t size = 0, at = type_chunk(file, &size);
    if (!at) continue;
    std::string honest = loaded_text(file);
    // All are atoms; floats; match contexts; nothing at all; whatever, but of an impossible range.
    for (uint16_t bits : {1, 16, 4, 0, 0x1fff}) {
      for (size_t entry = at + kHeader; entry + kEntry <= at + size; entry += kEntry) {
        file[entry] = static_cast<uint8_t>(bits >> 8), file[entry + 1] = static_cast<uint8_t>(bits);
        memset(&file[entry + 2], 0x7f, 8);
        ++lied;
      }
      CHECK(loaded_text(file) == honest);
    }
  }
  CHECK((installed_beams().empty() || lied > 20));
}
