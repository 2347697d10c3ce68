#include "tools/observer/calls_text.h"

#include "tools/observer/units.h"

namespace wb {
namespace {

std::string who(const JsonValue& p) {
  return p["name"].text().empty() ? p["pid"].text() : p["name"].text();
}

/// At most five names: the first and the last ones.
std::string path_of(const JsonValue& chain, const std::string& end) {
  const auto& members = chain["members"].list();
  std::string text;
  for (size_t k = 0; k < members.size(); ++k) {
    const bool left_out = members.size() > 5 && k >= 2 && k + 2 < members.size();
    if (!left_out) {
      text += who(members[k]) + " > ";
    } else if (k == 2) {
      text += "... > ";
    }
  }
  return text + end;
}

std::string place_of(const JsonValue& call) {
  return place_text(call["call_fn"], call["call_file"], call["call_line"]);
}

}  // namespace

std::string place_text(const JsonValue& function, const JsonValue& file, const JsonValue& line) {
  if (line.is_null()) return function.text();
  const std::string name = file.text().substr(file.text().rfind('/') + 1);
  return fmt::format("{} {}:{}", function.text(), name, line.integer());
}

std::string cycle_text(const JsonValue& cycle) {
  const auto& members = cycle["members"].list();
  if (members.empty()) return {};
  const JsonValue& oldest = members[0];
  return fmt::format("{}, for {}, in {}", path_of(cycle, who(oldest)),
                     duration_text(oldest["call_age_ns"].number()), place_of(oldest));
}

std::string call_text(const JsonValue& row) {
  if (row["callee"].text().empty()) return {};
  std::string text = row["callee"].text();
  if (!row["callee_name"].text().empty()) text += ' ' + row["callee_name"].text();
  text += " for " + duration_text(row["call_age_ns"].number());
  if (!row["call_left_ns"].is_null())
    text += fmt::format(", {} left", duration_text(row["call_left_ns"].number()));
  return text + ", in " + place_of(row);
}

}  // namespace wb
