#include "tools/observer/web_relay.h"

#include <cmath>
#include <set>

#include "tools/observer/code_text.h"
#include "tools/observer/requests.h"
#include "vm/observe/json.h"
#include "vm/observe/request.h"

namespace wb {
namespace {

constexpr double kMostExact = 9007199254740992;  // 2^53

void write_number(JsonWriter& w, double n) {
  bool whole = std::abs(n) < kMostExact && n == std::floor(n);
  if (whole) {
    w.number(static_cast<int64_t>(n));
  } else {
    w.number(n);
  }
}

/// Each field once, of the kinds that requests have.
std::string written_anew(const JsonValue& request, bool actions) {
  std::string out;
  JsonWriter w(out);
  w.open('{');
  std::set<std::string_view> seen;
  if (actions) seen.insert("actions"), w.boolean("actions", true);
  for (const auto& [name, v] : request.fields()) {
    if (!seen.insert(name).second) continue;
    switch (v.kind()) {
      case JsonValue::Kind::text:
        w.text(name, v.text());
        break;
      case JsonValue::Kind::boolean:
        w.boolean(name, v.truth());
        break;
      case JsonValue::Kind::number:
        write_number(w.key(name), v.number());
        break;
      case JsonValue::Kind::list:
        w.array(name);
        for (const JsonValue& n : v.list()) write_number(w, n.number());
        w.close(']');
        break;
      case JsonValue::Kind::null:
      case JsonValue::Kind::object:
        break;
    }
  }
  w.close('}');
  return out;
}

std::string refusal(const JsonValue& request, std::string_view why, bool gone) {
  std::string out;
  JsonWriter w(out);
  write_number(w.open('{').key("id"), request["id"].number());
  w.boolean("ok", false).text("error", why).boolean("gone", gone).close('}');
  return out;
}

}  // namespace

bool WebRelay::reach(std::string* error) {
  if (client_.connected()) return true;
  std::string socket = find_machine(machine_, error);
  if (socket.empty()) return false;
  *error = client_.connect(socket);
  if (!error->empty()) return false;
  if (actions_) client_.ask(R"({"do":"hello","actions":true})");
  return client_.connected();
}

std::string WebRelay::list_machines(const JsonValue& request) {
  if (!list_) return refusal(request, "this page is of one machine", false);
  std::string out;
  JsonWriter w(out);
  write_number(w.open('{').key("id"), request["id"].number());
  w.boolean("ok", true).key("data").raw(list_->data()).close('}');
  return out;
}

std::string WebRelay::reply_to(std::string_view text) {
  if (text.size() > ObserverRequest::kMostBytes) return refusal({}, "too long", false);
  JsonValue request = JsonValue::parse(text);
  const std::string& what = request["do"].text();
  if (what.empty()) return refusal(request, "no request", false);
  if (what == "machines") return list_machines(request);
  bool acts = what == "act" || request["actions"].truth();
  if (acts && !actions_) {
    return refusal(request, "this page may only look (observe --web --allow-actions)", false);
  }
  std::string error, raw;
  if (!reach(&error)) return refusal(request, error, true);
  if (!client_.ask(written_anew(request, what == "hello" && actions_), &raw))
    return refusal(request, client_.error(), true);
  return what == "code" ? with_lines(raw) : raw;
}

}  // namespace wb
