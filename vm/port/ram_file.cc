#include "vm/port/ram_file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace wb {
namespace {

enum class Operation : uint8_t {
  open = 1,
  read = 2,
  seek = 3,
  write = 4,
  sync = 9,
  truncate = 14,
  pread = 17,
  pwrite = 18,
  data_sync = 19,
  contents = 30,
  size = 37,
  advise = 38,
  allocate = 39,
};
enum class Code : char { ok = 0, error = 1, data = 2, number = 3 };
enum class From : uint32_t { start = 0, position = 1, end = 2 };
constexpr uint32_t kRead = 1, kWrite = 2;  ///< of a mode
constexpr size_t kLimit = INT32_MAX;

RamFile::Answer just(Code code, std::string_view text = {}) {
  std::string head(1, static_cast<char>(code));
  return {head.append(text), std::nullopt};
}
RamFile::Answer error(std::string_view name) { return just(Code::error, name); }
RamFile::Answer number(size_t n) {
  char digits[4];
  for (int k = 4; k-- > 0; n >>= 8) digits[k] = static_cast<char>(n);
  return just(Code::number, {digits, 4});
}
RamFile::Answer data(std::string_view bytes) {
  RamFile::Answer a = number(bytes.size());
  a.head[0] = static_cast<char>(Code::data);
  a.data = bytes;
  return a;
}

/// Takes a number off the front. False: there is none.
bool take_int(std::string_view* in, uint32_t* n) {
  if (in->size() < 4) return false;
  *n = 0;
  for (int k = 0; k < 4; ++k) *n = *n << 8 | static_cast<uint8_t>((*in)[k]);
  in->remove_prefix(4);
  return true;
}

}  // namespace

RamFile::~RamFile() { free(bytes_); }

/// New bytes are zero. False: no memory.
bool RamFile::resize(size_t size) {
  if (size > capacity_) {
    size_t capacity = std::min(kLimit, std::max(size, capacity_ * 2));
    auto* bytes = static_cast<char*>(realloc(bytes_, capacity));
    if (!bytes) return false;
    bytes_ = bytes, capacity_ = capacity;
  }
  if (size > size_) memset(bytes_ + size_, 0, size - size_);
  size_ = size;
  return true;
}

RamFile::Answer RamFile::open(std::string_view operands) {
  uint32_t mode;
  if (!take_int(&operands, &mode)) return error("einval");
  readable_ = mode & kRead, writable_ = mode & kWrite;
  position_ = size_ = 0;
  if (operands.size() > kLimit) return error("efbig");
  if (!resize(operands.size())) return error("enomem");
  std::copy(operands.begin(), operands.end(), bytes_);
  return number(0);
}

RamFile::Answer RamFile::read(uint32_t at, uint32_t n, bool moves) {
  if (!readable_) return error("ebadf");
  if (at > kLimit || n > kLimit) return error("einval");
  size_t from = std::min<size_t>(at, size_), bytes = std::min<size_t>(n, size_ - from);
  if (moves) position_ += bytes;
  return data(bytes ? std::string_view(bytes_ + from, bytes) : std::string_view());
}

RamFile::Answer RamFile::write(uint32_t at, std::string_view bytes, bool moves) {
  if (!writable_) return error("ebadf");
  if (at > kLimit) return error("einval");
  size_t end = at + bytes.size();
  if (end > kLimit) return error("efbig");
  if (end > size_ && !resize(end)) return error("enomem");
  std::copy(bytes.begin(), bytes.end(), bytes_ + at);
  if (moves) position_ = end;
  return number(bytes.size());
}

RamFile::Answer RamFile::seek(uint32_t offset, uint32_t from) {
  if (from > static_cast<uint32_t>(From::end)) return error("einval");
  const size_t starts[] = {0, position_, size_};
  int64_t to = static_cast<int64_t>(starts[from]) + static_cast<int32_t>(offset);
  if (to < 0 || to > static_cast<int64_t>(kLimit)) return error("einval");
  return number(position_ = static_cast<size_t>(to));
}

RamFile::Answer RamFile::truncate() {
  if (!writable_) return error("eacces");
  return resize(position_) ? just(Code::ok) : error("enomem");
}

std::optional<RamFile::Answer> RamFile::run(std::string_view command) {
  if (command.empty()) return std::nullopt;
  auto operation = static_cast<Operation>(command[0]);
  command.remove_prefix(1);
  const auto here = static_cast<uint32_t>(position_);
  uint32_t a, b;
  switch (operation) {
    case Operation::open:
      return open(command);
    case Operation::read:
      return take_int(&command, &a) ? read(here, a, true) : error("einval");
    case Operation::pread:
      return take_int(&command, &a) && take_int(&command, &b) ? read(a, b, false) : error("einval");
    case Operation::write:
      return write(here, command, true);
    case Operation::pwrite:
      return take_int(&command, &a) ? write(a, command, false) : error("einval");
    case Operation::seek:
      return take_int(&command, &a) && take_int(&command, &b) ? seek(a, b) : error("einval");
    case Operation::truncate:
      return truncate();
    case Operation::contents:
      return data(size_ ? std::string_view(bytes_, size_) : std::string_view());
    case Operation::size:
      return number(size_);
    case Operation::sync:
    case Operation::data_sync:
    case Operation::advise:
    case Operation::allocate:
      return just(Code::ok);
  }
  return std::nullopt;
}

}  // namespace wb
