#include "loader/code_path.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/recording.h"

namespace wb {

namespace fs = std::filesystem;
namespace {

/// Of an application's directory: NAME, or NAME-1.2.3.
struct Application {
  std::string name;
  std::vector<unsigned long> version;
  std::string directory;
  bool has_code = false;  ///< `directory` is its ebin
};

Application parse(const std::string& directory) {
  Application app{directory, {}, directory};
  size_t dash = directory.rfind('-');
  if (dash == std::string::npos) return app;
  for (const char* at = directory.c_str() + dash + 1;; ++at) {
    char* end;
    if (*at < '0' || *at > '9') return {directory, {}, directory};
    app.version.push_back(strtoul(at, &end, 10));
    at = end;
    if (*at == '\0') break;
    if (*at != '.') return {directory, {}, directory};
  }
  app.name.resize(dash);
  return app;
}

/// Those of `library`, the newest of each name, one with a directory for code before one without.
/// An application whose headers alone are installed is in the path as OTP's code server has it, as
/// itself: `code:lib_dir/1` finds it.
std::vector<Application> applications(const std::string& library) {
  std::vector<Application> all;
  DIR* d = opendir(library.c_str());
  if (!d) return all;
  while (dirent* entry = readdir(d)) {
    if (entry->d_name[0] == '.') continue;
    std::string directory = library + "/" + entry->d_name;
    std::string ebin = directory + "/ebin";
    std::error_code ec;
    const bool has_code = fs::is_directory(ebin, ec);
    if (!has_code && !fs::is_directory(directory, ec)) continue;
    all.push_back(parse(entry->d_name));
    all.back().has_code = has_code;
    all.back().directory = std::move(has_code ? ebin : directory);
  }
  closedir(d);
  std::sort(all.begin(), all.end(), [](const Application& a, const Application& b) {
    if (a.name != b.name) return a.name > b.name;
    return a.has_code != b.has_code ? a.has_code : a.version > b.version;
  });
  auto older = std::unique(all.begin(), all.end(), [](const Application& a, const Application& b) {
    return a.name == b.name;
  });
  all.erase(older, all.end());
  return all;
}

}  // namespace

void CodePath::add_first(std::string directory) {
  std::unique_lock lock(lock_);
  directories_.insert(directories_.begin(), std::move(directory));
}
void CodePath::add_last(std::string directory) {
  std::unique_lock lock(lock_);
  directories_.push_back(std::move(directory));
}
void CodePath::set(std::vector<std::string> directories) {
  std::unique_lock lock(lock_);
  directories_ = std::move(directories);
}
std::vector<std::string> CodePath::directories() const {
  std::shared_lock lock(lock_);
  return directories_;
}

void CodePath::add_libraries(const std::string& directory) {
  for (Application& app : applications(directory)) add_last(std::move(app.directory));
}

void CodePath::add_otp(const std::string& root, const std::string& libraries) {
  std::vector<Application> apps = applications(root + "/lib");
  for (std::string_view core : {"kernel", "stdlib"}) {
    auto at = std::find_if(apps.begin(), apps.end(),
                           [&](const Application& app) { return app.name == core; });
    if (at == apps.end()) continue;
    add_last(std::move(at->directory));
    apps.erase(at);
  }
  for (size_t from = 0, to; from < libraries.size(); from = to + 1) {
    to = std::min(libraries.find(':', from), libraries.size());
    if (to > from) add_libraries(libraries.substr(from, to - from));
  }
  for (Application& app : apps) add_last(std::move(app.directory));
}

void CodePath::set_usual(const std::vector<std::string>& first, const std::string& otp_root,
                         const std::vector<std::string>& last) {
  set(first);
  add_last(".");
  const char* libraries = getenv("ERL_LIBS");
  add_otp(otp_root, libraries ? libraries : "");
  add_libraries("/usr/lib/elixir/lib");
  for (const std::string& directory : last) add_last(directory);
}

std::string CodePath::find(std::string_view module) const {
  if (module.empty() || module.find('/') != std::string_view::npos ||
      module.find('\0') != std::string_view::npos) {
    return {};
  }
  std::string path;
  std::shared_lock lock(lock_);
  for (const std::string& d : directories_) {
    path.assign(d).append("/").append(module).append(".beam");
    if (system_call([&] { return access(path.c_str(), R_OK); }) == 0) return path;
  }
  return {};
}

}  // namespace wb
