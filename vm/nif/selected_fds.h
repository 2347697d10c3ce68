// The descriptors that resources of native libraries are selected for (select.cc).
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/ranked_lock.h"

namespace wb {

class SelectedFd;

struct SelectedFds {
  SelectedFds();
  ~SelectedFds();
  void clear();  ///< the machine ends: nothing is polled any more
  RankedLock<LockRank::selected_fds> lock;
  std::unordered_map<int, std::unique_ptr<SelectedFd>> by_fd;
};

}  // namespace wb
