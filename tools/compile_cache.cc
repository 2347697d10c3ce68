#include "tools/compile_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/md5.h"
#include "base/own_files.h"
#include "base/users_cache.h"
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

/// The user's cache, else one for this user among the temporary directories; empty and *error:
/// none.
fs::path cache_root(std::string* error) {
  std::error_code ec;
  fs::path root = users_cache();
  if (!root.empty()) {
    fs::create_directories(root, ec);
    if (access(root.c_str(), W_OK | X_OK) == 0) return root;
    *error = root.string() + ": " + strerror(errno);
  }
  fs::path temporary = fs::temp_directory_path(ec);
  if (ec) temporary = "/tmp";
  temporary /= "whitebeam-" + std::to_string(geteuid());
  if (make_own_directory(temporary, 022) == 0) return temporary;
  *error += (error->empty() ? "" : "; ") + temporary.string() + ": not ours or not writable";
  return {};
}

/// What interrupted compilations left: `made`.PID, PID being gone.
void remove_leftovers(const fs::path& made) {
  std::error_code ec;
  std::string prefix = made.filename().string() + ".";
  for (const auto& entry : fs::directory_iterator(made.parent_path(), ec)) {
    std::string name = entry.path().filename();
    if (!name.starts_with(prefix)) continue;
    pid_t pid = atoi(name.c_str() + prefix.size());
    if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH) fs::remove_all(entry.path(), ec);
  }
}

/// Moves a file there, in the place of what is there.
bool move_file(const fs::path& from, const fs::path& to) {
  return rename(from.c_str(), to.c_str()) == 0;
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
  std::string no_cache;
  fs::path root = cache_root(&no_cache);
  if (root.empty()) return {"", "no directory for the compiled module: " + no_cache};
  fs::path made = root / key_of(source, erlc);
  fs::path beam = made / fs::path(source).stem().concat(".beam");
  if (fs::exists(beam, ec) && !is_stale(beam, made / "made_from")) return {beam, ""};

  fs::path making = made;
  making += "." + std::to_string(getpid());
  remove_leftovers(made);
  fs::create_directories(making, ec);
  if (ec) return {"", "cannot create the cache directory " + making.string() + ": " + ec.message()};
  std::vector<std::string> command = {erlc,  "+debug_info",       "-o", making, "-MMD",
                                      "-MF", making / "made_from"};
  for (auto dir = code_paths.rbegin(); dir != code_paths.rend(); ++dir)
    command.insert(command.end(), {"-pa", *dir});  // the last one goes first
  command.push_back(fs::absolute(source));
  int code = run_tool(command, making);  // there, so that `made_from` names files by full path
  if (code == 0 && fs::exists(making / beam.filename(), ec)) {
    fs::create_directories(made, ec);
    bool moved = move_file(making / "made_from", made / "made_from") &&
                 move_file(making / beam.filename(), beam);
    fs::remove_all(making, ec);
    if (moved) return {beam, ""};
  }
  fs::remove_all(making, ec);
  return {"", code == 0 ? "erlc made no " + beam.filename().string() + " (disk full?)" : ""};
}

}  // namespace wb
