// PCRE2's compile errors in the words (and positions) of PCRE 8, for releases of OTP before 28.
#pragma once

#include "vm/bif/regex.h"

namespace wb {

RegexError regex_error(int code, std::string_view pattern, size_t position);

}  // namespace wb
