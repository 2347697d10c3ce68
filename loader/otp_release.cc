#include "loader/otp_release.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace wb {

OtpRelease read_otp_release(const std::string& root) {
  OtpRelease release;
  std::ifstream file(root + "/releases/start_erl.data");
  std::string erts, name;
  if (!(file >> erts >> name)) return release;
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, number);
  if (at != end || error != std::errc()) return release;
  release.number = std::clamp(number, kOldestRelease, kNewestRelease);
  release.name = name;
  release.erts = erts;
  return release;
}

}  // namespace wb
