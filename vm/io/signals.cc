#include "vm/io/signals.h"

#include <pthread.h>
#include <unistd.h>

#include "vm/io/services.h"
#include "vm/vm.h"

namespace wb {

EndingSignals::EndingSignals(Vm& vm) : vm_(vm) {
  sigemptyset(&set_);
  for (int s : {SIGINT, SIGTERM}) {
    struct sigaction now;
    bool ignored = sigaction(s, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&set_, s);  // started with nohup or in the background
  }
  sigaddset(&set_, SIGUSR2);  // our own: the end
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
  thread_ = std::thread([this] { serve(); });
}

EndingSignals::~EndingSignals() {
  over_.store(true, std::memory_order_release);
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void EndingSignals::serve() {
  bool ending = false;
  for (int s; !over_.load(std::memory_order_acquire);) {
    if (sigwait(&set_, &s) != 0 || s == SIGUSR2) continue;
    if (ending) _exit(128 + s);
    ending = true;
    vm_.services->halt(128 + s);
  }
}

}  // namespace wb
