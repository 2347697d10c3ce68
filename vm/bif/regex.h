// Regular expressions: PCRE2 behind the forms that OTP's `re` promises.
//
// A compiled pattern, as programs see it, is {re_pattern, Captures, Unicode, Crlf, Packed}. Up to
// OTP 27 it may be sent to other nodes, stored, and even embedded in a module's literals, so Packed
// is a binary and not machine state: the pattern's text and options behind a mark. From OTP 28 on
// Packed is a magic reference, which refers to the same bytes; no two patterns are equal then, and
// none outlives its node. The code that PCRE2 makes of Packed is kept in a small cache per thread,
// keyed by its bytes; patterns given as text use the same cache. So a pattern that is used again
// costs one hash and one compare, no code has to be released, and no lock is taken.
//
// Rejected: a magic reference that owns PCRE2's code (a release before 28 cannot have one), a cache
// shared by threads (locks), PCRE2's JIT (its memory is writable and executable at once).
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"

namespace wb {

/// What decides how a pattern is compiled.
struct RegexOptions {
  uint32_t flags = 0;         ///< PCRE2_CASELESS ...
  uint32_t newline = 0;       ///< PCRE2_NEWLINE_LF ..., 0: default (lf)
  uint32_t bsr = 0;           ///< PCRE2_BSR_UNICODE ..., 0: default (unicode)
  bool inconsistent = false;  ///< several were given that exclude each other
};

struct RegexError {
  std::string text;  ///< as PCRE 8, which OTP 25 has inside, says it
  size_t position;
};

struct Regex {
  pcre2_code* code = nullptr;
  pcre2_match_data* data = nullptr;
  uint32_t captures = 0;
  bool unicode = false, crlf = false;

  /// Gives back memory that a deep match has made PCRE2 keep.
  void drop_match_memory();
  /// Names of groups, sorted, each once.
  std::vector<std::string> names() const;
  /// Number of the group `name` that took part in the last match (the first of that name), or -1.
  int group_of(const std::string& name, int matched_groups) const;
};

/// The bytes that a re_pattern refers to.
std::string pack_regex(std::string_view pattern, const RegexOptions& options);
/// False if `packed` is none of ours.
bool unpack_regex(std::string_view packed, std::string_view* pattern, RegexOptions* options);

/// Compiled, from this thread's cache if possible; valid until the next call. nullptr: see *error.
Regex* compile_regex(std::string_view pattern, const RegexOptions& options, RegexError* error);

}  // namespace wb
