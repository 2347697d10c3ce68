// A program in one file: this executable, behind it all that the program needs, and a trailer that
// says so.
//
//   EXECUTABLE | PACK, a zstd frame | TRAILER
//
// The pack is a directory: entries of (kind, length of name, length of data, name, data), names
// relative, `/` between their parts. Whoever starts such a file unpacks it once into a directory of
// the user's own, whose name has the pack's hash, and starts the machine in there (start_bundle.h).
// It appears whole or not at all: written under another name, then renamed. So any number may start
// at once and be killed at any moment.
//
// What is read here may be cut short or damaged: the hash finds accidents, and no length or name is
// believed. Who changes the file on purpose can change the executable in front as well.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wb {

struct BundleTrailer {
  static constexpr std::array<char, 8> kMagic{'w', 'b', 'b', 'u', 'n', 'd', 'l', '1'};
  std::array<char, 8> magic = kMagic;
  uint64_t executable = 0, packed = 0, unpacked = 0;  ///< bytes
  uint64_t hash[2] = {0, 0};                          ///< XXH3, 128 bits, of the pack
};

/// Of an unpacked pack, whose bytes they are. `name` stays below wherever it is unpacked.
struct BundleEntry {
  enum Kind : uint32_t { kFile, kExecutable, kLink } kind;
  std::string name;
  std::span<const uint8_t> data;
};

/// Collects what a program needs.
class BundleWriter {
 public:
  /// `name`: in the pack; `most`: bytes of it. False: the file cannot be read; error() says why.
  bool add_file(const std::string& name, const std::string& path, size_t most = SIZE_MAX);
  void add_text(const std::string& name, const std::string& text);
  void add_link(const std::string& name, const std::string& target);
  /// The files below a directory that are wanted, by their path below it; links are followed.
  bool add_directory(const std::string& name, const std::string& path,
                     const std::function<bool(const std::string&)>& wanted);
  /// Writes the executable file `out`: `executable`, and what was added.
  bool write(const std::string& out, const std::string& executable);
  const std::string& error() const { return error_; }
  uint64_t unpacked() const { return pack_.size(); }

 private:
  void add(BundleEntry::Kind kind, const std::string& name, std::span<const uint8_t> data);
  bool failed(const std::string& path, const char* why);
  std::vector<uint8_t> pack_;
  std::string error_;
};

/// The trailer of an open file; nothing: it has none.
std::optional<BundleTrailer> read_bundle_trailer(int fd);
/// Of a directory to unpack into: the hash.
std::string bundle_directory_name(const BundleTrailer& trailer);
/// Makes `directory`, which is not there, of an open bundle: its files, and `bin/whitebeam`, the
/// executable alone. Empty, or what is wrong; then nothing is left of it.
std::string unpack_bundle(int fd, const BundleTrailer& trailer, const std::string& directory);

/// False: it is damaged.
bool read_entries(std::span<const uint8_t> pack, std::vector<BundleEntry>* entries);

}  // namespace wb
