#include "vm/machine/recorded_command.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <type_traits>

namespace wb {
namespace {

// A field is a line: its name, and its values, each with its length: `args 3:abc0:`.
void put(std::string* out, const std::string& value) {
  *out += std::to_string(value.size()) + ':' + value;
}
void put(std::string* out, const std::vector<std::string>& values) {
  for (const std::string& value : values) put(out, value);
}
void put(std::string* out, const std::optional<uint64_t>& value) {
  if (value) put(out, std::to_string(*value));
}
template <class N>
  requires std::is_arithmetic_v<N>
void put(std::string* out, N value) {
  put(out, std::to_string(value));
}

/// Takes one value off `*text`; false: there is none.
bool take(std::string_view* text, std::string* value) {
  size_t size = 0, at = 0;
  for (; at < text->size() && (*text)[at] >= '0' && (*text)[at] <= '9' && size <= text->size();
       ++at)
    size = size * 10 + static_cast<size_t>((*text)[at] - '0');
  if (at == 0 || at == text->size() || (*text)[at] != ':' || text->size() - at - 1 < size)
    return false;
  *value = text->substr(at + 1, size);
  text->remove_prefix(at + 1 + size);
  return true;
}
bool read(std::string_view text, std::string* to) { return take(&text, to) && text.empty(); }
bool read(std::string_view text, std::vector<std::string>* to) {
  to->clear();
  for (std::string value; !text.empty(); to->push_back(value))
    if (!take(&text, &value)) return false;
  return true;
}
bool read(std::string_view text, std::optional<uint64_t>* to) {
  std::string value;
  *to = {};
  if (text.empty()) return true;
  if (!take(&text, &value)) return false;
  *to = strtoull(value.c_str(), nullptr, 10);
  return text.empty();
}
template <class N>
  requires std::is_arithmetic_v<N>
bool read(std::string_view text, N* to) {
  std::string value;
  if (!read(text, &value)) return false;
  *to = static_cast<N>(strtoll(value.c_str(), nullptr, 10));
  return true;
}

/// Paths stay as they were given: the program may see them.
std::string here() {
  char room[PATH_MAX];
  return getcwd(room, sizeof room) ? room : "";
}

/// What it was recorded with, and what says how to look at it, is not repeated.
bool is_repeated(std::string_view field) {
  return field != "record" && field != "event_log" && field != "observe" &&
         field != "observe_actions" && field != "stats" && field != "seed" && field != "faults";
}

template <class O, class F>
void each_field(O& o, F f) {
  f("program", o.program), f("function", o.function), f("args", o.args);
#define OPTION(type, field, otherwise, flag, value, check, help) \
  if (is_repeated(#field)) f(#field, o.field);
#include "vm/machine/run_options.def"
}

}  // namespace

std::string recorded_command(const RunOptions& o) {
  std::string text = "directory ";
  put(&text, here());
  text += '\n';
  each_field(o, [&](const char* name, const auto& value) {
    text += std::string(name) + ' ';
    put(&text, value);
    text += '\n';
  });
  return text;
}

std::string read_recorded_command(const std::string& text, RunOptions* o, std::string* directory) {
  std::string_view rest = text;
  std::string wrong;
  auto field = [&](const char* name, auto* to) {
    const std::string begin = std::string(name) + ' ';
    if (!wrong.empty()) return;
    std::string_view values;
    std::string value;
    if (rest.starts_with(begin)) {
      std::string_view at = rest.substr(begin.size());
      const size_t before = at.size();
      while (!at.empty() && at[0] != '\n' && take(&at, &value)) {
      }
      values = rest.substr(begin.size(), before - at.size());
      if (at.starts_with('\n') && read(values, to)) return rest = at.substr(1), void();
    }
    wrong = "damaged: how the program was started (" + std::string(name) + ")";
  };
  field("directory", directory);
  each_field(*o, [&](const char* name, auto& value) { field(name, &value); });
  return wrong;
}

}  // namespace wb
