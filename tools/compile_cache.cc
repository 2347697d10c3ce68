#include "tools/compile_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/md5.h"
#include "tools/machine.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

fs::path cache_root() {
  const char* xdg = getenv("XDG_CACHE_HOME");
  if (xdg && *xdg == '/') return fs::path(xdg) / "whitebeam";
  const char* home = getenv("HOME");
  if (home && *home) return fs::path(home) / ".cache/whitebeam";
  return fs::temp_directory_path() / ("whitebeam-" + std::to_string(getuid()));
}

std::string hex(const Md5Digest& digest) {
  std::string out;
  for (uint8_t byte : digest) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

std::string key_of(const fs::path& source, const std::string& erlc) {
  std::string all = fs::absolute(source).string() + '\0' + erlc + '\0' + read_all(source);
  return hex(md5({reinterpret_cast<const uint8_t*>(all.data()), all.size()}));
}

/// A make rule, "x.beam: a.erl b.hrl \": is one of the prerequisites newer than the .beam?
bool is_stale(const fs::path& beam, const fs::path& rule) {
  std::error_code ec;
  auto made = fs::last_write_time(beam, ec);
  if (ec) return true;
  std::istringstream words(read_all(rule));
  std::string word;
  words >> word;  // the target
  while (words >> word) {
    if (word == "\\") continue;
    auto changed = fs::last_write_time(word, ec);
    if (ec || changed > made) return true;
  }
  return false;
}

/// The compiler of the OTP whose libraries are used, else the one in PATH.
std::string find_erlc(const std::string& otp_root) {
  std::string own = otp_root + "/bin/erlc";
  if (!otp_root.empty() && access(own.c_str(), X_OK) == 0) return own;
  return find_in_path("erlc");
}

}  // namespace

CompiledProgram compile_erl(const std::string& source, const std::vector<std::string>& code_paths,
                            const std::string& otp_root) {
  std::string erlc = find_erlc(otp_root);
  if (erlc.empty())
    return {"",
            "cannot compile " + source + ": no erlc found (Debian: apt-get install erlang-base)"};
  std::error_code ec;
  fs::path made = cache_root() / key_of(source, erlc);
  fs::path beam = made / fs::path(source).stem().concat(".beam");
  if (fs::exists(beam, ec) && !is_stale(beam, made / "made_from")) return {beam, ""};

  fs::path making = made;
  making += "." + std::to_string(getpid());
  fs::create_directories(making, ec);
  if (ec) return {"", "cannot create the cache directory " + making.string() + ": " + ec.message()};
  std::vector<std::string> command = {erlc,  "+debug_info",       "-o", making, "-MMD",
                                      "-MF", making / "made_from"};
  for (const std::string& dir : code_paths) command.insert(command.end(), {"-pa", dir});
  command.push_back(fs::absolute(source));
  int code = run_tool(command, making);  // there, so that `made_from` names files by full path
  if (code == 0 && fs::exists(making / beam.filename(), ec)) {
    fs::remove_all(made, ec);
    fs::rename(making, made, ec);
    if (fs::exists(beam, ec)) return {beam, ""};
  }
  fs::remove_all(making, ec);
  return {"", code == 0 ? "erlc made no " + beam.filename().string() + " (disk full?)" : ""};
}

}  // namespace wb
