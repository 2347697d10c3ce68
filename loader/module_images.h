// Images of modules (module_image.h) in files of the user's own, so that what was loaded once loads
// quickly in every later run.
//
//   DIRECTORY/BUILD/KEY      BUILD: the identity of this executable, KEY: a hash of the .beam's
//                            bytes
//   DIRECTORY/BUILD/hot-KEY  code that LLVM has made of it (vm/orc/kept_code.h)
//
// What is in there becomes code that nobody checks again. So the directory must be the user's, with
// nothing for anybody else (0700), the files as well and no links; a file must be of this very
// executable and release of OTP, have been made of a .beam of this length and hash, and have the
// checksum that it says. Any other is as if it were not there, and is replaced.
//
// A file is written under a name of its own and then renamed, so nobody sees half of one, and two
// machines that write the same harm nobody. Nothing waits for the disk. Files that were used last
// stay: when all of them together exceed the limit, at the end of a run that has written some, the
// others are removed. Which was used says the time of modification, to within a day.
//
// Hashes are XXH3, 128 bits of the .beam, 64 of the image: they find accidents. Who can choose
// .beam files with the same hash can have his own loaded anyway.
//
// From any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/build_id.h"
#include "loader/code.h"

namespace wb {

class ModuleImages {
 public:
  static constexpr uint64_t kLimit = 512u << 20;  ///< bytes, of all files

  /// Where a program of `whitebeam build` has unpacked itself, `images` in there (start_bundle.h);
  /// else $XDG_CACHE_HOME/whitebeam/images or ~/.cache/whitebeam/images; empty: there is no home.
  static std::string usual_directory();
  /// Makes the directory. Null and *why: it cannot be made or is not the user's alone.
  static std::unique_ptr<ModuleImages> open(const std::string& directory, std::string* why);
  ~ModuleImages();
  ModuleImages(const ModuleImages&) = delete;

  static ImageKey key_of(std::span<const uint8_t> beam, uint32_t release);
  /// Where an image is read to: memory that the next one gets, for a boot reads a hundred of them,
  /// and memory that was never touched costs more than what stands in it. Not beyond its owner.
  class Memory {
   public:
    explicit Memory(ModuleImages* owner);
    ~Memory();
    Memory(const Memory&) = delete;
    uint8_t* take(size_t bytes);  ///< aligned for link_image; once

   private:
    ModuleImages* const owner_;
    std::unique_ptr<uint64_t[]> words_;
    size_t size_ = 0;
  };
  struct Counts {
    std::atomic<uint64_t> used{0}, written{0}, refused{0};  ///< refused: damaged or foreign ones
  };
  /// An image; empty: there is none.
  std::span<const uint8_t> read(const ImageKey& key, Memory& memory) {
    return read(key, memory, counts);
  }
  std::span<const uint8_t> read(const ImageKey& key, Memory& memory, Counts& counts);
  void write(const ImageKey& key, std::span<const uint8_t> image) { write(key, image, counts); }
  void write(const ImageKey& key, std::span<const uint8_t> image, Counts& counts);

  /// Of all builds.
  struct Use {
    uint64_t files = 0, bytes = 0;
    uint64_t hot = 0;  ///< of the files, those of hot code
  };
  static Use use(const std::string& directory);
  /// Removes what was used longest ago until `limit` bytes are left. False: the directory is not
  /// the user's alone.
  static bool prune(const std::string& directory, uint64_t limit);

  Counts counts;      ///< of modules' images
  Counts hot_counts;  ///< of what is kept beside them (vm/orc/kept_code.h)

 private:
  struct Header;
  ModuleImages(std::string directory, int fd, const BuildId& build);
  Header header_for(const ImageKey& key, std::span<const uint8_t> image) const;
  static std::string name_of(const ImageKey& key);

  const std::string directory_;
  const int fd_;  ///< of the build's directory
  const BuildId build_;
  std::atomic<bool> writable_{true};  ///< until a write fails
  std::atomic<uint32_t> names_{0};
  static constexpr size_t kSpareWords = 64 * 1024;  ///< 97 of a hundred are smaller
  std::atomic<uint64_t*> spare_{nullptr};           ///< kSpareWords of them, while nobody reads
};

}  // namespace wb
