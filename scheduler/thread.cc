#include "scheduler/thread.h"

#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <optional>

namespace wb {

constexpr size_t kStackBytes = size_t{4} << 20;

bool Thread::start(const char* name, Main main, void* argument) {
  snprintf(name_, sizeof name_, "%s", name);
  main_ = main;
  argument_ = argument;
  instance_ = this_instance;
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  int error = pthread_create(&handle_, &attributes, enter, this);
  pthread_attr_destroy(&attributes);
  started_ = error == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return started_;
}

void Thread::join() {
  if (!started_) return;
  pthread_join(handle_, nullptr);
  started_ = false;
}

void* Thread::enter(void* self) {
  Thread& thread = *static_cast<Thread*>(self);
  pthread_setname_np(pthread_self(), thread.name_);
  std::optional<InstanceScope> scope;
  if (thread.instance_) scope.emplace(*thread.instance_);
  thread.main_(thread.argument_);
  return nullptr;
}

}  // namespace wb
