// A file in memory behind a port: what file:open(Data, [ram]) and erl_tar's {binary, _} talk to, by
// way of OTP's ram_file.erl.
//
// A command is an operation's byte and its operands, numbers being 32 bits, big endian; an answer
// is a code's byte and what belongs to it (`Answer`). The position may be behind the end: a write
// there fills the gap with zeros.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wb {

class RamFile {
 public:
  RamFile() = default;
  ~RamFile();
  RamFile(const RamFile&) = delete;

  struct Answer {
    std::string head;                      ///< always given as a list
    std::optional<std::string_view> data;  ///< what follows; valid until the next command
  };
  /// Nothing: there is no such operation, and nobody answers.
  std::optional<Answer> run(std::string_view command);
  size_t memory() const { return capacity_; }

 private:
  Answer open(std::string_view mode_and_data);
  Answer read(uint32_t at, uint32_t n, bool moves);
  Answer write(uint32_t at, std::string_view bytes, bool moves);
  Answer seek(uint32_t offset, uint32_t from);
  Answer truncate();
  bool resize(size_t size);

  char* bytes_ = nullptr;
  size_t size_ = 0, capacity_ = 0, position_ = 0;
  bool readable_ = false, writable_ = false;
};

}  // namespace wb
