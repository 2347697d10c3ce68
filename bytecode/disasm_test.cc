#include "bytecode/disasm.h"

#include <catch2/catch.hpp>

#include "bytecode/test_corpus.h"

using namespace wb;

TEST_CASE("disassembly of a known module") {
  auto paths = installed_beams();
  auto lists = std::ranges::find_if(paths, [](auto& p) { return p.ends_with("/lists.beam"); });
  if (lists == paths.end()) return;
  auto file = read_beam_file(*lists);
  auto unit = decode(*file);
  std::string all = disassemble(*unit);
  CHECK(all.starts_with("module lists  % md5 "));
  CHECK(all.find("\nfunction append/1\n") != std::string::npos);
  CHECK(all.find("  %% lists.erl:") != std::string::npos);
  DisasmOptions one;
  one.function = "nth/2";
  std::string nth = disassemble(*unit, one);
  CHECK(nth.starts_with("\nfunction nth/2\n"));
  CHECK(nth.find("func_info         lists, nth, 2") != std::string::npos);
  CHECK(nth.find("\nfunction", 1) == std::string::npos);
}

TEST_CASE("every operand of every installed module has a text") {
  auto paths = installed_beams();
  for (size_t i = 0; i < paths.size(); i += 10) {
    auto file = read_beam_file(paths[i]);
    auto unit = decode(*file);
    CHECK(disassemble(*unit).size() > unit->instructions.size() * 8);
  }
}
