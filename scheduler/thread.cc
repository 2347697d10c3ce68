#include "scheduler/thread.h"

#include <signal.h>

#include <cstdio>
#include <initializer_list>

namespace wb {

bool Thread::start(const char* name, Main main, void* argument) {
  snprintf(name_, sizeof name_, "%s", name);
  main_ = main;
  argument_ = argument;
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  started_ = pthread_create(&handle_, nullptr, enter, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
  thread.main_(thread.argument_);
  return nullptr;
}

}  // namespace wb
