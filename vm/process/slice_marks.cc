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

bool SliceMarks::start(Reader reader, uint32_t slots) {
  if (!marks_.load(std::memory_order_relaxed)) {
    syscall(SYS_membarrier, kRegisterPrivateExpedited, 0, 0);
    if (!barrier_for_all_threads()) return false;
    bytes_ = slots / kSlots + sizeof(uint64_t);
    void* room = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return false;
    marks_.store(static_cast<std::atomic<uint8_t>*>(room), std::memory_order_release);
  }
  readers_ |= 1U << static_cast<uint32_t>(reader);
  return true;
}

/// Slices may be in the middle of it, so it stays mapped.
void SliceMarks::forget(Reader reader) {
  readers_ &= ~(1U << static_cast<uint32_t>(reader));
  auto* marks = marks_.load(std::memory_order_relaxed);
  if (marks && !readers_) madvise(static_cast<void*>(marks), bytes_, MADV_DONTNEED);
}

uint64_t SliceMarks::read_eight(Reader reader, uint32_t from) const {
  using Eight [[gnu::may_alias]] = uint64_t;
  constexpr uint64_t kEach = 0x0303030303030303;
  auto* marks = reinterpret_cast<const Eight*>(marks_.load(std::memory_order_relaxed) + from);
  return __atomic_load_n(marks, __ATOMIC_RELAXED) >> shift_of(reader) & kEach;
}

bool SliceMarks::is_set(Reader reader, uint32_t mark) const {
  const auto* marks = marks_.load(std::memory_order_relaxed);
  return state_of(reader, marks[mark].load(std::memory_order_relaxed)) != kClear;
}

/// The reader's bits, if they are `from`; the others' stay.
void SliceMarks::change(std::atomic<uint8_t>& mark, Reader reader, State from, State to) {
  const uint32_t shift = shift_of(reader);
  uint8_t now = mark.load(std::memory_order_relaxed);
  while (state_of(reader, now) == from) {
    const auto changed = static_cast<uint8_t>((now & ~(3U << shift)) | uint32_t{to} << shift);
    if (mark.compare_exchange_weak(now, changed, std::memory_order_relaxed)) return;
  }
}

void SliceMarks::begin_look(Reader reader, uint32_t slots) {
  std::atomic<uint8_t>* marks = marks_.load(std::memory_order_relaxed);
  uint32_t count = (slots + kSlots - 1) / kSlots;
  for (uint32_t k = 0; k < count; k += 8) {
    if (!read_eight(reader, k)) continue;
    for (uint32_t i = k; i < k + 8; ++i) change(marks[i], reader, kSet, kSeen);
  }
  barrier_for_all_threads();
}

void SliceMarks::finish_look(Reader reader, uint32_t mark, bool again) {
  std::atomic<uint8_t>& m = marks_.load(std::memory_order_relaxed)[mark];
  if (!again) return change(m, reader, kSeen, kClear);
  change(m, reader, kClear, kSet);
  change(m, reader, kSeen, kSet);
}

}  // namespace wb
