#include "base/build_id.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>

using namespace wb;

namespace {
std::string first_page(const char* file) {
  std::string page(kElfPage, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(page.data(), kElfPage);
  page.resize(static_cast<size_t>(in.gcount()));
  return page;
}
/// A file with this in it, while it lives.
struct Written {
  explicit Written(const std::string& bytes) {
    const int fd = mkstemp(path.data());
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(fd);
  }
  ~Written() { std::remove(path.c_str()); }
  std::string path = "/tmp/wb-build-id-XXXXXX";  ///< mkstemp's template, until it is made
};
}  // namespace

TEST_CASE("build id: of a file, and of its first page, as of the running program") {
  BuildId running{}, file{}, page{};
  REQUIRE(find_build_id(&running));
  REQUIRE(find_build_id("/proc/self/exe", &file));
  CHECK(file == running);
  REQUIRE(find_build_id(Written(first_page("/proc/self/exe")).path, &page));
  CHECK(page == running);
}

TEST_CASE("build id: files that have none") {
  BuildId id{};
  CHECK(!find_build_id("/nonexistent", &id));
  CHECK(!find_build_id("/", &id));
  CHECK(!find_build_id("/dev/null", &id));
  CHECK(!find_build_id(Written("#!/bin/sh\n").path, &id));
  const std::string page = first_page("/proc/self/exe");
  CHECK(!find_build_id(Written(page.substr(0, 40)).path, &id));
  CHECK(!find_build_id(Written(page.substr(0, 100)).path, &id));
  CHECK(id == BuildId{});
}

TEST_CASE("build id: damaged headers are read without harm") {
  const std::string page = first_page("/proc/self/exe");
  std::mt19937_64 random(1);
  for (int k = 0; k < 2000; ++k) {
    std::string damaged = page;
    for (int n = 0; n < 4; ++n)
      damaged[random() % 1024] = static_cast<char>(random() % 3 ? 0xff : random());
    BuildId id{};
    (void)find_build_id(Written(damaged).path, &id);
  }
}
