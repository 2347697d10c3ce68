#include "term/atom_makers.h"

#include <atomic>

namespace wb {
namespace {

struct Slot {
  std::atomic<uint64_t> number{UINT64_MAX};
  std::atomic<const void*> vm{nullptr};
  std::atomic<Term> pid{kNone};
  std::atomic<const Word*> at{nullptr};
  std::atomic<uint64_t> ns{0};
};

/// As the atoms, of the whole program.
Slot& slot_of(uint32_t number) {
  static Slot* const slots = new Slot[kAtomMakers];
  return slots[number % kAtomMakers];
}

}  // namespace

void note_atom_maker(uint32_t number, const AtomMaker& maker) {
  Slot& s = slot_of(number);
  const uint64_t before = s.number.exchange(UINT64_MAX, std::memory_order_acquire);
  if (before != UINT64_MAX && before > number) {  // a newer one has its place
    s.number.store(before, std::memory_order_release);
    return;
  }
  s.vm.store(maker.vm, std::memory_order_release);
  s.pid.store(maker.pid, std::memory_order_release);
  s.at.store(maker.at, std::memory_order_release);
  s.ns.store(maker.ns, std::memory_order_release);
  s.number.store(number, std::memory_order_release);
}

std::optional<AtomMaker> atom_maker(uint32_t number) {
  Slot& s = slot_of(number);
  if (s.number.load(std::memory_order_acquire) != number) return {};
  const AtomMaker maker{s.vm.load(std::memory_order_acquire), s.pid.load(std::memory_order_acquire),
                        s.at.load(std::memory_order_acquire), s.ns.load(std::memory_order_acquire)};
  if (s.number.load(std::memory_order_acquire) != number) return {};
  return maker;
}

}  // namespace wb
