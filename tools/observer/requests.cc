#include "tools/observer/requests.h"

#include "vm/observe/json.h"

namespace wb {

std::string observer_request(
    std::string_view what,
    std::initializer_list<std::pair<std::string_view, std::string_view>> texts,
    std::initializer_list<std::pair<std::string_view, int64_t>> numbers) {
  std::string out;
  JsonWriter w(out);
  w.open('{').text("do", what);
  for (auto& [name, text] : texts) w.text(name, text);
  for (auto& [name, number] : numbers) w.number(name, number);
  w.close('}');
  return out;
}

std::string data_of_answer(const std::string& raw) {
  const size_t data = raw.find("\"data\":");
  return data == raw.npos ? std::string() : raw.substr(data + 7, raw.size() - data - 8);
}

}  // namespace wb
