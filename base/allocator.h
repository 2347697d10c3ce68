// What the machine asks of malloc beyond malloc.
#pragma once

#include <cstddef>

/// jemalloc's; null with another malloc (sanitizers have their own).
extern "C" int mallctl(const char* name, void* old, size_t* size, void* now, size_t now_size)
    __attribute__((weak));

namespace wb {

/// Where the address space has no room for another thread's part of the heap, jemalloc 5.3
/// dereferences a null pointer in that thread's first allocation. So under `ulimit -v` whoever
/// starts a thread asks for the room and waits until the thread has taken it.
[[nodiscard]] bool is_address_space_limited();
[[nodiscard]] bool has_room_for_thread_heap();
void take_thread_heap();  ///< of the calling thread

/// What the calling thread has freed and jemalloc keeps for it goes back.
void empty_thread_cache();

/// From now on jemalloc's own threads give back what nobody has wanted for a while. Their stacks
/// take 8 MB of address space each, so with a limited one allocating threads do it instead.
void give_back_in_background();

/// jemalloc's statistics are of this moment; nothing with another malloc.
void refresh_malloc_statistics();
/// One of them, or of its settings; 0: it has none of that name. Not with another malloc.
template <class T>
T read_malloc_value(const char* name) {
  T value{};
  size_t size = sizeof value;
  return mallctl(name, &value, &size, nullptr, 0) == 0 ? value : T{};
}

}  // namespace wb
