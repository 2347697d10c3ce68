#include "vm/io/environment.h"

#include <cstring>

extern char** environ;

namespace wb {

void Environment::read() {
  if (read_) return;
  read_ = true;
  for (char** e = environ; e && *e; ++e) {
    const char* equals = strchr(*e + (**e == '='), '=');
    if (equals) values_.emplace(std::string(*e, static_cast<size_t>(equals - *e)), equals + 1);
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
