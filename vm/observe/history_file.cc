#include "vm/observe/history_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fnv.h"

namespace wb {
namespace {

constexpr std::string_view kMagic = "WBHISTRY";
// Header: magic; version, its own length, slots, slot_bytes, hello's length, 0 (4 bytes each);
// hello's sum (8), hello.
constexpr size_t kHelloAt = 40, kMostSlots = 4096, kMostSlotBytes = 16 << 20;

void put_number(std::string& out, uint64_t n, size_t bytes) {
  for (size_t k = 0; k < bytes; ++k) out += static_cast<char>(n >> (8 * k));
}
/// The caller has seen that it is there.
uint64_t get_number(std::string_view bytes, size_t at, size_t count) {
  uint64_t n = 0;
  for (size_t k = count; k-- > 0;) n = n << 8 | static_cast<uint8_t>(bytes[at + k]);
  return n;
}

/// FNV-1a, from a number that makes a look of another moment another one.
uint64_t sum_of(std::string_view text, uint64_t number, uint64_t wall_ms) {
  return fnv1a(text, kFnvStart ^ number ^ (wall_ms << 20));
}

/// False: there is something, and it cannot be read.
bool parse_look(std::string_view slot, HistoryLook* look) {
  if (slot.size() < HistoryFile::kLookBytes) return false;
  look->number = get_number(slot, 0, 8);
  if (look->number == 0) return true;
  look->wall_ms = get_number(slot, 8, 8);
  const uint64_t length = get_number(slot, 16, 8);
  if (length > slot.size() - HistoryFile::kLookBytes) return false;
  const std::string_view text = slot.substr(HistoryFile::kLookBytes, length);
  if (get_number(slot, 24, 8) != sum_of(text, look->number, look->wall_ms)) return false;
  look->json = text;
  return true;
}

}  // namespace

std::string parse_history(std::string_view bytes, History* history) {
  if (!bytes.starts_with(kMagic))
    return bytes.empty() ? "empty: no history of a machine, and no crash dump"
                         : "no history of a machine, and no crash dump";
  if (bytes.size() < kHelloAt) return "a history that was cut short: nothing is left of it";
  const uint64_t version = get_number(bytes, 8, 4), header = get_number(bytes, 12, 4);
  const uint64_t slots = get_number(bytes, 16, 4), slot_bytes = get_number(bytes, 20, 4);
  const uint64_t hello = get_number(bytes, 24, 4);
  if (version == 0 || version > HistoryFile::kVersion) {
    return "a history of version " + std::to_string(version) + ", and this command reads 1 to " +
           std::to_string(HistoryFile::kVersion);
  }
  history->version = static_cast<uint32_t>(version);
  if (slots == 0 || slots > kMostSlots || slot_bytes <= HistoryFile::kLookBytes ||
      slot_bytes > kMostSlotBytes || header < kHelloAt || hello > header - kHelloAt) {
    return "a history whose header is damaged";
  }
  if (bytes.size() < header) return "a history that was cut short: nothing is left of it";
  const std::string_view text = bytes.substr(kHelloAt, hello);
  if (get_number(bytes, 32, 8) != sum_of(text, 0, 0)) return "a history whose header is damaged";
  history->hello = text;
  history->cut = bytes.size() < header + slots * slot_bytes;
  for (uint64_t k = 0; k < slots; ++k) {
    const uint64_t at = header + k * slot_bytes;
    if (at >= bytes.size()) break;
    HistoryLook look;
    const bool read = parse_look(bytes.substr(at, slot_bytes), &look);
    if (!read) ++history->damaged;
    if (read && look.number) history->looks.push_back(std::move(look));
  }
  if (history->looks.empty()) {
    return history->cut ? "a history that was cut short: no look is left of it"
                        : "a history without a look: the machine ended before the first";
  }
  std::sort(history->looks.begin(), history->looks.end(),
            [](const HistoryLook& a, const HistoryLook& b) { return a.number < b.number; });
  return {};
}

HistoryFile::~HistoryFile() {
  if (fd_ >= 0) close(fd_);
}

std::string HistoryFile::put(const std::string& bytes, uint64_t at) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return path_ + ": " + strerror(errno);
    done += static_cast<size_t>(n);
  }
  return {};
}

std::string HistoryFile::create(const std::string& path) {
  path_ = path;
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600);
  const off_t size = static_cast<off_t>(kHeaderBytes + size_t{kSlots} * kSlotBytes);
  if (fd_ < 0 || ftruncate(fd_, size) != 0) return path + ": " + strerror(errno);
  return {};
}

std::string HistoryFile::write_hello(std::string_view json) {
  if (json.size() > kHeaderBytes - kHelloAt) return "the machine says too much of itself";
  std::string header(kMagic);
  for (uint64_t n : {uint64_t{kVersion}, uint64_t{kHeaderBytes}, uint64_t{kSlots},
                     uint64_t{kSlotBytes}, uint64_t{json.size()}, uint64_t{0}}) {
    put_number(header, n, 4);
  }
  put_number(header, sum_of(json, 0, 0), 8);
  header += json;
  return put(header, 0);
}

std::string HistoryFile::write_look(uint64_t wall_ms, std::string_view json) {
  if (!fits(json)) return "a look is too long";
  const uint64_t number = next_++;
  std::string look;
  look.reserve(kLookBytes + json.size());
  put_number(look, number, 8), put_number(look, wall_ms, 8);
  put_number(look, json.size(), 8), put_number(look, sum_of(json, number, wall_ms), 8);
  look += json;
  return put(look, kHeaderBytes + number % kSlots * uint64_t{kSlotBytes});
}

}  // namespace wb
