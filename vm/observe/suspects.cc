#include "vm/observe/suspects.h"

#include <algorithm>
#include <bit>

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/observe/calls.h"
#include "vm/observe/table_scan.h"
#include "vm/process/run.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr auto kReader = SliceMarks::Reader::suspects;
constexpr uint32_t kSlots = SliceMarks::kSlots;

}  // namespace

Suspects::~Suspects() {
  if (marked_) vm_.host->mark_slices(kReader, false);
}

void Suspects::begin_pass(uint32_t slots) {
  const uint32_t marks = (slots + kSlots - 1) / kSlots;
  for (auto& bits : bits_) {
    if (bits.size() < marks) bits.resize(marks);
  }
  if (!marked_) marked_ = vm_.host->mark_slices(kReader, true);
  if (marked_) vm_.host->marks.begin_look(kReader, slots);
}

void Suspects::pass() {
  const uint32_t slots = vm_.processes->used();
  begin_pass(slots);
  AwaitingCode code(vm_);
  for (uint32_t from = 0; from < slots; from += kChunk) {
    ReaderGuard guard(vm_.scheduler->progress());
    read_chunk(from, std::min(from + kChunk, slots), code);
  }
  known_ = marked_ ? slots / kSlots : 0;
}

bool Suspects::is_known(uint32_t mark) const {
  return mark < known_ && !vm_.host->marks.is_set(kReader, mark);
}

void Suspects::read_chunk(uint32_t from, uint32_t to, AwaitingCode& code) {
  constexpr uint32_t kAhead = 2;
  const uint32_t end = (to + kSlots - 1) / kSlots;
  for (uint32_t mark = from / kSlots; mark < end; ++mark) {
    if (const uint32_t next = mark + kAhead; (next + 1) * kSlots <= to && !is_known(next))
      vm_.processes->read_ahead(next * kSlots, (next + 1) * kSlots);
    if (!is_known(mark)) read_eight(mark, to, code);
  }
}

void Suspects::read_eight(uint32_t mark, uint32_t to, AwaitingCode& code) {
  uint8_t suspects = 0, awaits = 0;
  bool again = false;
  const uint32_t from = mark * kSlots;
  for (uint32_t k = 0; k < std::min(kSlots, to - from); ++k) {
    const Process* p = vm_.processes->at(from + k);
    if (!p) continue;
    again |= p->is_in_a_slice();
    suspects |= static_cast<uint8_t>((warning_count(*p) != 0) << k);
    awaits |= static_cast<uint8_t>(code.at(p->resume) << k);
  }
  bits_[suspect][mark] = suspects, bits_[awaiting][mark] = awaits;
  if (marked_) vm_.host->marks.finish_look(kReader, mark, again);
}

size_t Suspects::count(Kind kind) const {
  size_t n = 0;
  for (uint8_t bits : bits_[kind]) n += static_cast<size_t>(std::popcount(bits));
  return n;
}

/// Who has ended since is left out.
void Suspects::add_eight(uint32_t mark, uint8_t bits, size_t most, std::vector<Term>* pids) const {
  for (; bits && pids->size() < most; bits &= static_cast<uint8_t>(bits - 1)) {
    const auto k = static_cast<uint32_t>(std::countr_zero(bits));
    if (const Process* p = vm_.processes->at(mark * kSlots + k)) pids->push_back(p->id);
  }
}

std::vector<Term> Suspects::some(Kind kind, size_t most, uint32_t turn) const {
  const std::vector<uint8_t>& bits = bits_[kind];
  const size_t chunks = (bits.size() + kChunk - 1) / kChunk;
  std::vector<Term> pids;
  for (size_t c = 0; c < chunks && pids.size() < most; ++c) {
    const size_t from = (c + turn) % chunks * kChunk, to = std::min(from + kChunk, bits.size());
    ReaderGuard guard(vm_.scheduler->progress());
    for (size_t mark = from; mark < to; ++mark) {
      if (bits[mark]) add_eight(static_cast<uint32_t>(mark), bits[mark], most, &pids);
    }
  }
  return pids;
}

size_t Suspects::memory() const {
  size_t bytes = marked_ ? known_ : 0;
  for (const auto& bits : bits_) bytes += bits.capacity();
  return bytes;
}

}  // namespace wb
