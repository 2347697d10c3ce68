#include "tools/observer/settings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace wb {
namespace {

constexpr size_t kMostBytes = 64u << 10, kMostColumns = 200, kLongestName = 40;

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
  std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool is_name(std::string_view word) {
  return word.size() <= kLongestName && std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

/// Below a directory of the user's; empty: there is none.
std::string settings_path() {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  if (config && *config == '/') return std::string(config) + "/whitebeam/observer";
  if (home && *home == '/') return std::string(home) + "/.config/whitebeam/observer";
  return {};
}

/// False, and why in *error: there is none (and no error), or it cannot be read.
bool read_small_file(const std::string& path, std::string* text, std::string* error) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    if (errno != ENOENT && errno != ENOTDIR) *error = strerror(errno);
    return false;
  }
  struct stat s = {};
  char buffer[4096];
  ssize_t n = 0;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
    *error = "it is no file";
  } else {
    while (text->size() <= kMostBytes && (n = read(fd, buffer, sizeof buffer)) > 0)
      text->append(buffer, static_cast<size_t>(n));
    if (n < 0) *error = strerror(errno);
    if (text->size() > kMostBytes) *error = "it is too long";
  }
  close(fd);
  return error->empty();
}

/// The directories above it.
void make_directories(const std::string& path) {
  for (size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
}

}  // namespace

bool ObserverSettings::shows(std::string_view column) const {
  return columns.empty() || std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::string ObserverSettings::parse(std::string_view text) {
  std::vector<std::string> chosen;
  bool with_mouse = true;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view what = take_word(line);
    if (what.empty() || what.front() == '#') continue;
    std::string_view value = take_word(line);
    if (what == "columns") {
      for (; !value.empty(); value = take_word(line)) {
        if (!is_name(value) || chosen.size() == kMostColumns)
          return fmt::format("line {} names no columns", number);
        chosen.emplace_back(value);
      }
    } else if (what == "mouse" && (value == "on" || value == "off") && take_word(line).empty()) {
      with_mouse = value == "on";
    } else {
      return fmt::format("line {} is no setting", number);
    }
  }
  columns = std::move(chosen), mouse = with_mouse;
  return {};
}

std::string ObserverSettings::text() const {
  std::string out =
      "# Of whitebeam observe, which writes it when columns are chosen (C in view 2).\n";
  if (!columns.empty()) out += "columns";
  for (const std::string& c : columns) out += " " + c;
  if (!columns.empty()) out += "\n";
  return out + (mouse ? "" : "mouse off\n");
}

std::string ObserverSettings::save() const {
  if (path.empty()) return "there is no directory for it";
  make_directories(path);
  const std::string fresh = fmt::format("{}.{}", path, getpid());
  FILE* f = fopen(fresh.c_str(), "we");
  if (!f) return strerror(errno);
  const bool written = fputs(text().c_str(), f) >= 0;
  if (fclose(f) == 0 && written && rename(fresh.c_str(), path.c_str()) == 0) return {};
  const int error = errno;
  unlink(fresh.c_str());
  return strerror(error);
}

ObserverSettings ObserverSettings::load() {
  ObserverSettings s;
  s.path = settings_path();
  std::string text, error;
  if (s.path.empty()) return s;
  if (read_small_file(s.path, &text, &error)) error = s.parse(text);
  if (!error.empty()) s.trouble = fmt::format("{} is ignored: {}", s.path, error);
  return s;
}

}  // namespace wb
