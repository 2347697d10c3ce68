#include "vm/process/literal_collector.h"

#include "vm/core/vm.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/process/spawn.h"

namespace wb {

LiteralCollector::~LiteralCollector() { delete releasing_.load(std::memory_order_relaxed); }

void LiteralCollector::start() {
  SpawnOptions options;
  options.system = options.asleep = true;
  options.priority = Priority::high;
  pid_ = spawn_process(vm_, nullptr, am::erts_literal_area_collector, am::start, kNil, options);
}

void LiteralCollector::retire(std::unique_ptr<RetiredLiterals> literals) {
  {
    std::lock_guard lock(lock_);
    waiting_.push_back(std::move(literals));
    if (woken_ || is_fault(pid_)) return;
    woken_ = true;
  }
  send_message(vm_, pid_, am::copy_literals);
}

void LiteralCollector::declare(ReleasingLiterals* releasing) {
  ReleasingLiterals* before = releasing_.exchange(releasing, std::memory_order_acq_rel);
  if (!before) return;
  vm_.scheduler->retire(before, [](void* d) { delete static_cast<ReleasingLiterals*>(d); });
}

bool LiteralCollector::next() {
  current_.clear();
  auto releasing = std::make_unique<ReleasingLiterals>();
  {
    std::lock_guard lock(lock_);
    size_t taken = 0;
    while (taken < waiting_.size() && releasing->words() < kBatchWords) {
      waiting_[taken++]->spans(*releasing);
    }
    auto end = waiting_.begin() + static_cast<ptrdiff_t>(taken);
    current_.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    woken_ = !current_.empty();
  }
  releasing->seal();
  declare(current_.empty() ? nullptr : releasing.release());
  return !current_.empty();
}

}  // namespace wb
