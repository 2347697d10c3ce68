#include "vm/jit/code_memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace wb {

namespace {
constexpr size_t kReach = size_t{3} << 29;  // well under 2 GB
size_t rounded(size_t size) { return (size + 15) & ~size_t{15}; }

/// A place for `size` bytes, multiples of kStep away from `home`, from which a jump reaches it.
uint8_t* map_near(uintptr_t home, size_t size, int protection, int flags, int file) {
  constexpr size_t kStep = size_t{64} << 20;
  const size_t below = (size + kStep - 1) / kStep * kStep;
  for (uintptr_t distance = kStep; distance + below < kReach; distance += kStep) {
    for (uintptr_t at : {home - distance - below, home + distance}) {
      void* p =
          mmap(reinterpret_cast<void*>(at), size, protection, flags | MAP_FIXED_NOREPLACE, file, 0);
      if (p == reinterpret_cast<void*>(at)) return static_cast<uint8_t*>(p);
      if (p != MAP_FAILED) munmap(p, size);
    }
  }
  return nullptr;
}
}  // namespace

std::unique_ptr<CodeMemory> CodeMemory::make(const void* near, Region region, size_t limit,
                                             bool anonymous) {
  std::unique_ptr<CodeMemory> m(new CodeMemory(limit));
  auto home =
      (reinterpret_cast<uintptr_t>(near) & ~uintptr_t{0xfffff}) + static_cast<size_t>(region);
  anonymous ? m->map_anonymous(home) : m->map_file(home);
  if (!m->write_ || !m->run_) return nullptr;
  m->free_[0] = limit;
  return m;
}

void CodeMemory::map_file(uintptr_t home) {
  int file = memfd_create("whitebeam-code", MFD_CLOEXEC);
  if (file < 0) return;
  if (ftruncate(file, static_cast<off_t>(limit_)) == 0) {
    void* w = mmap(nullptr, limit_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (w != MAP_FAILED) write_ = static_cast<uint8_t*>(w);
    run_ = map_near(home, limit_, PROT_READ | PROT_EXEC, MAP_SHARED, file);
  }
  close(file);
}

/// Shared memory of this process' own; moving none of its bytes maps it once more.
void CodeMemory::map_anonymous(uintptr_t home) {
  constexpr int kAnonymous = MAP_ANONYMOUS | MAP_NORESERVE;
  void* w = mmap(nullptr, limit_, PROT_READ | PROT_WRITE, MAP_SHARED | kAnonymous, -1, 0);
  if (w == MAP_FAILED) return;
  write_ = static_cast<uint8_t*>(w);
  uint8_t* address = map_near(home, limit_, PROT_NONE, MAP_PRIVATE | kAnonymous, -1);
  if (!address) return;
  void* r = mremap(w, 0, limit_, MREMAP_MAYMOVE | MREMAP_FIXED, address);
  bool mapped = r == address && mprotect(r, limit_, PROT_READ | PROT_EXEC) == 0;
  mapped ? void(run_ = address) : void(munmap(address, limit_));
}

CodeMemory::~CodeMemory() {
  if (write_) munmap(write_, limit_);
  if (run_) munmap(run_, limit_);
}

CodeMemory::Block CodeMemory::allocate(size_t size) {
  size = rounded(size);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->second < size) continue;
    size_t at = it->first, rest = it->second - size;
    free_.erase(it);
    if (rest) free_[at + size] = rest;
    used_ += size;
    return {write_ + at, run_ + at, size};
  }
  return {};
}

void CodeMemory::trim(Block& b, size_t size) {
  size = rounded(size);
  if (size == b.size) return;
  give_back({b.write + size, b.run + size, b.size - size});
  b.size = size;
}

void CodeMemory::give_back(const Block& b) {
  if (!b.write) return;
  used_ -= b.size;
  auto at = static_cast<size_t>(b.write - write_);
  auto it = free_.emplace(at, b.size).first;
  if (auto next = std::next(it); next != free_.end() && at + b.size == next->first) {
    it->second += next->second;
    free_.erase(next);
  }
  if (it == free_.begin()) return;
  if (auto before = std::prev(it); before->first + before->second == at) {
    before->second += it->second;
    free_.erase(it);
  }
}

}  // namespace wb
