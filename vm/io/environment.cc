#include "vm/io/environment.h"

#include "base/recording.h"

extern char** environ;

namespace wb {

void Environment::read() {
  if (read_) return;
  read_ = true;
  std::string all;  // each with a 0 at its end
  for (char** e = environ; e && *e; ++e) all.append(*e).push_back('\0');
  all = recorded_text(std::move(all));
  for (size_t at = 0; at < all.size();) {
    const std::string one = all.c_str() + at;
    const size_t equals = one.find('=', one.starts_with('='));
    if (equals != std::string::npos) values_.emplace(one.substr(0, equals), one.substr(equals + 1));
    at += one.size() + 1;
  }
}
std::optional<std::string> Environment::get(const std::string& name) {
  std::lock_guard lock(mutex_);
  read();
  auto it = values_.find(name);
  if (it == values_.end()) return {};
  return it->second;
}
void Environment::set(const std::string& name, const std::string& value) {
  std::lock_guard lock(mutex_);
  read();
  values_[name] = value;
}
void Environment::unset(const std::string& name) {
  std::lock_guard lock(mutex_);
  read();
  values_.erase(name);
}
std::vector<std::pair<std::string, std::string>> Environment::all() {
  std::lock_guard lock(mutex_);
  read();
  return {values_.begin(), values_.end()};
}

}  // namespace wb
