// Where the contents of deleted tables go: small ones are freed at once, large ones by a thread of
// their own, so that deleting ten million objects stalls no scheduler and no other process.
//
// The thread starts with the first large corpse and ends with the Graveyard. It frees memory and
// does nothing that a program can observe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "scheduler/thread.h"

namespace wb {

/// Contents that are nobody's any more; the destructor frees them.
struct Corpse {
  virtual ~Corpse() = default;
};

class Graveyard {
 public:
  Graveyard() = default;
  ~Graveyard();
  Graveyard(const Graveyard&) = delete;

  /// `objects`: how many the corpse holds.
  void bury(std::unique_ptr<Corpse> corpse, uint64_t objects);

 private:
  void work();
  static constexpr uint64_t kSmall = 20000;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<Corpse>> waiting_;
  Thread thread_;
  bool closing_ = false;
};

}  // namespace wb
