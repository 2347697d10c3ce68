#include "tools/machine_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace wb {

namespace {

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

}  // namespace

/// Reads the lines `ADDRESS:\tINSTRUCTION` that objdump prints.
bool machine_text(uint64_t address, const std::string& bytes,
                  const std::map<uint64_t, std::string>& names,
                  std::map<uint64_t, std::string>* out) {
  TemporaryFile file;
  if (!file.write(bytes)) return false;
  std::string command = fmt::format(
      "objdump -D -b binary -m i386:x86-64 --no-show-raw-insn --adjust-vma={:#x} {}"
      " 2>/dev/null",
      address, file.path());
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return false;
  char line[512];
  while (fgets(line, sizeof line, pipe)) {
    char* rest;
    uint64_t at = strtoull(line, &rest, 16);
    if (rest == line || rest[0] != ':' || rest[1] != '\t') continue;
    std::string text(rest + 2);
    text.erase(text.find_last_not_of(" \n") + 1);
    if (size_t hex = text.rfind("0x"); hex != std::string::npos) {
      auto name = names.find(strtoull(text.c_str() + hex, nullptr, 16));
      if (name != names.end()) text += "  ; " + name->second;
    }
    (*out)[at] = std::move(text);
  }
  return pclose(pipe) == 0;
}

}  // namespace wb
