// Numbers as people read them.
#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace wb {

inline std::string bytes_text(double n) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; (n >= 1024 || n <= -1024) && unit < 4; ++unit) n /= 1024;
  return unit ? fmt::format("{:.1f} {}", n, kUnits[unit]) : fmt::format("{:.0f} B", n);
}

/// Five characters at most: 950, 12.3k, 4.56M.
inline std::string count_text(double n) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  double size = n < 0 ? -n : n;
  if (size < 10000) return fmt::format("{:.0f}", n);
  int unit = 0;
  for (; size >= 1000 && unit < 4; ++unit) size /= 1000, n /= 1000;
  return fmt::format("{:.{}f}{}", n, size < 10 ? 2 : size < 100 ? 1 : 0, kUnits[unit]);
}

inline std::string duration_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.1f} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.1f} ms", ns / 1e6);
  double s = ns / 1e9;
  if (s < 60) return fmt::format("{:.1f} s", s);
  auto whole = static_cast<int64_t>(s);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

/// Of a text that a program has chosen: it breaks no line and moves no cursor.
inline std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return text;
}

}  // namespace wb
