// `whitebeam disasm --native`: each loaded instruction, and behind it the machine's instructions,
// which binutils' objdump turns into text.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tools/commands.h"

namespace wb {

namespace {

int fail(const std::string& why) {
  fmt::print(stderr, "whitebeam: {}\n", why);
  return kExitUsage;
}

/// A file that is gone with its object.
class TemporaryFile {
 public:
  TemporaryFile() : fd_(mkstemp(path_)) {}
  ~TemporaryFile() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  const char* path() const { return path_; }
  bool write(const std::string& bytes) {
    return fd_ >= 0 &&
           ::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  }

 private:
  char path_[32] = "/tmp/whitebeam-code-XXXXXX";
  int fd_;
};

using Instructions = std::map<uint64_t, std::string>;

/// Reads the lines `ADDRESS:\tINSTRUCTION` that objdump prints; false if it does not run.
bool disassemble(const NativeListing::Block& code, const NativeListing& listing,
                 Instructions* out) {
  TemporaryFile file;
  if (!file.write(code.bytes)) return false;
  std::string command =
      fmt::format("objdump -D -b binary -m i386:x86-64 --no-show-raw-insn --adjust-vma={:#x} {}",
                  code.address, file.path());
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return false;
  char line[512];
  while (fgets(line, sizeof line, pipe)) {
    char* rest;
    uint64_t address = strtoull(line, &rest, 16);
    if (rest == line || rest[0] != ':' || rest[1] != '\t') continue;
    std::string text(rest + 2);
    text.erase(text.find_last_not_of(" \n") + 1);
    if (size_t at = text.rfind("0x"); at != std::string::npos) {
      auto name = listing.names.find(strtoull(text.c_str() + at, nullptr, 16));
      if (name != listing.names.end()) text += "  ; " + name->second;
    }
    (*out)[address] = std::move(text);
  }
  return pclose(pipe) == 0;
}

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
  if (!list_native_code(command.file, command.function, &listing, &error)) return fail(error);
  if (listing.blocks.empty()) return fail("no function was compiled");
  Instructions instructions;
  if (!disassemble(together(listing.blocks), listing, &instructions)) {
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
