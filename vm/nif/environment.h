// The environment of a native function: where its terms live, on whose behalf it runs, how it
// fails.
//
// ERL_NIF_TERM is a Term as it is, but for the integer 0 (to_library). What differs between
// environments is only the heap that new terms go to:
//
//   call      the process' own heap: nothing in it moves before the function has returned
//   dirty     a heap of fragments, which the process adopts when the dirty thread is done
//             (meanwhile the process handles signals)
//   callback  a heap of fragments that goes with the callback: destructor, stop, down, unload
//   own       enif_alloc_env: a heap of fragments, until cleared, freed, or sent as a message
//
// So no environment needs roots, and a term is valid exactly as long as its environment.
//
// Functions of the API that get no environment, or are called by threads that the library made by
// itself, find the machine by vm_of_thread().
#pragma once

#include <erl_nif.h>

#include <algorithm>
#include <memory>

#include "gc/fragment.h"
#include "loader/code.h"
#include "scheduler/reading.h"
#include "vm/core/vm.h"
#include "vm/process/process.h"

namespace wb {

class NifLibrary;
class Nifs;

static_assert(sizeof(ERL_NIF_TERM) == sizeof(Term));

/// BEAM has no term that is the word 0, and libraries take it for "none yet"; here it is the
/// integer 0. So functions give a library another word for that integer, which all that take a term
/// know.
constexpr ERL_NIF_TERM kNifZero = 0x8b;
constexpr ERL_NIF_TERM to_library(Term t) { return t == make_small(0) ? kNifZero : t; }
constexpr Term from_library(ERL_NIF_TERM t) { return t == kNifZero ? make_small(0) : t; }

/// A function's arguments as a library sees them: where they are, if none is 0.
class LibraryArguments {
 public:
  LibraryArguments(const Term* x, size_t n) : at_(x) {
    if (WB_LIKELY(std::find(x, x + n, make_small(0)) == x + n)) return;
    std::transform(x, x + n, room_, to_library);
    at_ = room_;
  }
  LibraryArguments(const LibraryArguments&) = delete;
  const ERL_NIF_TERM* data() const { return at_; }

 private:
  static constexpr size_t kMost = 256;
  const ERL_NIF_TERM* at_;
  ERL_NIF_TERM room_[kMost];
};

/// The exception is in the environment: what functions that raise give back. No value.
constexpr Term kNifException = kRaised;

}  // namespace wb

/// ErlNifEnv.
struct enif_environment_t {
  enum class Kind : uint8_t { call, dirty, callback, own };

  wb::Vm& vm;
  wb::Heap* heap;
  wb::Process* process;           ///< whose call it is, or whom a tracer is told of; or nullptr
  const wb::NifLibrary* library;  ///< whose function it is; nullptr: own
  const Kind kind;
  bool ends_otherwise = false;                    ///< it has raised, or scheduled another function
  wb::Term reason = wb::kNone;                    ///< of the exception
  std::unique_ptr<wb::AttachedCode> scheduled{};  ///< the function to go on with (call.cc)

  /// Raises error:`why`.
  ERL_NIF_TERM raise(wb::Term why) {
    ends_otherwise = true;
    reason = why;
    return wb::kNifException;
  }
  ERL_NIF_TERM badarg() { return raise(wb::am::badarg); }
  /// A result of the machine's own functions: a fault is raised.
  ERL_NIF_TERM result(wb::Term t) {
    if (WB_LIKELY(wb::is_value(t))) return wb::to_library(t);
    return raise(t == wb::kSystemLimit ? wb::am::system_limit : wb::am::badarg);
  }
};

namespace wb {

using NifEnv = enif_environment_t;

/// One with a heap of its own.
struct OwnEnv : NifEnv {
  OwnEnv(Vm& machine, Kind k, const NifLibrary* l, Process* p = nullptr)
      : NifEnv{machine, &terms, p, l, k}, terms(0) {}
  FragmentHeap terms;
};

/// The machine that this thread works for. A thread of a library's own works for the one that
/// loaded a library first.
Vm& vm_of_thread();
/// That is this one, if no other is left from before.
void add_machine_of_threads(Vm& vm);
void remove_machine_of_threads(Vm& vm);

/// What kind of dirty thread this is, while it runs a native function.
constexpr int kNoDirtyThread = -1;
inline constinit thread_local int dirty_thread_kind = kNoDirtyThread;

}  // namespace wb
