// Which drivers are loaded, for people.
#pragma once

#include <string>
#include <vector>

namespace wb {

class Vm;

struct SeenDriver {
  std::string name, path;
  const char* state;
  size_t ports, users, jobs;
};
std::vector<SeenDriver> seen_drivers(Vm& vm);

}  // namespace wb
