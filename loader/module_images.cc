#include "loader/module_images.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/own_files.h"
#include "base/users_cache.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

constexpr uint64_t kMostBytes = 64u << 20;  // of one file
constexpr time_t kDay = 24 * 60 * 60;
constexpr std::string_view kHot = "hot-";

std::string hex(const void* bytes, size_t n) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string s;
  for (size_t k = 0; k < n; ++k) {
    const uint8_t b = static_cast<const uint8_t*>(bytes)[k];
    s += kDigits[b >> 4], s += kDigits[b & 15];
  }
  return s;
}

/// Made if it is not there; -1 and errno if it is not the user's alone.
int open_directory(int at, const char* path) {
  if (mkdirat(at, path, 0700) != 0 && errno != EEXIST) return -1;
  int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat s;
  if (fstat(fd, &s) == 0 && is_users_own(s)) return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

struct ImageFile {
  fs::path path;
  time_t used;
  uint64_t bytes;
};
/// Links are not followed. Other files than ours are not looked for.
std::vector<ImageFile> all_files(const std::string& directory) {
  std::vector<ImageFile> files;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(directory, ec), end; !ec && at != end;
       at.increment(ec)) {
    struct stat s;
    if (lstat(at->path().c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
    files.push_back({at->path(), s.st_mtime, static_cast<uint64_t>(s.st_size)});
  }
  return files;
}

}  // namespace

struct ModuleImages::Header {
  char magic[8] = {'W', 'B', 'I', 'M', 'A', 'G', 'E', '1'};
  BuildId build;
  ImageKey key;
  uint64_t bytes;     ///< that follow
  uint64_t checksum;  ///< of them
};

std::string ModuleImages::usual_directory() {
  std::error_code none;
  const fs::path own = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  if (own.has_filename() && is_own_directory(own / "images") && fs::exists(own / "start", none))
    return own / "images";
  const std::string cache = users_cache();
  return cache.empty() ? cache : cache + "/images";
}

std::unique_ptr<ModuleImages> ModuleImages::open(const std::string& directory, std::string* why) {
  auto failed = [&](const char* reason) {
    *why = directory + ": " + reason;
    return nullptr;
  };
  if (geteuid() != getuid()) return failed("runs with another user's rights");
  BuildId id{};
  if (!find_build_id(&id)) return failed("this executable has no build id");
  std::error_code ec;
  fs::create_directories(fs::path(directory).parent_path(), ec);
  FileDescriptor all(open_directory(AT_FDCWD, directory.c_str()));
  if (all < 0) return failed(strerror(errno));
  const int build = open_directory(all, hex(id.data(), 8).c_str());
  if (build < 0) return failed(strerror(errno));
  return std::unique_ptr<ModuleImages>(new ModuleImages(directory, build, id));
}

ModuleImages::ModuleImages(std::string directory, int fd, const BuildId& build)
    : directory_(std::move(directory)), fd_(fd), build_(build) {}

ModuleImages::~ModuleImages() {
  delete[] spare_.load();
  close(fd_);
  if (counts.written.load(std::memory_order_relaxed) +
      hot_counts.written.load(std::memory_order_relaxed))
    prune(directory_, kLimit);
}

ImageKey ModuleImages::key_of(std::span<const uint8_t> beam, uint32_t release) {
  const XXH128_hash_t h = XXH3_128bits(beam.data(), beam.size());
  return {h.low64, h.high64, beam.size(), release};
}

std::string ModuleImages::name_of(const ImageKey& key) {
  const size_t usual = offsetof(ImageKey, beside);
  return key.beside ? std::string(kHot) + hex(&key, sizeof key) : hex(&key, usual);
}

ModuleImages::Header ModuleImages::header_for(const ImageKey& key,
                                              std::span<const uint8_t> image) const {
  static_assert(sizeof(Header) % 8 == 0, "what follows is aligned");
  return {.build = build_,
          .key = key,
          .bytes = image.size(),
          .checksum = XXH3_64bits(image.data(), image.size())};
}

ModuleImages::Memory::Memory(ModuleImages* owner) : owner_(owner) {}

ModuleImages::Memory::~Memory() {
  if (size_ != kSpareWords) return;
  delete[] owner_->spare_.exchange(words_.release());
}

uint8_t* ModuleImages::Memory::take(size_t bytes) {
  size_ = std::max((bytes + 7) / 8, kSpareWords);
  if (size_ == kSpareWords) words_.reset(owner_->spare_.exchange(nullptr));
  if (!words_) words_ = std::make_unique_for_overwrite<uint64_t[]>(size_);
  return reinterpret_cast<uint8_t*>(words_.get());
}

std::span<const uint8_t> ModuleImages::read(const ImageKey& key, Memory& memory, Counts& counts) {
  FileDescriptor fd(
      openat(fd_, name_of(key).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (fd < 0) return {};
  counts.refused.fetch_add(1, std::memory_order_relaxed);  // until it is found good
  struct stat s;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || !is_users_own(s)) return {};
  const auto size = static_cast<uint64_t>(s.st_size);
  Header h;
  if (size < sizeof h || size > kMostBytes || read_all(fd, &h, sizeof h)) return {};
  const std::span image(memory.take(size - sizeof h), size - sizeof h);
  if (read_all(fd, image.data(), image.size())) return {};
  const Header good = header_for(key, image);
  if (memcmp(&h, &good, sizeof h) != 0) return {};
  if (time(nullptr) - s.st_mtime > kDay) futimens(fd, nullptr);
  counts.refused.fetch_sub(1, std::memory_order_relaxed);
  counts.used.fetch_add(1, std::memory_order_relaxed);
  return image;
}

void ModuleImages::write(const ImageKey& key, std::span<const uint8_t> image, Counts& counts) {
  if (!writable_.load(std::memory_order_relaxed) || image.size() > kMostBytes / 2) return;
  const Header h = header_for(key, image);
  const std::string name = name_of(key);
  const std::string own = name + "." + std::to_string(getpid()) + "." + std::to_string(++names_);
  FileDescriptor fd(
      openat(fd_, own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const bool whole =
      fd >= 0 && !write_all(fd, &h, sizeof h) && !write_all(fd, image.data(), image.size());
  if (whole && renameat(fd_, own.c_str(), fd_, name.c_str()) == 0) {
    counts.written.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (fd >= 0) unlinkat(fd_, own.c_str(), 0);
  writable_.store(false, std::memory_order_relaxed);
}

ModuleImages::Use ModuleImages::use(const std::string& directory) {
  Use u;
  for (const ImageFile& f : all_files(directory)) {
    ++u.files, u.bytes += f.bytes;
    u.hot += f.path.filename().string().starts_with(kHot);
  }
  return u;
}

bool ModuleImages::prune(const std::string& directory, uint64_t limit) {
  FileDescriptor all(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat s;
  if (all < 0 || fstat(all, &s) != 0 || !is_users_own(s)) return false;
  std::vector<ImageFile> files = all_files(directory);
  std::ranges::sort(files, {}, &ImageFile::used);
  uint64_t bytes = 0;
  for (const ImageFile& f : files) bytes += f.bytes;
  std::error_code ec;
  const time_t yesterday = time(nullptr) - kDay;
  for (const ImageFile& f : files) {
    const bool half = f.path.has_extension() && f.used < yesterday;  // its writer was killed
    if (bytes <= limit && !half) continue;
    if (fs::remove(f.path, ec)) bytes -= f.bytes;
    fs::remove(f.path.parent_path(), ec);  // the last of a build
  }
  return true;
}

}  // namespace wb
