// +M: what BEAM's allocators take. This machine's memory is another, so values are only checked,
// in erts_alloc(3)'s terms.
#pragma once

#include <string>
#include <string_view>

namespace wb {

struct AllocatorFlag {
  std::string complaint;  ///< empty: all is well
  bool takes_next = false;
};

/// `text`: what follows the M; `next`: the argument after it, empty if there is none.
AllocatorFlag check_allocator_flag(std::string_view text, std::string_view next);

}  // namespace wb
