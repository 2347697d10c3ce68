#include "base/base.h"

#include <cstdio>
#include <cstdlib>

#include "base/cannot_start.h"

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
  fprintf(stderr, "whitebeam: cannot start: %s%s%s\n", why, error ? ": " : "",
          error ? strerror(error) : "");
  fflush(stderr);
  _Exit(2);
}

}  // namespace wb
