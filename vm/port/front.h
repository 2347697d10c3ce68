// What waits in front of a port: what processes have sent to a driver of a library that is at
// something else, or busy.
//
// A driver's callback holds its port's lock for as long as it likes (it may sleep), and all ports
// of a driver without port locking have one lock. Who sends to such a port, by a message or
// port_command/2, does not wait for it: what was sent is copied and put here, and whoever has the
// lock hands it over, where he takes it and where he gives it back. So a sender can go on before
// the driver has anything, as on BEAM.
//
// Data for a driver that is busy stay here; everything else (connect, close, links, monitors)
// overtakes them, but never what stands here of its own sender.
//
// A sender is suspended if the driver is busy, or if there are `high` bytes here or more
// (erl_drv_busy_msgq_limits), until it is not and there are less than `low`. Then it does again
// what it did.
//
// Lock: `lock` is a leaf. A port's lock is only tried under it, so that nothing of a sender's can
// be handed over while he puts in what comes after it.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "gc/fragment.h"
#include "vm/process/signal.h"

namespace wb {

class PortFront {
 public:
  enum class Kind : uint8_t {
    data,     ///< port_command/2: a list or binary
    command,  ///< {Owner, {command, Data}}
    message,  ///< any other message
    signal
  };
  struct Item {
    Kind kind;
    Address from;
    Term term = kNone;
    size_t bytes = 0;
    HeapFragment* fragment = nullptr;  ///< where the term is
    Signal* signal = nullptr;
    bool is_for_idle() const { return kind <= Kind::command; }
  };

  static constexpr size_t kItemBytes = 64;  ///< an item counts so many at least

  PortFront(size_t usual_low, size_t usual_high) : low(usual_low), high(usual_high) {}
  ~PortFront() { clear(); }

  /// Nothing is here: asked without the lock, of what was put in before.
  bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

  // --- under `lock` ---
  std::mutex lock;
  bool is_full() const { return bytes_ >= high && bytes_ > 0; }
  bool has(Address sender) const;
  /// The term is copied.
  void add(Kind kind, Address from, Term term, size_t bytes);
  void add(Signal* s);
  /// The first one that may be handed over.
  std::optional<Item> take(bool busy);
  void clear();
  /// Those who were suspended and may go on.
  std::vector<Term> take_waiting() { return std::exchange(waiting_, {}); }
  bool wakes(bool busy) const { return !waiting_.empty() && !busy && bytes_ < low; }
  void wait(Term pid) { waiting_.push_back(pid); }

  size_t low, high;

 private:
  std::deque<Item> items_;
  std::atomic<size_t> count_{0};
  size_t bytes_ = 0;
  std::vector<Term> waiting_;
};

/// Lets go of an item that has been handed over, or will not be.
void free_item(PortFront::Item& item);

}  // namespace wb
