#include "base/base.h"

#include <cstdio>
#include <cstring>

#include "base/cannot_start.h"
#include "base/exit_codes.h"
#include "base/instance.h"

namespace wb {

void check_failed(const char* file, int line, const char* what) {
  char text[1024];
  snprintf(text, sizeof text,
           "whitebeam: internal error at %s:%d: %s\n"
           "This is a mistake in Whitebeam, not in your program. Please report it with the command "
           "that led here.\n",
           file, line, what);
  end_instance(kExitAborted, text);
}

void cannot_start(const char* why, int error) {
  char text[256];
  snprintf(text, sizeof text, "whitebeam: cannot start: %s%s%s\n", why, error ? ": " : "",
           error ? strerror(error) : "");
  end_instance(2, text);
}

}  // namespace wb
