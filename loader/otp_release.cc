#include "loader/otp_release.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace wb {

namespace {
/// erts 13 is that of OTP 25, and both have counted together since.
constexpr int kErtsBehind = 12;
}  // namespace

OtpRelease read_otp_release(const std::string& root) {
  OtpRelease release;
  std::ifstream file(root + "/releases/start_erl.data");
  std::string erts, name;
  if (!(file >> erts >> name)) return release;
  int major = 0;
  const char* end = erts.data() + erts.size();
  const auto [at, error] = std::from_chars(erts.data(), end, major);
  if ((at != end && *at != '.') || error != std::errc() || major < 1 || major > 999) return release;
  release.number = std::clamp(major + kErtsBehind, kOldestRelease, kNewestRelease);
  release.name = std::to_string(major + kErtsBehind);
  release.erts = erts;
  return release;
}

}  // namespace wb
