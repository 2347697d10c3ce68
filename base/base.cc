#include "base/base.h"

#include <cstdio>
#include <cstdlib>

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

}  // namespace wb
