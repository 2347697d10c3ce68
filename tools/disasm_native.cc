// `whitebeam disasm --native`: each loaded instruction, and behind it the machine's instructions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tools/commands.h"
#include "tools/machine_text.h"

namespace wb {

namespace {

int fail(const std::string& why) {
  fmt::print(stderr, "whitebeam: {}\n", why);
  return kExitUsage;
}

using Instructions = std::map<uint64_t, std::string>;

/// All blocks as one, which is one run of objdump; what lies between is filled with nops.
NativeListing::Block together(std::vector<NativeListing::Block> blocks) {
  std::sort(blocks.begin(), blocks.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  NativeListing::Block all{blocks[0].address, {}};
  for (const auto& b : blocks) {
    all.bytes.resize(b.address - all.address, '\x90');
    all.bytes += b.bytes;
  }
  return all;
}

}  // namespace

int disasm_native(const DisasmCommand& command) {
  NativeListing listing;
  std::string error;
  NativeListingQuery asked{command.file, command.function, command.hot || command.ir, command.ir};
  if (!list_native_code(asked, &listing, &error)) return fail(error);
  fmt::print("{}", listing.ir);
  if (listing.blocks.empty()) return fail("no function was compiled");
  Instructions instructions;
  NativeListing::Block all = together(listing.blocks);
  if (!machine_text(all.address, all.bytes, listing.names, &instructions)) {
    return fail("disasm --native needs objdump (package binutils)");
  }
  std::vector<uint64_t> ends;  // of an instruction's code: where another or no function's begins
  for (const auto& line : listing.lines) ends.push_back(line.code);
  for (const auto& b : listing.blocks) ends.push_back(b.address + b.bytes.size());
  for (const auto& b : listing.blocks) ends.push_back(b.address);
  std::sort(ends.begin(), ends.end());
  for (const auto& line : listing.lines) {
    fmt::print("{}\n", line.text);
    if (!line.code) continue;
    auto end = std::upper_bound(ends.begin(), ends.end(), line.code);
    for (auto i = instructions.find(line.code); i != instructions.end() && i->first < *end; ++i) {
      fmt::print("\t\t{:x}  {}\n", i->first, i->second);
    }
  }
  return 0;
}

}  // namespace wb
