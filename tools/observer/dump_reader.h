// The text of an erl_crash.dump, OTP's or ours: sections and their fields.
//
// The file is mapped, not read: a dump may be larger than memory. What stands in it is believed in
// nothing: sections may be cut, repeated, in any order, or no text at all; everything here is a
// view into the file, and what is not there reads as empty or 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wb {

struct DumpSection {
  std::string_view tag, id;  ///< "=tag:id"
  std::string_view body;     ///< its lines

  /// The rest of the line that begins with "NAME: ", or empty.
  std::string_view field(std::string_view name) const;
  uint64_t number(std::string_view name) const;
};

/// The first line of `text`, which is taken off; lines may end with \r\n.
std::string_view take_line(std::string_view* text);
/// As far as there are digits; what is larger than 64 bits is as large as can be.
uint64_t decimal(std::string_view s);
/// A hexadecimal number off the front; 0 if there is none, or it is too large.
uint64_t take_hex(std::string_view* s);

class DumpReader {
 public:
  DumpReader() = default;
  ~DumpReader();
  DumpReader(const DumpReader&) = delete;

  /// Is there a regular file that begins as a dump does?
  static bool is_dump(const std::string& path);
  /// Empty, or why not.
  std::string open(const std::string& path);

  const std::vector<DumpSection>& sections() const { return sections_; }
  /// The first of a tag; empty if there is none.
  const DumpSection& first(std::string_view tag) const;
  std::string_view version() const { return first("erl_crash_dump").id; }
  /// Its end is missing: who wrote it was killed, or had no room.
  bool is_cut() const { return first("end").tag.empty(); }

 private:
  void find_sections();
  const char* bytes_ = nullptr;
  size_t size_ = 0;
  std::vector<DumpSection> sections_;
};

}  // namespace wb
