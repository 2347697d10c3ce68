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
  std::string text = call["call_fn"].text();
  if (call["call_line"].is_null()) return text;
  std::string file = call["call_file"].text();
  file.erase(0, file.rfind('/') + 1);
  return text + fmt::format(" {}:{}", file, call["call_line"].integer());
}

}  // namespace

std::vector<CallWarning> call_warnings(const JsonValue& calls) {
  std::vector<CallWarning> warnings;
  for (const JsonValue& cycle : calls["cycles"].list()) {
    const auto& members = cycle["members"].list();
    if (members.empty()) continue;
    const JsonValue& oldest = members[0];
    warnings.push_back(
        {fmt::format("call cycle: {}, for {}, in {}", path_of(cycle, who(oldest)),
                     duration_text(oldest["call_age_ns"].number()), place_of(oldest)),
         oldest["pid"].text()});
  }
  for (const JsonValue& chain : calls["chains"].list()) {
    const auto& members = chain["members"].list();
    if (!chain["warning"].truth() || members.empty()) continue;
    const JsonValue& end = chain["end"];
    warnings.push_back(
        {fmt::format("calls wait: {}, for {}, which is in {}", path_of(chain, who(end)),
                     duration_text(members.back()["call_age_ns"].number()), end["fn"].text()),
         end["pid"].text()});
  }
  return warnings;
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
