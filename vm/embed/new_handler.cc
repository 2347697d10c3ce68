// Compiled with exceptions: elsewhere in the program `new` throws, as it always did.
#include "vm/embed/new_handler.h"

#include <atomic>
#include <new>

#include "base/instance.h"
#include "base/out_of_memory.h"

namespace wb {

static std::new_handler& handler_before() {
  static std::new_handler before = nullptr;
  return before;
}

static void no_memory() {
  if (this_instance) out_of_memory("internal", 0);
  if (handler_before()) return handler_before()();
  throw std::bad_alloc();
}

void install_embedded_new_handler() {
  static const bool once = [] {
    handler_before() = std::set_new_handler(no_memory);
    return true;
  }();
  (void)once;
}

}  // namespace wb
