#include "vm/process/slice_marks.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wb {
namespace {

// <linux/membarrier.h>
constexpr int kPrivateExpedited = 1 << 3, kRegisterPrivateExpedited = 1 << 4, kGlobal = 1;

}  // namespace

bool barrier_for_all_threads() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (syscall(SYS_membarrier, kPrivateExpedited, 0, 0) == 0) return true;
  return syscall(SYS_membarrier, kGlobal, 0, 0) == 0;
}

SliceMarks::~SliceMarks() {
  if (auto* marks = marks_.load()) munmap(static_cast<void*>(marks), bytes_);
}

bool SliceMarks::start(uint32_t slots) {
  if (!on()) {
    syscall(SYS_membarrier, kRegisterPrivateExpedited, 0, 0);
    if (!barrier_for_all_threads()) return false;
    bytes_ = slots / kSlots + sizeof(uint64_t);
    void* room = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return false;
    marks_.store(static_cast<std::atomic<uint8_t>*>(room), std::memory_order_release);
  }
  return true;
}

/// Slices may be in the middle of it, so it stays mapped.
void SliceMarks::forget() {
  if (auto* marks = marks_.load()) madvise(static_cast<void*>(marks), bytes_, MADV_DONTNEED);
}

uint64_t SliceMarks::read_eight(uint32_t from) const {
  using Eight [[gnu::may_alias]] = uint64_t;
  auto* marks = reinterpret_cast<const Eight*>(marks_.load(std::memory_order_relaxed) + from);
  return __atomic_load_n(marks, __ATOMIC_RELAXED);
}

void SliceMarks::begin_look(uint32_t slots) {
  std::atomic<uint8_t>* marks = marks_.load(std::memory_order_relaxed);
  uint32_t count = (slots + kSlots - 1) / kSlots;
  for (uint32_t k = 0; k < count; k += 8) {
    if (!read_eight(k)) continue;
    for (uint32_t i = k; i < k + 8; ++i) {
      if (marks[i].load(std::memory_order_relaxed) == kSet) {
        marks[i].store(kSeen, std::memory_order_relaxed);
      }
    }
  }
  barrier_for_all_threads();
}

void SliceMarks::finish_look(uint32_t mark, bool again) {
  std::atomic<uint8_t>& m = marks_.load(std::memory_order_relaxed)[mark];
  if (again) return m.store(kSet, std::memory_order_relaxed);
  uint8_t seen = kSeen;
  m.compare_exchange_strong(seen, kClear, std::memory_order_relaxed);
}

}  // namespace wb
