#include "base/instance.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/exit_codes.h"

namespace wb {

void end_instance(int exit_code, const char* message) {
  if (this_instance && this_instance->on_fatal) {
    this_instance->on_fatal(this_instance->host, exit_code, message);
    for (;;) pause();
  }
  fputs(message, stderr);
  fflush(stderr);
  if (exit_code == kExitAborted) abort();
  _Exit(exit_code);
}

}  // namespace wb
