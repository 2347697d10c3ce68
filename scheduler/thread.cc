#include "scheduler/thread.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <optional>

#include "base/allocator.h"
#include "scheduler/cpu_set.h"

namespace wb {

bool Thread::start(const char* name, Main main, void* argument, size_t stack_bytes) {
  snprintf(name_, sizeof name_, "%s", name);
  main_ = main;
  argument_ = argument;
  instance_ = this_instance;
  const bool is_limited = is_address_space_limited();
  if (is_limited && !has_room_for_thread_heap()) {
    errno = ENOMEM;
    return false;
  }
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  // Who is bound to one logical processor (vm/core/cpu_binding.h) does not pass that on.
  if (CpuSet::of_thread(0).count() == 1) CpuSet::of_thread(getpid()).put_into(&attributes);
  int error = pthread_create(&handle_, &attributes, enter, this);
  pthread_attr_destroy(&attributes);
  started_ = error == 0;
  if (started_ && is_limited) has_heap_.wait(false);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return started_;
}

void Thread::join() {
  if (!started_) return;
  pthread_join(handle_, nullptr);
  started_ = false;
  has_heap_ = false;
}

void* Thread::enter(void* self) {
  Thread& thread = *static_cast<Thread*>(self);
  take_thread_heap();
  thread.has_heap_ = true;
  thread.has_heap_.notify_one();
  pthread_setname_np(pthread_self(), thread.name_);
  std::optional<InstanceScope> scope;
  if (thread.instance_) scope.emplace(*thread.instance_);
  thread.main_(thread.argument_);
  return nullptr;
}

}  // namespace wb
