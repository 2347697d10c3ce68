#include "tools/otp_root.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/fnv.h"
#include "base/users_cache.h"
#include "loader/otp_release.h"
#include "loader/otp_root.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

constexpr const char* kMarker = "whitebeam";  // a file in every directory of ours

/// `up`: from the script's directory to the root.
std::string erl_script(const std::string& erts, const std::string& up) {
  return fmt::format(R"(#!/bin/sh
# Starts Whitebeam as Erlang/OTP's emulator. Made by `whitebeam install`.
self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=${{self%/*}}/$link ;;
  esac
done
ROOTDIR=$(cd "${{self%/*}}/{}" && pwd -P)
BINDIR=$ROOTDIR/{}/bin
EMU=beam
PROGNAME=${{0##*/}}
export ROOTDIR BINDIR EMU PROGNAME
if [ ! -x "$BINDIR/erlexec" ]; then
  echo "$PROGNAME: no OTP: $BINDIR/erlexec ($(readlink "$BINDIR/erlexec")) is gone; OTP {} to {} can be had by whitebeam install" >&2
  exit 2
fi
exec "$BINDIR/erlexec" ${{1+"$@"}}
)",
                     up, erts, kOldestRelease, kNewestRelease);
}

std::string marker_text(const fs::path& otp, const std::string& erts) {
  return fmt::format("Made by `whitebeam install`: OTP of {} ({}) on {}.\n", otp.string(), erts,
                     own_binary().string());
}

/// Fills directories; the first failure is kept, and nothing is done after it.
class Maker {
 public:
  explicit Maker(std::string* error) : error_(error) {}
  bool ok() const { return error_->empty(); }

  void directory(const fs::path& path) {
    if (!ok()) return;
    std::error_code ec;
    fs::create_directories(path, ec);
    if (ec) fail(path, ec);
  }
  void link(const fs::path& target, const fs::path& path) {
    if (!remove(path)) return;
    std::error_code ec;
    fs::create_symlink(target, path, ec);
    if (ec) fail(path, ec);
  }
  void copy(const fs::path& from, const fs::path& path) {
    if (!remove(path)) return;
    std::error_code ec;
    fs::copy_file(from, path, ec);
    if (ec) fail(path, ec);
  }
  void write(const fs::path& path, const std::string& text, bool executable) {
    if (!remove(path)) return;
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out) return fail(path, std::error_code(errno, std::generic_category()));
    std::error_code ec;
    auto runs = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    if (executable) fs::permissions(path, runs, fs::perm_options::add, ec);
    if (ec) fail(path, ec);
  }
  /// Links to all that is in `from` but `except`.
  void link_all(const fs::path& from, const fs::path& to, const std::vector<std::string>& except) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(from, ec)) {
      std::string name = entry.path().filename();
      if (std::find(except.begin(), except.end(), name) != except.end()) continue;
      link(entry.path(), to / name);
    }
    if (ec) fail(from, ec);
  }

 private:
  bool remove(const fs::path& path) {
    if (!ok()) return false;
    std::error_code ec;
    if (fs::is_directory(fs::symlink_status(path, ec))) {
      fail(path, std::make_error_code(std::errc::is_a_directory));
      return false;
    }
    fs::remove(path, ec);
    if (ec) fail(path, ec);
    return ok();
  }
  void fail(const fs::path& path, const std::error_code& ec) {
    if (ok()) *error_ = fmt::format("{}: {}", path.string(), ec.message());
  }
  std::string* error_;
};

/// Whatever is in a directory that is not of ours stays as it is.
bool may_fill(const fs::path& directory, std::string* error) {
  std::error_code ec;
  if (!fs::exists(directory, ec) || fs::exists(directory / kMarker, ec)) return true;
  if (fs::is_directory(directory, ec) && fs::is_empty(directory, ec)) return true;
  *error = fmt::format("{}: there is something already, which is not of `whitebeam install`",
                       directory.string());
  return false;
}

}  // namespace

std::filesystem::path own_binary() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec);
}

std::filesystem::path own_plugin() {
  std::error_code ec;
  for (const char* place : {"", "../lib/whitebeam"}) {
    const fs::path path = own_binary().parent_path() / place / kPlugin;
    if (fs::exists(path, ec)) return path.lexically_normal();
  }
  return {};
}

std::string erts_directory(const std::string& root) {
  const OtpRelease release = read_otp_release(root);
  const std::string erts = "erts-" + release.erts;
  std::error_code ec;
  const bool supported = release.name == std::to_string(release.number);
  return supported && fs::is_directory(fs::path(root) / erts / "bin", ec) ? erts : "";
}

bool make_otp_root(const std::string& directory, const std::string& otp, std::string* error) {
  std::string erts = erts_directory(otp);
  if (erts.empty()) {
    const OtpRelease found = read_otp_release(otp);
    *error =
        fmt::format("{}: OTP {} with erts-{} cannot be booted; OTP {} to {} can, with their erts",
                    otp, found.name, found.erts, kOldestRelease, kNewestRelease);
    return false;
  }
  std::error_code ec;
  fs::path to = fs::absolute(directory, ec), from = fs::canonical(otp, ec);
  if (!may_fill(to, error)) return false;
  fs::path bin = to / "bin", erts_bin = to / erts / "bin", modules = erts_bin / "preloaded";
  Maker maker(error);
  for (const fs::path& path : {to, bin, erts_bin, modules}) maker.directory(path);
  maker.write(to / kMarker, marker_text(from, erts), false);
  maker.link_all(from, to, {"bin", erts, kMarker});
  maker.link_all(from / erts, to / erts, {"bin"});
  maker.link_all(from / "bin", bin, {"erl"});
  maker.link_all(from / erts / "bin", erts_bin, {"erl", "beam.smp"});
  for (const char* tool : {"epmd", "ct_run", "dialyzer", "typer", "escript", "erlc", "run_erl",
                           "to_erl", "erl_call"}) {
    if (!fs::exists(bin / tool, ec) && fs::exists(from / erts / "bin" / tool, ec))
      maker.link(from / erts / "bin" / tool, bin / tool);
  }
  maker.write(bin / "erl", erl_script(erts, ".."), true);
  maker.write(erts_bin / "erl", erl_script(erts, "../.."), true);
  maker.link(own_binary(), erts_bin / "beam.smp");
  if (const fs::path compiler = own_plugin(); !compiler.empty())
    maker.link(compiler, erts_bin / kPlugin);
  fs::path preloaded = from / "lib" / erts / "ebin";
  for (const auto& entry : fs::directory_iterator(preloaded, ec)) {
    maker.copy(entry.path(), modules / entry.path().filename());
  }
  if (ec && maker.ok()) *error = fmt::format("{}: {}", preloaded.string(), ec.message());
  return maker.ok();
}

static std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Made beside its place and moved there, as others may be about to make it, too.
std::string cached_otp_root(const std::string& otp, std::string* error) {
  std::error_code ec;
  const fs::path from = fs::canonical(otp, ec);
  if (ec) return *error = fmt::format("{}: {}", otp, ec.message()), "";
  const std::string cache = private_cache("otp", error);
  if (cache.empty()) return {};
  const std::string whose = from.string() + '\n' + own_binary().string();
  const fs::path root = fmt::format("{}/{:016x}", cache, fnv1a(whose));
  const std::string wanted = marker_text(from, erts_directory(from));
  if (text_of(root / kMarker) == wanted) return root;
  const fs::path made = fmt::format("{}.{}", root.string(), getpid());
  fs::remove_all(made, ec);
  if (!make_otp_root(made, from, error)) return {};
  for (int tries = 0; tries < 2; ++tries) {
    fs::rename(made, root, ec);
    if (!ec) return root;
    if (text_of(root / kMarker) == wanted) break;
    std::error_code ignored;
    fs::remove_all(root, ignored);  // of another OTP, or damaged
  }
  if (ec && text_of(root / kMarker) != wanted) *error = root.string() + ": " + ec.message();
  fs::remove_all(made, ec);
  return error->empty() ? root.string() : "";
}

std::string usable_otp_root(const std::string& otp, std::string* error) {
  std::string found = otp;
  if (found.empty()) {
    if (std::string own = own_otp_root(); !own.empty()) return own;
    found = find_otp_root("");
  }
  if (found.empty()) return *error = "no OTP found (Debian: apt-get install erlang-base)", "";
  return cached_otp_root(found, error);
}

bool is_root_of(const std::string& root, const std::string& otp) {
  std::error_code ec;
  return fs::equivalent(fs::path(root) / "lib", fs::path(otp) / "lib", ec);
}

std::string own_otp_root() {
  fs::path beside = own_binary().parent_path().parent_path();
  std::error_code ec;
  for (const char* place : {"otp", "lib/whitebeam/otp"}) {
    if (fs::exists(beside / place / kMarker, ec)) return beside / place;
  }
  return {};
}

}  // namespace wb
