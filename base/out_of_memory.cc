#include "base/out_of_memory.h"

#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/instance.h"

namespace wb {

void out_of_memory(const char* type, size_t bytes, const char* before) {
  char size[32] = "more", text[512];
  if (bytes) snprintf(size, sizeof size, "%zu bytes of", bytes);
  snprintf(text, sizeof text,
           "%swhitebeam: Cannot allocate %s memory (of type \"%s\").\n"
           "The program needs more memory than --max-memory, this machine, its container or ulimit "
           "allow.\n",
           before, size, type);
  end_instance(kExitOutOfMemory, text);
}

void* must_malloc(size_t bytes, const char* type) {
  void* p = malloc(bytes);
  if (!p && bytes) out_of_memory(type, bytes);
  return p;
}
void* must_calloc(size_t count, size_t bytes, const char* type) {
  void* p = calloc(count, bytes);
  if (!p && count && bytes) out_of_memory(type, count * bytes);
  return p;
}
void* must_realloc(void* block, size_t bytes, const char* type) {
  void* p = realloc(block, bytes);
  if (!p && bytes) out_of_memory(type, bytes);
  return p;
}

void install_new_handler() {
  std::set_new_handler([] { out_of_memory("internal", 0); });
}

}  // namespace wb
