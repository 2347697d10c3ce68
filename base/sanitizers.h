// What the sanitizers are told: which memory of ours is free although it is mapped.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WB_HAS_ASAN 1
#endif
#endif

#ifdef WB_HAS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace wb {

#ifdef WB_HAS_ASAN
constexpr bool kAsan = true;
inline void asan_poison(const void* p, size_t bytes) { __asan_poison_memory_region(p, bytes); }
inline void asan_unpoison(const void* p, size_t bytes) { __asan_unpoison_memory_region(p, bytes); }
/// Mapped memory that may hold the only pointer to something allocated.
inline void leak_root(const void* p, size_t bytes) { __lsan_register_root_region(p, bytes); }
#else
constexpr bool kAsan = false;
inline void asan_poison(const void*, size_t) {}
inline void asan_unpoison(const void*, size_t) {}
inline void leak_root(const void*, size_t) {}
#endif

}  // namespace wb
