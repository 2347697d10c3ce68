#include "base/base.h"

#include <cstdio>
#include <cstdlib>

#include "base/cannot_start.h"
#include "base/instance.h"

namespace wb {

void check_failed(const char* file, int line, const char* what) {
  fprintf(stderr,
          "whitebeam: internal error at %s:%d: %s\n"
          "This is a mistake in Whitebeam, not in your program. Please report it with the command "
          "that led here.\n",
          file, line, what);
  fflush(stderr);
  abort();
}

void cannot_start(const char* why, int error) {
  char text[256];
  snprintf(text, sizeof text, "whitebeam: cannot start: %s%s%s\n", why, error ? ": " : "",
           error ? strerror(error) : "");
  end_instance(2, text);
}

}  // namespace wb
