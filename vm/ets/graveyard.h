// The contents of deleted tables. Whoever deletes a table, or ends and owns it, frees them and
// gives others their turn meanwhile (dissolve): so deleting ten million objects stalls no
// scheduler, and nobody makes garbage faster than it is taken away. What is left over when a
// process is killed in the middle of that goes to the graveyard, whose thread starts with the first
// large corpse and ends with the Graveyard. Nothing here can be observed by a program.
//
// Rejected: a thread that frees all large tables (one thread does not keep up with the tables of
// many schedulers, and takes a core from them).
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "base/pace.h"
#include "scheduler/thread.h"

namespace wb {

/// Contents that are nobody's any more; the destructor frees them.
struct Corpse {
  virtual ~Corpse() = default;
  /// Frees them one by one, a step an object. False: `pace` stopped it, some are left.
  virtual bool dissolve(Pace& pace) = 0;
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
