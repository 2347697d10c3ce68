#include "tools/start_bundle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/own_files.h"
#include "base/users_cache.h"
#include "tools/bundle.h"
#include "tools/commands.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

int fail(const std::string& message) {
  fmt::print(stderr, "whitebeam: {}\n", message);
  return kExitUsage;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const char* text) {
  std::istringstream in(text ? text : "");
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

int execute(const std::string& file, std::vector<std::string> words, char* name) {
  std::vector<char*> argv{name};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(file.c_str(), argv.data());
  return fail(fmt::format("{}: {}", file, strerror(errno)));
}

/// What was being unpacked by somebody who was killed.
void remove_abandoned(const std::string& programs) {
  std::error_code ec;
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& entry : fs::directory_iterator(programs, ec)) {
    std::error_code ignored;
    if (entry.path().extension() == ".new" && entry.last_write_time(ignored) < hour_ago)
      fs::remove_all(entry.path(), ignored);
  }
}

int start(const std::string& directory, char** arguments) {
  make_own_directory(directory + "/images");  // without one, the user's own images serve it
  std::vector<std::string> words = read_lines(directory + "/start");
  for (std::string& word : words)
    if (word.starts_with("@/")) word.replace(0, 1, directory);
  if (words.size() < 2)
    return fail(fmt::format("{}: damaged; it can be removed, and is then made anew", directory));
  const bool is_release = words[0] == "release";
  words.erase(words.begin());
  std::string command = directory + "/bin/whitebeam";
  char* name = arguments[0];
  if (is_release) {
    command = words[0];
    if (arguments[1])
      words.clear();
    else
      words.erase(words.begin());
    name = command.data();  // its scripts find their directory by it
  } else {
    const std::vector<std::string> flags = words_of(getenv("WHITEBEAM_FLAGS"));
    words.insert(words.begin() + 1, flags.begin(), flags.end());  // behind `run`
  }
  for (char** argument = arguments + 1; *argument; ++argument) words.push_back(*argument);
  return execute(command, std::move(words), name);
}

}  // namespace

std::optional<int> start_bundle(char** arguments) {
  const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const std::optional<BundleTrailer> trailer = read_bundle_trailer(fd);
  if (!trailer) return close(fd), std::nullopt;
  std::string error;
  const std::string programs = private_cache("programs", &error);
  if (programs.empty()) return fail("cannot unpack: " + error);
  const std::string directory = programs + "/" + bundle_directory_name(*trailer);
  struct stat s;
  if (lstat(directory.c_str(), &s) != 0) {
    remove_abandoned(programs);
    error = unpack_bundle(fd, *trailer, directory);
  }
  close(fd);
  if (!error.empty()) return fail("cannot unpack: " + error);
  return start(directory, arguments);
}

}  // namespace wb
