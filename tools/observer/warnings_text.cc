#include "tools/observer/warnings_text.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "tools/observer/calls_text.h"
#include "tools/observer/requests.h"
#include "tools/observer/units.h"

namespace wb {

std::string ask_settled_warnings(ObserverClient& client, std::string_view what, int limit,
                                 int for_s) {
  constexpr std::chrono::seconds kPatience{15};  // then what is known is told
  constexpr useconds_t kApart = 100'000;
  const auto begin = std::chrono::steady_clock::now();
  std::string raw;
  for (;;) {
    const std::string request =
        observer_request("warnings", {{"what", what}}, {{"limit", limit}, {"for_s", for_s}});
    if (!client.ask(request, &raw)) return {};
    const JsonValue answer = JsonValue::parse(raw), &settled = answer["data"]["settled"];
    const bool over = std::chrono::steady_clock::now() - begin > kPatience;
    if (settled.is_null() || settled.truth() || over) return raw;
    usleep(kApart);
  }
}

WarningText::WarningText(const JsonValue& row)
    : kind(row["what"].text()), who(row["name"].text()), text(row["text"].text()) {
  std::ranges::replace(kind, '_', ' ');
  if (who.empty()) who = row["pid"].text();
  if (row["fn"].text().empty()) return;
  place = ", in " + place_text(row["fn"], row["file"], row["line"]);
}

std::string WarningText::line() const {
  return one_line(kind + ": " + who + (who.empty() ? "" : ": ") + text + place);
}

void print_warnings(const char* title, const JsonValue& warnings) {
  const auto& rows = warnings["rows"].list();
  if (rows.empty()) return;
  fmt::print("{} ({} in all)\n", title, warnings["total"].integer());
  for (const JsonValue& row : rows) {
    fmt::print("  {}\n      {}; {} tells more\n", WarningText(row).line(), row["why"].text(),
               row["leads_to"].text());
  }
}

}  // namespace wb
