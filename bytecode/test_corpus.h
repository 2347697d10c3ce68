// For tests: the .beam files installed on this machine, and damaged copies of them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/base.h"

namespace wb {

/// Paths of every installed .beam file, sorted; empty where Erlang is not installed.
inline std::vector<std::string> installed_beams() {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const char* root : {"/usr/lib/erlang/lib", "/usr/lib/elixir/lib"}) {
    std::error_code error;
    fs::recursive_directory_iterator it(root, error), end;
    for (; !error && it != end; it.increment(error))
      if (it->path().extension() == ".beam") paths.push_back(it->path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

inline std::vector<uint8_t> file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct SeededRandom {  // xorshift64*
  uint64_t state;
  uint64_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dULL;
  }
  uint64_t below(uint64_t n) { return next() % n; }
};

/// Flips some bytes, or cuts the end off.
inline void damage(std::vector<uint8_t>* bytes, SeededRandom* random) {
  if (random->below(16) == 0) {
    bytes->resize(random->below(bytes->size()));
    return;
  }
  for (uint64_t n = 1 + random->below(4); n > 0; n--) {
    uint8_t& b = (*bytes)[random->below(bytes->size())];
    b = random->below(2) ? static_cast<uint8_t>(random->next())
                         : static_cast<uint8_t>(b ^ (1u << random->below(8)));
  }
}

}  // namespace wb
