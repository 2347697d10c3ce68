// Exports of the views.
#pragma once

#include <cstdio>
#include <string>

namespace wb {

/// Writes a file in the current directory; returns what to tell about it.
inline std::string save_text(const std::string& path, const std::string& text) {
  FILE* f = fopen(path.c_str(), "w");
  bool done = f && fwrite(text.data(), 1, text.size(), f) == text.size();
  if (f) done = fclose(f) == 0 && done;
  return (done ? "written: " : "cannot write ") + path;
}

}  // namespace wb
