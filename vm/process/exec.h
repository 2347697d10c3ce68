// The execution context of one scheduler thread.
//
// Handlers keep HP, E, FC and x0..x2 in machine registers. Before calling C++ they are *spilled*
// here (and HP, E into the process' heap); afterwards reloaded. So C++ sees one consistent state:
// x[] complete, p->heap.top()/stack() current, fc the reductions left.
#pragma once

#include "bytecode/register_reference.h"
#include "scheduler/after.h"
#include "term/bit_syntax.h"
#include "vm/core/unique_numbers.h"
#include "vm/process/process.h"

namespace wb {

class Vm;
class CodeTable;
struct GcStats;
class Fibers;
class Worker;

constexpr unsigned kMaxX = 1024;
/// From here on operands and results of slow operations, where no instruction reaches.
constexpr unsigned kScratch = kMaxX;
constexpr unsigned kScratchRegisters = 72;  ///< a map, and as many pairs as a flat one has
constexpr unsigned kMaxFloats = 1024;
constexpr unsigned kScratchFloats = 2;  ///< no instruction of a file reaches them

struct Exec {
  Term x[kMaxX + kScratchRegisters];  // first: operands are byte offsets from Exec
  double f[kMaxFloats + kScratchFloats];
  Process* p = nullptr;
  int64_t fc = 0;             ///< reductions left in this slice
  int64_t slice = 0;          ///< reductions it began with
  uint32_t collections = 0;   ///< in this slice
  uint64_t native_since = 0;  ///< when long work first looked at the clock in this slice, or 0
  const Word* pc = nullptr;   ///< instruction that calls a BIF or may yield (bif_call.h)
  Vm* vm = nullptr;
  Worker* worker = nullptr;
  Term bif_result = kNone;   ///< of the call_bif that end_call_bif finishes
  Fibers* fibers = nullptr;  ///< the native stacks of this thread (vm/process/native_yield.h)
  NumberBlock ref_numbers, unique;  ///< this worker's
  bool gc_stress = false;
  bool in_instruction = false;  ///< `pc` is no call (YieldingInstruction)
  /// What is to be done when the BIF that is called now returns, if anything.
  uint8_t after_bif = 0;
  static constexpr uint8_t kCollect = 1;   ///< gc_stress
  static constexpr uint8_t kEndSlice = 2;  ///< it has yielded: others may take the process now
  // --- binary under construction (bs_create_bin, bs_init2 family) ---
  BitWriter writer;
  Term build_result = kNone;
  uint64_t build_bits = 0, build_group = 0;  ///< in native code (lowered_building.cc)
  uint8_t* build_at = nullptr;

  // --- why an instruction failed (errors.h) ---
  Term fail_class = kNone, fail_reason = kNone;
  Term fail_cause = kNone;       ///< `cause` of the error_info, or kNone
  Term fail_trace = kNone;       ///< a stack trace given by the program (erlang:raise/3), or kNone
  Term fail_args = kNone;        ///< arguments given by the program (erlang:error/2), or kNone
  Term fail_info = kNone;        ///< error_info map given by the program (erlang:error/3), or kNone
  bool fail_by_program = false;  ///< erlang:error, exit, throw, raise: no frame for the BIF itself
  /// The apply instruction whose function ended with it, and which called a BIF that raises: its
  /// frame shows in the trace. Set for the BIF that comes next only, in the same slice.
  const Word* applied_by = nullptr;
  // --- where to go after a BIF that returned kTrap ---
  Export* trap_target = nullptr;
  // --- for who watches slices: where and when (in ticks) this one began
  const Word* began_at = nullptr;
  uint64_t began = 0;
  // --- how the slice ended ---
  After after = After::requeue;

  /// Long native work asks now and then: should it give way although it has reductions left?
  bool is_late();

  Term* e() const { return p->heap.stack(); }
  void set_e(Term* e) { p->heap.set_stack(e); }
};

/// Words that stay free above every reservation, so that a call can push without a check.
constexpr int64_t kCallSlack = ProcessHeap::kStackSlack;

// Dynamic operands.
WB_INLINE Term load_operand(Exec& c, Word w) {
  if (is_x_ref(w)) return c.x[w >> 8];
  if (is_y_ref(w)) return c.e()[w >> 8];
  return w;
}
WB_INLINE void store_operand(Exec& c, Word w, Term t) {
  if (is_x_ref(w))
    c.x[w >> 8] = t;
  else
    c.e()[w >> 8] = t;
}

/// usual: minor or major as the heap decides; asked: the same, by a program; shrink: major, into as
/// little as possible; evict: major, literals being released are copied.
enum class Collection : uint8_t { usual, asked, major, shrink, evict, waiting };
/// Collects so that `need` words are free; x[0..live) survive. Kills the process (and returns
/// false) if that is not possible.
bool collect_garbage(Exec& c, size_t need, uint32_t live, Collection how = Collection::usual);

/// What Process::collect_requested and evict_requested stand for.
bool collect_requested(Exec& c, uint32_t live);

/// A safe point that wants `need` words: true at once when there is room and nothing has piled up.
WB_INLINE bool safe_point(Exec& c, size_t need, uint32_t live) {
  ProcessHeap& h = c.p->heap;
  if (WB_LIKELY(h.has_room(need) && !h.wants_collection() && !c.gc_stress)) return true;
  return collect_garbage(c, need, live);
}

// --- leaving the interpreter: the result of a slow operation that ends the slice -----------------
/// The process goes on at `resume` with x[0..live) in a later slice.
const Word* leave_yielding(Exec& c, const Word* resume, uint32_t live);
/// The process waits for a signal and then goes on at `resume` (no live X registers).
const Word* leave_waiting(Exec& c, const Word* resume);
/// The process has ended (exit_process was called).
const Word* leave_dead(Exec& c);
/// Ends the process with reason `killed` (out of memory, max_heap_size).
const Word* leave_dying(Exec& c);

}  // namespace wb
