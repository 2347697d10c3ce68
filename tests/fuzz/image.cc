// libFuzzer: a file in the place of a module's image (loader/module_images.h). Nothing is read of
// it but an image that has its checksum and the length that it says, for nobody looks at what is in
// one.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <span>

#include "base/base.h"
#include "loader/module_images.h"

using namespace wb;
namespace fs = std::filesystem;

namespace {

constexpr uint8_t kBeam[] = {'a'}, kImage[] = "an image";

struct Place {
  std::string directory = "/tmp/fuzz_image.XXXXXX";
  std::unique_ptr<ModuleImages> images;
  ImageKey key = ModuleImages::key_of(kBeam, 25);
  fs::path file;
  Place() {
    WB_CHECK(mkdtemp(directory.data()));
    std::string why;
    images = ModuleImages::open(directory + "/images", &why);
    WB_CHECK(images);
    images->write(key, kImage);
    for (const auto& entry : fs::recursive_directory_iterator(directory))
      if (entry.is_regular_file()) file = entry.path();
    WB_CHECK(!file.empty());
  }
  ~Place() { fs::remove_all(directory); }
};

}  // namespace

/// The first two bytes of the input say how much of a good file is kept before the rest.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Place place;
  static const std::vector<uint8_t> good = [] {
    std::vector<uint8_t> bytes(fs::file_size(place.file));
    const int fd = open(place.file.c_str(), O_RDONLY | O_CLOEXEC);
    WB_CHECK(fd >= 0 && read(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(fd);
    return bytes;
  }();
  if (size < 2) return 0;
  std::vector<uint8_t> bytes(good.begin(), good.begin() + (data[0] % (good.size() + 1)));
  bytes.insert(bytes.end(), data + 2, data + size);
  if (data[1] && !bytes.empty()) bytes[(data[1] * 7u) % bytes.size()] ^= data[0];
  const int fd = open(place.file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  WB_CHECK(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(fd);
  ModuleImages::Memory memory(place.images.get());
  const std::span<const uint8_t> read = place.images->read(place.key, memory);
  // Of 64 bits of a hash that nobody has chosen: only what was written is read again.
  WB_CHECK(read.empty() || bytes == good);
  WB_CHECK(bytes != good || read.size() == sizeof kImage);
  return 0;
}
