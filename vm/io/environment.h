// The environment variables of a machine: a copy of those it was started with, its own from then on
// (setenv of the C library is not safe when others read). Ports are started with them.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/ranked_lock.h"

namespace wb {

class Environment {
 public:
  std::optional<std::string> get(const std::string& name);
  void set(const std::string& name, const std::string& value);
  void unset(const std::string& name);
  std::vector<std::pair<std::string, std::string>> all();

 private:
  void read();  ///< what the machine was started with, once
  RankedLock<LockRank::environment> mutex_;
  bool read_ = false;
  std::map<std::string, std::string> values_;
};

}  // namespace wb
