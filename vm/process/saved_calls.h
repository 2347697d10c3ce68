// What a process has called last: process_flag(save_calls, N), process_info(P, last_calls).
//
// Saved are calls of functions and BIFs through their export (by whatever call, and whoever makes
// it), and three events: send, 'receive', timeout. The ring of a process is its own; nobody else
// touches it. While some process saves calls, every export has a breakpoint that asks its caller
// whether it does (CallPatterns::save); else there is none, and nothing is paid. The events are
// noticed where traced processes are (traced::saves_calls).
//
// Rejected: a second table of code for such processes, as BEAM has, which every call through an
// export would have to choose from.
#pragma once

#include <memory>

#include "vm/process/process.h"

namespace wb {

struct Export;

class SavedCalls {
 public:
  static constexpr uint32_t kMost = 10000;
  explicit SavedCalls(uint32_t size) : size_(size), ring_(new Word[size]) {}

  uint32_t size() const { return size_; }
  void add(const Export& e) { add(reinterpret_cast<Word>(&e)); }
  /// The oldest first.
  Term list(Heap& h) const;

  void add(Word what) {
    ring_[next_] = what;
    if (++next_ == size_) next_ = 0;
    if (count_ < size_) ++count_;
  }

 private:
  const uint32_t size_;
  uint32_t next_ = 0, count_ = 0;
  std::unique_ptr<Word[]> ring_;  ///< an Export's address, or an event's atom
};

/// Saves `n` calls from now on, forgetting those of before; how many they were. By `p` itself.
uint32_t set_saved_calls(Process& p, uint32_t n);
uint32_t saved_calls_size(const Process& p);

/// Of a process that is_traced for traced::saves_calls.
void save_call(Process& p, const Export& e);
void save_event(Process& p, Term event);
/// It sends to what the program calls `to`; `by_operator`: there was no call of a BIF.
void save_send(Process& p, Term to, bool by_operator);

}  // namespace wb
