#include "tools/observer/table_contents.h"

#include <algorithm>

#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "vm/observe/json.h"

namespace wb {

void TableContents::open(std::string id, std::string name) {
  id_ = std::move(id), name_ = std::move(name);
  match_.clear(), error_.clear();
  places_ = {""};
  data_ = {};
  table_.rows.clear();
  table_.select(0);
}

void TableContents::refresh(ObserverClient& client, int rows) {
  std::string request;
  JsonWriter w(request);
  w.open('{').text("do", "table").text("table", id_).text("match", match_);
  w.number("limit", std::clamp(rows - 3, 1, 500)).text("from", places_.back()).close('}');
  JsonValue data = client.ask(request);
  error_ = data.is_null() ? client.error() : "";
  if (data.is_null()) return;
  data_ = std::move(data);
  table_.rows.clear();
  for (const JsonValue& r : data_["rows"].list()) table_.rows.push_back({{r.text()}, "", kPlain});
}

void TableContents::draw(Screen& s, int first, int end) {
  std::string title = fmt::format("table {}: {} objects", name_, data_["objects"].integer());
  if (!match_.empty()) title += ", that match " + match_;
  if (places_.size() > 1) title += fmt::format(", page {}", places_.size());
  if (!data_["next"].is_null()) title += ", there may be more (n)";
  s.put(first, 0, title, kBold);
  if (!error_.empty()) {
    s.put(first + 2, 0, error_, kRed);
    return;
  }
  if (table_.rows.empty()) {
    s.put(first + 2, 0,
          data_["next"].is_null() ? "nothing more"
                                  : fmt::format("nothing among {} objects: n looks at more",
                                                data_["looked_at"].integer()),
          kDim);
    return;
  }
  table_.draw(s, first + 1, end);
}

bool TableContents::key(int key, Navigation& where) {
  switch (key) {
    case 'b':
    case kKeyEscape:
    case kKeyBackspace:
      close();
      return true;
    case '/':
      where.prompt = "match: ", where.line = match_;
      return true;
    case 'n':
      if (!data_["next"].is_null()) places_.push_back(data_["next"].text());
      table_.select(0);
      return true;
    case 'p':
      if (places_.size() > 1) places_.pop_back();
      return true;
    default:
      return table_.key(key);
  }
}

void TableContents::entered(const std::string& line) {
  match_ = line;
  places_ = {""};
}

}  // namespace wb
