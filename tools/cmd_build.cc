// `whitebeam build`: a program, or a release, and all that it needs as one executable file
// (bundle.h, start_bundle.h).
//
// What a program needs is found by what its modules call: each module that one of them imports is
// looked for where `run` would find it, and the application that it belongs to is taken whole, with
// its priv directory; so on for the modules of that one. Of OTP, kernel and stdlib are always
// there, and what those call is not followed, or everything would be. Modules that are only named
// at run time cannot be seen: --with.
//
// --train runs the file as it would be, in a directory of its own, and puts the images and the hot
// code that it leaves there (docs/images.md) into the final one.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/build_id.h"
#include "bytecode/beam_file.h"
#include "loader/code_path.h"
#include "loader/otp_release.h"
#include "loader/otp_root.h"
#include "term/atom.h"
#include "tools/bundle.h"
#include "tools/command_line.h"
#include "tools/find_program.h"
#include "tools/machine.h"
#include "tools/otp_root.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

int fail(const std::string& message) {
  fmt::print(stderr, "whitebeam: {}\n", message);
  return kExitUsage;
}

bool is_code(const std::string& name) { return name.ends_with(".beam") || name.ends_with(".app"); }
bool all(const std::string&) { return true; }

/// A directory of our own, gone with its owner.
class Scratch {
 public:
  explicit Scratch(std::string path) : path_(std::move(path)), made_(mkdtemp(path_.data())) {}
  ~Scratch() {
    std::error_code ignored;
    if (made_) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  bool made() const { return made_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const bool made_;
};

/// The machine itself: what is no part of any program.
class Builder {
 public:
  Builder(const BuildCommand& command, std::string otp) : command_(command), otp_(std::move(otp)) {}
  bool write();
  bool failed(const std::string& message) {
    if (error.empty()) error = message;
    return false;
  }

  std::string error;

 protected:
  bool add_file(const std::string& name, const fs::path& path) {
    return pack_.add_file(name, path) || failed(pack_.error());
  }
  bool add_directory(const std::string& name, const fs::path& path,
                     const std::function<bool(const std::string&)>& wanted) {
    return pack_.add_directory(name, path, wanted) || failed(pack_.error());
  }
  void start_with(const std::string& word) { start_ += word + "\n"; }

  const BuildCommand& command_;
  const std::string otp_;
  BundleWriter pack_;
  std::string start_;

 private:
  bool write_to(const std::string& output, BundleWriter* pack, bool llvm);
  bool train();
  bool add_images(const fs::path& programs);
};

bool Builder::write() {
  pack_.add_text("start", start_);
  if (!command_.train.empty() && !train()) return false;
  return write_to(command_.output, &pack_, command_.llvm);
}

/// `pack` with the plugin, or only what it is known by.
bool Builder::write_to(const std::string& output, BundleWriter* pack, bool llvm) {
  const std::string plugin = own_plugin();
  const bool good =
      plugin.empty() || (llvm ? pack->add_file(std::string("bin/") + kPlugin, plugin)
                              : pack->add_file(std::string("bin/") + kPluginId, plugin, kElfPage));
  return (good && pack->write(output, own_binary())) || failed(pack->error());
}

/// Runs the program as it would be, with the compiler for hot functions even if it is not to go
/// along.
bool Builder::train() {
  std::error_code ec;
  const fs::path output = fs::absolute(command_.output, ec);
  const Scratch place(output.string() + ".train-XXXXXX");
  if (!place.made()) return failed(fmt::format("--train: {}: {}", place.path(), strerror(errno)));
  BundleWriter pack = pack_;
  if (!write_to(fs::path(place.path()) / output.filename(), &pack, true)) return false;
  setenv("XDG_CACHE_HOME", place.path().c_str(), 1);
  for (const std::string& command : command_.train) {
    if (const int code = run_in_shell(command, place.path()))
      return failed(fmt::format("--train: it ended with exit code {}", code));
  }
  return add_images(fs::path(place.path()) / "whitebeam/programs");
}

/// What the runs have left where they unpacked themselves.
bool Builder::add_images(const fs::path& programs) {
  std::error_code ec;
  for (fs::directory_iterator at(programs, ec), end; !ec && at != end; at.increment(ec)) {
    const auto whole = [](const std::string& name) { return !fs::path(name).has_extension(); };
    if (fs::is_regular_file(at->path() / "start", ec))
      return pack_.add_directory("images", at->path() / "images", whole) || failed(pack_.error());
  }
  return failed("--train: the program was not run");
}

// --- a program -----------------------------------------------------------------------------------
class ProgramBuilder : public Builder {
 public:
  ProgramBuilder(const BuildCommand& command, const RunOptions& options)
      : Builder(command, options.otp_root), options_(options) {
    path_.set_usual(options.code_paths, otp_, options.last_paths);
  }
  bool collect();

 private:
  bool add_otp();
  bool add_named(const std::string& application);
  bool add_code(const fs::path& ebin, bool follow = true);
  bool place(const fs::path& ebin, std::string* name, fs::path* priv);
  bool follow_calls(const fs::path& beam);
  bool add_callees();
  void add_code_paths();

  const RunOptions& options_;
  CodePath path_;
  std::map<fs::path, std::string> places_;  ///< of directories with code, in the pack
  std::vector<fs::path> to_follow_;
  std::set<std::string> known_;  ///< modules that were looked for
};

bool ProgramBuilder::collect() {
  const fs::path program = options_.program;
  const std::string name = "program/" + program.filename().string();
  if (!add_otp() || !add_file(name, program)) return false;
  for (const auto* directories : {&options_.code_paths, &options_.last_paths})
    for (const std::string& d : *directories)
      if (!add_code(d)) return false;
  for (const std::string& application : command_.with)
    if (!add_named(application)) return false;
  to_follow_.push_back(program);
  if (!add_callees()) return false;
  for (const char* word : {"program", "run", "--otp", "@/otp"}) start_with(word);
  add_code_paths();
  RunOptions checked;
  if (!parse_run_options(command_.flags, &checked, &error))
    return error = "--flags: " + error, false;
  std::istringstream flags(command_.flags);
  for (std::string flag; flags >> flag;) start_with(flag);
  start_with("@/" + name);
  start_with(command_.function);
  return true;
}

/// What makes a directory OTP's root, and the applications that every program needs.
bool ProgramBuilder::add_otp() {
  std::error_code ec;
  const std::string releases = otp_ + "/releases";
  const auto says_version = [](const std::string& name) {
    return name == "start_erl.data" || name.ends_with("OTP_VERSION");
  };
  if (fs::is_directory(releases, ec) && !add_directory("otp/releases", releases, says_version))
    return false;
  const std::string erts = "erts-" + read_otp_release(otp_).erts;
  const fs::path preloaded = fs::path(otp_) / "lib" / erts / "ebin";
  if (fs::is_directory(preloaded, ec) && !add_code(preloaded, false)) return false;
  for (const char* application : {"kernel", "stdlib"}) {
    const std::string directory = otp_application(otp_, application);
    if (directory.empty()) return failed(fmt::format("{}: no {} in it", otp_, application));
    if (!add_code(directory + "/ebin", false)) return false;
  }
  return true;
}

bool ProgramBuilder::add_named(const std::string& application) {
  for (const std::string& d : path_.directories()) {
    const std::string name = fs::path(d).parent_path().filename();
    if (fs::path(d).filename() == "ebin" &&
        (name == application || name.starts_with(application + "-")))
      return add_code(d);
  }
  return failed(fmt::format("--with {0}: no application {0} in the code path", application));
}

/// Where a directory with code comes to lie, so that code:lib_dir and code:priv_dir find the rest.
bool ProgramBuilder::place(const fs::path& ebin, std::string* name, fs::path* priv) {
  std::error_code ec;
  const fs::path application = ebin.parent_path();
  const bool is_application = ebin.filename() == "ebin";
  const fs::path libraries = fs::canonical(fs::path(otp_) / "lib", ec);
  const std::string number = std::to_string(places_.size());
  if (application.filename().string().find('\n') != std::string::npos)
    return failed(application.string() + ": a directory's name with a line feed");
  if (!is_application) return *name = "lib/" + number, true;
  *priv = application / "priv";
  const bool of_otp = application.parent_path() == libraries;
  *name = (of_otp ? "otp/lib/" : "lib/" + number + "/") + application.filename().string() + "/ebin";
  return true;
}

bool ProgramBuilder::add_code(const fs::path& directory, bool follow) {
  std::error_code ec;
  const fs::path ebin = fs::canonical(directory, ec);
  if (ec) return failed(fmt::format("{}: {}", directory.string(), ec.message()));
  if (places_.contains(ebin)) return true;
  std::string name;
  fs::path priv;
  if (!place(ebin, &name, &priv)) return false;
  places_[ebin] = name;
  for (fs::directory_iterator at(ebin, ec), end; !ec && at != end; at.increment(ec)) {
    const std::string file = at->path().filename();
    std::error_code ignored;
    if (!is_code(file) || !at->is_regular_file(ignored)) continue;
    if (!add_file(name + "/" + file, at->path())) return false;
    if (follow && file.ends_with(".beam")) to_follow_.push_back(at->path());
  }
  if (ec) return failed(fmt::format("{}: {}", ebin.string(), ec.message()));
  if (!fs::is_directory(priv, ec)) return true;
  return add_directory(name.substr(0, name.size() - 4) + "priv", priv, all);
}

bool ProgramBuilder::follow_calls(const fs::path& beam) {
  auto file = read_beam_file(beam);
  if (!file) return failed(file.error().message());
  for (const BeamImport& import : file->imports) {
    const std::string module(atom_text(import.module));
    if (!known_.insert(module).second) continue;
    const std::string found = path_.find(module);
    if (!found.empty() && !add_code(fs::path(found).parent_path())) return false;
  }
  return true;
}
bool ProgramBuilder::add_callees() {
  while (!to_follow_.empty()) {
    const fs::path beam = to_follow_.back();
    to_follow_.pop_back();
    if (!follow_calls(beam)) return false;
  }
  return true;
}

/// In the order of `run`, where of several --pa the last comes first.
void ProgramBuilder::add_code_paths() {
  std::error_code ec;
  std::set<std::string> said;
  const auto say = [&](const char* flag, const std::string& name) {
    if (name.starts_with("otp/") || !said.insert(name).second) return;
    start_with(flag);
    start_with("@/" + name);
  };
  std::vector<std::string> first = options_.code_paths;
  std::reverse(first.begin(), first.end());
  for (const std::string& d : first) say("--pa", places_[fs::canonical(d, ec)]);
  for (const std::string& d : options_.last_paths) say("--pz", places_[fs::canonical(d, ec)]);
  for (const auto& [directory, name] : places_) say("--pz", name);
}

// --- a release -----------------------------------------------------------------------------------
class ReleaseBuilder : public Builder {
 public:
  ReleaseBuilder(const BuildCommand& command, std::string otp)
      : Builder(command, std::move(otp)), from_(command.release) {}
  bool collect();

 private:
  std::string find_erts();
  bool add_preloaded(const std::string& erts);
  std::string find_script();

  const fs::path from_;
};

bool ReleaseBuilder::collect() {
  const std::string erts = find_erts();
  if (erts.empty())
    return failed(
        fmt::format("{}: no release with its erts (mix: include_erts: true; relx: "
                    "{{include_erts, true}})",
                    from_.string()));
  const std::string script = find_script();
  if (script.empty())
    return failed(fmt::format("{0}: no command of a release in {0}/bin", from_.string()));
  const std::string bin = erts + "/bin/";
  const auto wanted = [&](const std::string& name) {
    return name != bin + "beam.smp" && name != bin + kPlugin &&
           !name.starts_with(bin + "preloaded/");
  };
  if (!add_directory("release", from_, wanted) || !add_preloaded(erts)) return false;
  pack_.add_link("release/" + bin + "beam.smp", "../../../bin/whitebeam");
  std::ifstream in(from_ / "bin" / script);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const bool of_mix = text.find("RELEASE_COMMAND") != std::string::npos;
  start_with("release");
  start_with("@/release/bin/" + script);
  start_with(of_mix ? "start" : "foreground");
  return true;
}

std::string ReleaseBuilder::find_erts() {
  std::error_code ec;
  for (fs::directory_iterator at(from_, ec), end; !ec && at != end; at.increment(ec)) {
    const std::string name = at->path().filename();
    if (name.starts_with("erts-") && fs::exists(at->path() / "bin/erlexec", ec)) return name;
  }
  return {};
}

/// The modules that an emulator has inside, and ours reads (otp_root.h).
bool ReleaseBuilder::add_preloaded(const std::string& erts) {
  std::error_code ec;
  for (const fs::path& d : {from_ / erts / "bin/preloaded", fs::path(otp_) / "lib" / erts / "ebin"})
    if (fs::is_directory(d, ec))
      return add_directory("release/" + erts + "/bin/preloaded", d, is_code);
  return failed(fmt::format("{} has {}, {} has not its preloaded modules: --otp DIR",
                            from_.string(), erts, otp_));
}

/// Of bin/ the one that is called as the release.
std::string ReleaseBuilder::find_script() {
  std::error_code ec;
  for (fs::recursive_directory_iterator at(from_ / "releases", ec), end; !ec && at != end;
       at.increment(ec)) {
    const fs::path file = at->path();
    if (file.extension() == ".rel" && fs::is_regular_file(from_ / "bin" / file.stem(), ec))
      return file.stem();
  }
  return {};
}

int finish(Builder& builder, bool collected, const BuildCommand& command) {
  if (!collected || !builder.write()) return fail(builder.error);
  std::error_code ec;
  fmt::print("{}: {:.1f} MB\n", command.output, double(fs::file_size(command.output, ec)) / 1e6);
  return 0;
}

}  // namespace

int cmd_build(const BuildCommand& command) {
  std::error_code ec;
  if (fs::is_directory(command.output, ec))
    return fail(fmt::format("{}: a directory", command.output));
  if (command.release.empty() == command.program.empty())
    return fail("either a PROGRAM or --release DIR");
  if (!command.release.empty()) {
    ReleaseBuilder builder(command, find_otp_root(command.otp_root));
    return finish(builder, builder.collect(), command);
  }
  RunOptions options;
  options.program = command.program;
  options.code_paths = command.code_paths;
  options.last_paths = command.last_paths;
  options.otp_root = command.otp_root;
  if (std::string error = find_program(&options); !error.empty()) return fail(error);
  if (options.program.empty()) return kExitUsage;
  ProgramBuilder builder(command, options);
  return finish(builder, builder.collect(), command);
}

}  // namespace wb
