// Trace flags as bits of one word, and as the atoms of erlang:trace/3.
#pragma once

#include <optional>

#include "term/fault.h"
#include "term/heap.h"
#include "vm/process/process.h"

namespace wb {

/// traced::send and so on: what Process::trace_flags is made of.
namespace traced {
#define TRACE_FLAG(name, atom, bit) constexpr uint32_t name = 1u << bit;
#include "vm/process/trace_flags.def"
#undef TRACE_FLAG
constexpr uint32_t all = 0
#define TRACE_FLAG(name, atom, bit) | name
#include "vm/process/trace_flags.def"
#undef TRACE_FLAG
    ;
/// No flag of trace/3: process_flag(sensitive, true) has hidden the process, whatever it is traced
/// for.
constexpr uint32_t sensitive = 1u << 31;
/// Nor these: the process has a token (sequential.h), saves its calls (saved_calls.h).
constexpr uint32_t sequential = 1u << 25;
constexpr uint32_t saves_calls = 1u << 18;
/// Nor this: it has policies (policy.h), which may count what it sends. Set before it runs, for
/// good.
constexpr uint32_t has_policies = 1u << 19;
/// Nor this: its queue is long, of which a monitor of the system has been notified.
constexpr uint32_t long_queue = 1u << 3;
/// Sessions of tracing want it, too (vm/trace/session.h): its flags are the union of all.
constexpr uint32_t in_sessions = 1u << 12;
/// No flags of trace/3, and seen by no program: what the observer is notified of (watch.h).
constexpr uint32_t watch_call = 1u << 26;
constexpr uint32_t watch_send = 1u << 27;
constexpr uint32_t watch_receive = 1u << 28;
constexpr uint32_t watch_collection = 1u << 29;
constexpr uint32_t watch_children = 1u << 30;  ///< processes it spawns are watched, too
constexpr uint32_t watched =
    watch_call | watch_send | watch_receive | watch_collection | watch_children;
static_assert(!(all & (watched | sequential | saves_calls | has_policies | long_queue |
                       in_sessions | sensitive)));
constexpr uint32_t any_timestamp = timestamp | strict_monotonic_timestamp | monotonic_timestamp;
}  // namespace traced

/// Is `p` traced for one of `flags`? One load: what the places of events ask first.
WB_INLINE bool is_traced(const Process& p, uint32_t flags) {
  uint32_t on = p.trace_flags.load(std::memory_order_relaxed);
  return WB_UNLIKELY(on & flags) && !(on & traced::sensitive);
}

/// By anybody: RareParts::policies may be read.
inline bool has_policies(const Process& p) {
  return p.trace_flags.load(std::memory_order_relaxed) & traced::has_policies;
}

/// A list of flags as programs give it.
struct TraceFlagList {
  uint32_t flags = 0;
  bool cpu_timestamp = false;
  Term tracer = kNone;  ///< given: a local pid or port, [] (nobody), or the module of one
  Term state = kNone;   ///< of that module
};
/// Who is meant by tracer module `module` with `state`: the module, but for OTP's own, which sends
/// to the process or port that is its state; if it is none, [] is nobody. kNone if `module` is no
/// atom.
Term module_tracer(Term module, Term state);
/// Nothing if the list is wrong.
std::optional<TraceFlagList> to_trace_flags(Term list);
/// The bit of one flag; 0: no such flag (`all` is all).
uint32_t to_trace_flag(Term name);
Term trace_flag_list(Heap& h, uint32_t flags);

}  // namespace wb
