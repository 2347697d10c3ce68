// Logical processors that a thread may run on.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>

namespace wb {

class CpuSet {
 public:
  /// Those of thread `id`, of the whole process' first one by its number; empty: nobody knows.
  static CpuSet of_thread(pid_t id) {
    for (size_t cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
      CpuSet s(cpus);
      if (sched_getaffinity(id, s.bytes_, s.set_.get()) == 0) return s;
    }
    return CpuSet(1);
  }
  static CpuSet one(int32_t logical) {
    CpuSet s(static_cast<size_t>(logical) + 1);
    CPU_SET_S(static_cast<size_t>(logical), s.bytes_, s.set_.get());
    return s;
  }
  bool contains(int32_t logical) const {
    return CPU_ISSET_S(static_cast<size_t>(logical), bytes_, set_.get());
  }
  uint32_t count() const { return static_cast<uint32_t>(CPU_COUNT_S(bytes_, set_.get())); }
  bool bind(pid_t thread) const { return sched_setaffinity(thread, bytes_, set_.get()) == 0; }
  /// Of threads to come.
  void put_into(pthread_attr_t* attributes) const {
    if (count()) pthread_attr_setaffinity_np(attributes, bytes_, set_.get());
  }

 private:
  explicit CpuSet(size_t cpus) : bytes_(CPU_ALLOC_SIZE(cpus)), set_(CPU_ALLOC(cpus)) {
    CPU_ZERO_S(bytes_, set_.get());
  }
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  size_t bytes_;
  std::unique_ptr<cpu_set_t, Free> set_;
};

}  // namespace wb
