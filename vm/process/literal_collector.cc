#include "vm/process/literal_collector.h"

#include "vm/core/vm.h"
#include "vm/process/run.h"
#include "vm/process/send.h"

namespace wb {

LiteralCollector::~LiteralCollector() { delete dying_.load(std::memory_order_relaxed); }

void LiteralCollector::start() {
  SpawnOptions options;
  options.system = options.asleep = true;
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

void LiteralCollector::declare(DyingLiterals* dying) {
  DyingLiterals* before = dying_.exchange(dying, std::memory_order_acq_rel);
  if (!before) return;
  vm_.scheduler->retire(before, [](void* d) { delete static_cast<DyingLiterals*>(d); });
}

bool LiteralCollector::next() {
  current_.clear();
  auto dying = std::make_unique<DyingLiterals>();
  {
    std::lock_guard lock(lock_);
    size_t taken = 0;
    while (taken < waiting_.size() && dying->words() < kBatchWords) {
      waiting_[taken++]->spans(*dying);
    }
    auto end = waiting_.begin() + static_cast<ptrdiff_t>(taken);
    current_.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    woken_ = !current_.empty();
  }
  dying->seal();
  declare(current_.empty() ? nullptr : dying.release());
  return !current_.empty();
}

}  // namespace wb
