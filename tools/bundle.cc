#include "tools/bundle.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/own_files.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

struct EntryHeader {
  uint32_t kind, name_bytes;
  uint64_t data_bytes;
};

constexpr int kLevel = 9;                       // of compression: a second for what OTP needs
constexpr uint64_t kMostUnpacked = 8ull << 30;  // what a damaged trailer may ask for
constexpr uint64_t kMostRatio = 10000;          // a frame that unpacks to more is none of ours
constexpr uint32_t kLongestName = 4096;
constexpr const char* kDamaged = "this program's file is damaged";

std::string said(const std::string& path, int error) {
  return fmt::format("{}: {}", path, strerror(error));
}

/// What of a file lies at [from, from + n), to be read.
class Mapped {
 public:
  Mapped(int fd, uint64_t n) : n_(n), at_(mmap(nullptr, n, PROT_READ, MAP_PRIVATE, fd, 0)) {}
  ~Mapped() {
    if (at_ != MAP_FAILED) munmap(at_, n_);
  }
  Mapped(const Mapped&) = delete;
  bool ok() const { return at_ != MAP_FAILED; }
  std::span<const uint8_t> bytes(uint64_t from, uint64_t n) const {
    return {static_cast<const uint8_t*>(at_) + from, n};
  }

 private:
  const uint64_t n_;
  void* const at_;
};

/// Does it stay below the directory that it is unpacked into?
bool is_safe(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != name.npos) return false;
  for (size_t from = 0; from <= name.size();) {
    const size_t end = std::min(name.find('/', from), name.size());
    const std::string_view part = name.substr(from, end - from);
    if (part.empty() || part == "." || part == "..") return false;
    from = end + 1;
  }
  return true;
}

std::string write_file(const std::string& path, std::span<const uint8_t> data, mode_t mode) {
  FileDescriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (fd < 0) return said(path, errno);
  if (int error = write_all(fd, data.data(), data.size())) return said(path, error);
  const int error = fd.close();
  return error ? said(path, error) : "";
}

/// Files, and the directories of all. Links come later, so that none is ever followed.
std::string write_entry(const BundleEntry& entry, const fs::path& directory) {
  const fs::path path = directory / entry.name;
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  if (ec) return fmt::format("{}: {}", path.parent_path().string(), ec.message());
  if (entry.kind == BundleEntry::kLink) return "";
  return write_file(path, entry.data, entry.kind == BundleEntry::kExecutable ? 0700 : 0600);
}
std::string write_link(const BundleEntry& entry, const fs::path& directory) {
  if (entry.kind != BundleEntry::kLink) return "";
  const std::string path = directory / entry.name, target(entry.data.begin(), entry.data.end());
  return symlink(target.c_str(), path.c_str()) == 0 ? "" : said(path, errno);
}

}  // namespace

// --- writing -------------------------------------------------------------------------------------
bool BundleWriter::failed(const std::string& path, const char* why) {
  error_ = path + ": " + why;
  return false;
}

void BundleWriter::add(BundleEntry::Kind kind, const std::string& name,
                       std::span<const uint8_t> data) {
  const EntryHeader entry{kind, static_cast<uint32_t>(name.size()), data.size()};
  const auto* header = reinterpret_cast<const uint8_t*>(&entry);
  pack_.insert(pack_.end(), header, header + sizeof entry);
  pack_.insert(pack_.end(), name.begin(), name.end());
  pack_.insert(pack_.end(), data.begin(), data.end());
}

void BundleWriter::add_text(const std::string& name, const std::string& text) {
  add(BundleEntry::kFile, name, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}
void BundleWriter::add_link(const std::string& name, const std::string& target) {
  add(BundleEntry::kLink, name, {reinterpret_cast<const uint8_t*>(target.data()), target.size()});
}

bool BundleWriter::add_file(const std::string& name, const std::string& path, size_t most) {
  if (name.size() > kLongestName || !is_safe(name)) return failed(name, "no name for a file");
  FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat s;
  if (fd < 0 || fstat(fd, &s) != 0) return failed(path, strerror(errno));
  if (!S_ISREG(s.st_mode)) return failed(path, "not a file");
  std::vector<uint8_t> data(std::min(static_cast<size_t>(s.st_size), most));
  size_t have = 0;
  while (have < data.size()) {
    const ssize_t got = ::read(fd, data.data() + have, data.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path, strerror(errno));
    if (got == 0) return failed(path, "became shorter");
    have += static_cast<size_t>(got);
  }
  add(s.st_mode & 0100 ? BundleEntry::kExecutable : BundleEntry::kFile, name, data);
  return true;
}

bool BundleWriter::add_directory(const std::string& name, const std::string& path,
                                 const std::function<bool(const std::string&)>& wanted) {
  // Links to directories are followed, as releases have them; a loop of them ends at a depth.
  const auto options = fs::directory_options::follow_directory_symlink;
  constexpr int kDeepest = 40;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(path, options, ec), end; !ec && at != end;
       at.increment(ec)) {
    if (at.depth() >= kDeepest) return failed(at->path(), "too deep");
    const std::string below = at->path().lexically_relative(path);
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || !wanted(below)) continue;
    if (!add_file(name + "/" + below, at->path())) return false;
  }
  return ec ? failed(path, ec.message().c_str()) : true;
}

bool BundleWriter::write(const std::string& out, const std::string& executable) {
  std::vector<uint8_t> packed(ZSTD_compressBound(pack_.size()));
  const size_t size =
      ZSTD_compress(packed.data(), packed.size(), pack_.data(), pack_.size(), kLevel);
  if (ZSTD_isError(size)) return failed(out, ZSTD_getErrorName(size));
  BundleTrailer trailer;
  trailer.packed = size;
  trailer.unpacked = pack_.size();
  const XXH128_hash_t hash = XXH3_128bits(packed.data(), size);
  trailer.hash[0] = hash.low64, trailer.hash[1] = hash.high64;
  FileDescriptor from(open(executable.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat s;
  if (from < 0 || fstat(from, &s) != 0) return failed(executable, strerror(errno));
  trailer.executable = static_cast<uint64_t>(s.st_size);
  Mapped program(from, trailer.executable);
  if (!program.ok()) return failed(executable, strerror(errno));

  const std::string unfinished = fmt::format("{}.{}.new", out, getpid());
  FileDescriptor to(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0777));
  if (to < 0) return failed(out, strerror(errno));
  const auto* end = reinterpret_cast<const uint8_t*>(&trailer);
  int error = write_all(to, program.bytes(0, trailer.executable).data(), trailer.executable);
  if (!error) error = write_all(to, packed.data(), size);
  if (!error) error = write_all(to, end, sizeof trailer);
  if (!error) error = to.close();
  if (!error && rename(unfinished.c_str(), out.c_str()) != 0) error = errno;
  if (!error) return true;
  unlink(unfinished.c_str());
  return failed(out, strerror(error));
}

// --- reading -------------------------------------------------------------------------------------
std::optional<BundleTrailer> read_bundle_trailer(int fd) {
  struct stat s;
  BundleTrailer t;
  if (fstat(fd, &s) != 0 || s.st_size < static_cast<off_t>(sizeof t)) return {};
  const auto size = static_cast<uint64_t>(s.st_size) - sizeof t;
  if (pread(fd, &t, sizeof t, static_cast<off_t>(size)) != sizeof t) return {};
  if (t.magic != BundleTrailer::kMagic) return {};
  if (t.executable > size || t.packed != size - t.executable) return {};
  return t;
}

std::string bundle_directory_name(const BundleTrailer& trailer) {
  return fmt::format("{:016x}{:016x}", trailer.hash[1], trailer.hash[0]);
}

bool read_entries(std::span<const uint8_t> pack, std::vector<BundleEntry>* entries) {
  for (size_t at = 0; at < pack.size();) {
    EntryHeader h;
    if (pack.size() - at < sizeof h) return false;
    memcpy(&h, pack.data() + at, sizeof h);
    at += sizeof h;
    if (h.kind > BundleEntry::kLink || h.name_bytes > kLongestName ||
        h.name_bytes > pack.size() - at)
      return false;
    BundleEntry entry{static_cast<BundleEntry::Kind>(h.kind),
                      {reinterpret_cast<const char*>(pack.data() + at), h.name_bytes},
                      {}};
    at += h.name_bytes;
    if (h.data_bytes > pack.size() - at || !is_safe(entry.name)) return false;
    entry.data = pack.subspan(at, h.data_bytes);
    at += h.data_bytes;
    entries->push_back(std::move(entry));
  }
  return true;
}

static std::string write_entries(std::span<const uint8_t> pack, const std::string& directory) {
  std::vector<BundleEntry> entries;
  if (!read_entries(pack, &entries)) return kDamaged;
  for (auto* write : {write_entry, write_link}) {
    for (const BundleEntry& entry : entries) {
      if (std::string error = write(entry, directory); !error.empty()) return error;
    }
  }
  return "";
}

static std::string unpack_into(int fd, const BundleTrailer& t, const std::string& directory) {
  const Mapped file(fd, t.executable + t.packed);
  if (!file.ok()) return strerror(errno);
  const auto packed = file.bytes(t.executable, t.packed);
  const XXH128_hash_t hash = XXH3_128bits(packed.data(), packed.size());
  if (hash.low64 != t.hash[0] || hash.high64 != t.hash[1]) return kDamaged;
  if (t.unpacked > kMostUnpacked || t.unpacked / kMostRatio > t.packed ||
      ZSTD_getFrameContentSize(packed.data(), packed.size()) != t.unpacked)
    return kDamaged;
  std::vector<uint8_t> pack(t.unpacked);
  const size_t size = ZSTD_decompress(pack.data(), pack.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) || size != pack.size()) return kDamaged;
  if (std::string error = write_entries(pack, directory); !error.empty()) return error;
  std::error_code ec;
  fs::create_directories(directory + "/bin", ec);
  return write_file(directory + "/bin/whitebeam", file.bytes(0, t.executable), 0700);
}

std::string unpack_bundle(int fd, const BundleTrailer& trailer, const std::string& directory) {
  const std::string unfinished = fmt::format("{}.{}.new", directory, getpid());
  std::error_code ec;
  fs::remove_all(unfinished, ec);  // of a process of this number that was killed
  if (mkdir(unfinished.c_str(), 0700) != 0) return said(unfinished, errno);
  const mode_t usual = umask(077);  // for directories in it: images must be the user's own
  std::string error = unpack_into(fd, trailer, unfinished);
  umask(usual);
  if (error.empty() && rename(unfinished.c_str(), directory.c_str()) == 0) return "";
  const int renaming = errno;
  fs::remove_all(unfinished, ec);
  if (!error.empty()) return error;
  // Somebody else may have been faster.
  return fs::is_directory(directory, ec) ? "" : said(directory, renaming);
}

}  // namespace wb
