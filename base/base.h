// The smallest vocabulary: words, likelihood, and checks of our own invariants.
//
// WB_CHECK holds in every build, WB_DCHECK in debug builds only. Both are for mistakes of *ours*;
// a wrong program, a wrong file or a full disk is never a reason for them (see term/fault.h and
// base/result.h for what those get).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace wb {

using Word = uint64_t;
static_assert(sizeof(void*) == 8, "Whitebeam needs a 64-bit machine");

#define WB_LIKELY(x) __builtin_expect(!!(x), 1)
#define WB_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WB_INLINE inline __attribute__((always_inline))
#define WB_NOINLINE __attribute__((noinline))
#define WB_COLD __attribute__((noinline, cold))
#define WB_PRESERVE_MOST __attribute__((preserve_most))

/// Prints `file:line: what` and what to do, then aborts.
[[noreturn]] WB_COLD void check_failed(const char* file, int line, const char* what);

#define WB_CHECK(cond)                                                       \
  do {                                                                       \
    if (WB_UNLIKELY(!(cond))) ::wb::check_failed(__FILE__, __LINE__, #cond); \
  } while (0)
#ifdef NDEBUG
#define WB_DCHECK(cond) \
  do {                  \
  } while (0)
#else
#define WB_DCHECK(cond) WB_CHECK(cond)
#endif

constexpr size_t words_for_bytes(size_t bytes) { return (bytes + 7) / 8; }

}  // namespace wb
