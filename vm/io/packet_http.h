// HTTP/1 request lines, status lines and headers as the tuples that OTP's packet type http gives.
#pragma once

#include <string_view>

#include "term/heap.h"

namespace wb {

/// A line with its end: {http_request, ...}, {http_response, ...} or {http_error, Line}. Texts are
/// binaries if `binaries`, else lists.
Term http_first_line(Heap& h, std::string_view line, bool binaries);
/// {http_header, ...}, http_eoh or {http_error, Line}.
Term http_header_line(Heap& h, std::string_view line, bool binaries);

}  // namespace wb
