// The option lists of re:compile/2, re:run/3 and re:internal_run/4.
#pragma once

#include "term/atom.h"
#include "vm/bif/regex.h"

namespace wb {

struct ReOptions {
  RegexOptions regex;     ///< for compiling; newline and bsr also for running
  bool exports = false;   ///< since OTP 28: what is compiled is to be carried elsewhere
  bool compiles = false;  ///< an option was given that only compiling takes
  bool runs = false;      ///< an option was given that only running takes
  uint32_t flags = 0;     ///< for pcre2_match
  bool global = false;
  bool report_errors = false;
  size_t offset = 0;
  int64_t match_limit = -1;  ///< -1: default
  int64_t depth_limit = -1;
  Term capture = am::all;
  Term capture_type = am::index;
};

/// False for an unknown option or an improper list.
bool parse_re_options(Term list, ReOptions* options);

}  // namespace wb
