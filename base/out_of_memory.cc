#include "base/out_of_memory.h"

#include <cstdio>
#include <cstdlib>

namespace wb {

void out_of_memory(const char* what, size_t bytes) {
  fprintf(stderr,
          "whitebeam: out of memory: cannot allocate %zu bytes for %s.\n"
          "The program needs more memory than this machine, container or ulimit allows.\n",
          bytes, what);
  fflush(stderr);
  _Exit(1);
}

}  // namespace wb
