#include "tools/observer/dump_reader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/own_files.h"

namespace wb {

constexpr std::string_view kBegin = "=erl_crash_dump:";

std::string_view take_line(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

uint64_t decimal(std::string_view s) {
  uint64_t n = 0;
  for (char c : s) {
    if (c < '0' || c > '9') break;
    if (__builtin_mul_overflow(n, uint64_t{10}, &n) ||
        __builtin_add_overflow(n, static_cast<uint64_t>(c - '0'), &n))
      return UINT64_MAX;
  }
  return n;
}

uint64_t take_hex(std::string_view* s) {
  uint64_t n = 0;
  const auto [end, ec] = std::from_chars(s->data(), s->data() + s->size(), n, 16);
  s->remove_prefix(static_cast<size_t>(end - s->data()));
  return ec == std::errc() ? n : 0;
}

std::string_view DumpSection::field(std::string_view name) const {
  std::string_view rest = body;
  while (!rest.empty()) {
    std::string_view line = take_line(&rest);
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) continue;
    line.remove_prefix(name.size() + 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    return line;
  }
  return {};
}
uint64_t DumpSection::number(std::string_view name) const { return decimal(field(name)); }

DumpReader::~DumpReader() {
  if (bytes_) munmap(const_cast<char*>(bytes_), size_);
}

bool DumpReader::is_dump(const std::string& path) {
  char begin[kBegin.size()];
  size_t size;
  const int fd = open_regular_file(path, &size);
  if (fd < 0) return false;
  const bool is = read(fd, begin, sizeof begin) == static_cast<ssize_t>(sizeof begin) &&
                  std::string_view(begin, sizeof begin) == kBegin;
  close(fd);
  return is;
}

std::string DumpReader::open(const std::string& path) {
  const int fd = open_regular_file(path, &size_);
  if (fd < 0) return path + ": " + strerror(errno);
  void* at = size_ ? mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  const int why = size_ ? errno : 0;
  close(fd);
  if (at == MAP_FAILED) return path + ": " + (why ? strerror(why) : "an empty file");
  bytes_ = static_cast<const char*>(at);
  if (!std::string_view(bytes_, size_).starts_with(kBegin)) return path + ": no crash dump";
  find_sections();
  return {};
}

/// A section begins with a line that begins with "=".
void DumpReader::find_sections() {
  constexpr size_t kMostSections = 50'000'000;
  const char *at = bytes_, *end = bytes_ + size_;
  while (at < end && sections_.size() < kMostSections) {
    const char* line_end =
        static_cast<const char*>(memchr(at, '\n', static_cast<size_t>(end - at)));
    if (!line_end) line_end = end;
    std::string_view head(at + 1, static_cast<size_t>(line_end - at) - 1);
    const size_t colon = std::min(head.find(':'), head.size());
    const char* body = std::min(line_end + 1, end);
    const char* next = body;
    while (next < end && *next != '=') {
      next = static_cast<const char*>(memchr(next, '\n', static_cast<size_t>(end - next)));
      next = next ? next + 1 : end;
    }
    std::string_view id = head.substr(std::min(colon + 1, head.size()));
    if (id.ends_with('\r')) id.remove_suffix(1);
    sections_.push_back({head.substr(0, colon), id, {body, static_cast<size_t>(next - body)}});
    at = next;
  }
}

const DumpSection& DumpReader::first(std::string_view tag) const {
  static constexpr DumpSection kNothing;
  const auto found = std::ranges::find(sections_, tag, &DumpSection::tag);
  return found == sections_.end() ? kNothing : *found;
}

}  // namespace wb
