#include "term/term.h"

namespace wb {

namespace {
constexpr uint8_t kRaw[] = {
#define KIND(name, raw, offheap) raw,
#include "term/boxed_kinds.def"
#undef KIND
};
constexpr bool kOffHeap[] = {
#define KIND(name, raw, offheap) offheap != 0,
#include "term/boxed_kinds.def"
#undef KIND
};
constexpr const char* kNames[] = {
#define KIND(name, raw, offheap) #name,
#include "term/boxed_kinds.def"
#undef KIND
};
static_assert(sizeof(kRaw) <= 32, "a header has five bits for the kind");
}  // namespace

uint8_t raw_words(Kind k) { return kRaw[static_cast<int>(k)]; }
bool owns_off_heap(Kind k) { return kOffHeap[static_cast<int>(k)]; }
const char* kind_name(Kind k) { return kNames[static_cast<int>(k)]; }

}  // namespace wb
