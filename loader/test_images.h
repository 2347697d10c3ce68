// For tests: a directory of images that goes with the test.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace wb {

class ImageDirectory {
 public:
  ImageDirectory() { REQUIRE(mkdtemp(path.data())); }
  ~ImageDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& f : std::filesystem::recursive_directory_iterator(path)) {
      if (f.is_regular_file()) found.push_back(f.path());
    }
    return found;
  }
  std::string path = "/tmp/wb-images-XXXXXX";  ///< mkdtemp's template, until it is made
};

}  // namespace wb
