#include "base/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#include "base/sanitizers.h"

namespace wb {
namespace {

constexpr size_t kStackBytes = 4 << 20;  // reserved; only what is touched costs memory
constexpr size_t kGuardBytes = 64 << 10;

}  // namespace

Fiber::Fiber() : tsan_fiber_(tsan_current_fiber()) {}

Fiber::Fiber(void* memory)
    : memory_(memory),
      bottom_(static_cast<char*>(memory) + kGuardBytes),
      bytes_(kStackBytes - kGuardBytes),
      tsan_fiber_(tsan_create_fiber()) {}

Fiber::~Fiber() {
  if (!memory_) return;
  tsan_destroy_fiber(tsan_fiber_);
  asan_unpoison(bottom_, bytes_);
  munmap(memory_, kStackBytes);
}

Fiber* Fiber::make(Main main, void* argument) {
  void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* fiber = new Fiber(memory);
  if (mprotect(memory, kGuardBytes, PROT_NONE) != 0 || getcontext(&fiber->context_) != 0) {
    delete fiber;
    return nullptr;
  }
  fiber->main_ = main;
  fiber->argument_ = argument;
  fiber->context_.uc_stack.ss_sp = const_cast<void*>(fiber->bottom_);
  fiber->context_.uc_stack.ss_size = fiber->bytes_;
  fiber->context_.uc_link = nullptr;
  auto self = reinterpret_cast<uintptr_t>(fiber);
  makecontext(&fiber->context_, reinterpret_cast<void (*)()>(enter), 2,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  return fiber;
}

void Fiber::enter(unsigned high, unsigned low) {
  auto* self = reinterpret_cast<Fiber*>(uintptr_t{high} << 32 | low);
  asan_finish_switch(nullptr, &self->from_->bottom_, &self->from_->bytes_);
  self->main_(self->argument_);
  __builtin_trap();
}

void Fiber::switch_to(Fiber& to) {
  to.from_ = this;
  asan_start_switch(&fake_stack_, to.bottom_, to.bytes_);
  tsan_switch_to_fiber(to.tsan_fiber_);
  swapcontext(&context_, &to.context_);
  asan_finish_switch(fake_stack_, &from_->bottom_, &from_->bytes_);
}

}  // namespace wb
