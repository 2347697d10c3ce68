// What the sanitizers are notified of: which memory of ours is free although it is mapped, and
// which stack runs (fiber.h).
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WB_HAS_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define WB_HAS_TSAN 1
#endif
#endif

#ifdef WB_HAS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#ifdef WB_HAS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/// Before a function that C code may call with any number for an enumerator.
#define WB_ANY_ENUM __attribute__((no_sanitize("enum")))

namespace wb {

#ifdef WB_HAS_ASAN
constexpr bool kAsan = true;
inline void asan_poison(const void* p, size_t bytes) { __asan_poison_memory_region(p, bytes); }
inline void asan_unpoison(const void* p, size_t bytes) { __asan_unpoison_memory_region(p, bytes); }
/// Mapped memory that may hold the only pointer to something allocated.
inline void leak_root(const void* p, size_t bytes) { __lsan_register_root_region(p, bytes); }
inline void asan_start_switch(void** fake_stack, const void* bottom, size_t bytes) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
}
inline void asan_finish_switch(void* fake_stack, const void** old_bottom, size_t* old_bytes) {
  __sanitizer_finish_switch_fiber(fake_stack, old_bottom, old_bytes);
}
#else
constexpr bool kAsan = false;
inline void asan_poison(const void*, size_t) {}
inline void asan_unpoison(const void*, size_t) {}
inline void leak_root(const void*, size_t) {}
inline void asan_start_switch(void**, const void*, size_t) {}
inline void asan_finish_switch(void*, const void**, size_t*) {}
#endif

#ifdef WB_HAS_TSAN
inline void* tsan_current_fiber() { return __tsan_get_current_fiber(); }
inline void* tsan_create_fiber() { return __tsan_create_fiber(0); }
inline void tsan_destroy_fiber(void* f) { __tsan_destroy_fiber(f); }
inline void tsan_switch_to_fiber(void* f) { __tsan_switch_to_fiber(f, 0); }
#else
inline void* tsan_current_fiber() { return nullptr; }
inline void* tsan_create_fiber() { return nullptr; }
inline void tsan_destroy_fiber(void*) {}
inline void tsan_switch_to_fiber(void*) {}
#endif

#if defined(WB_HAS_ASAN) || defined(WB_HAS_TSAN)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace wb
