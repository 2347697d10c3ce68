// How the parts of a process come and go.
#include <new>

#include "gc/block_pool.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/relations.h"
#include "vm/process/saved_calls.h"
#include "vm/process/sequential.h"

namespace wb {

Term Process::error_handler() const {
  const RareParts* rare = rare_of(*this);
  return rare ? rare->error_handler : am::error_handler;
}

RareParts::RareParts() = default;
RareParts::~RareParts() = default;

ProcessExtra& Process::extras() {
  if (!extra) extra = new ProcessExtra;
  return *extra;
}
ReceiveParts& Process::make_receives() {
  auto& receive = extras().receive;
  receive = std::make_unique<ReceiveParts>();
  return *receive;
}
RareParts& Process::rare() {
  auto& rare = extras().rare;
  if (!rare) rare = std::make_unique<RareParts>();
  return *rare;
}
Relations& Process::relations() {
  if (!links) links = Relations::make();
  return *links;
}

Process* Process::make() {
  void* block = pool_alloc(kBlockBytes);
  return block ? new (block) Process : nullptr;
}
void Process::destroy(Process* p) {
  p->~Process();
  pool_free(p, kBlockBytes);
}

Process::~Process() {
  group_leader_of(*this).release();
  free_registers();
  delete extra;
  if (links) Relations::destroy(links);
}

}  // namespace wb
