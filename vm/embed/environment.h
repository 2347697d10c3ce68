// Environments: where the terms of the program's live.
//
// A wb_term is a Term but for one bit pattern: kNone, which is no value, is 0 outside. An
// environment of the program's own is a heap of fragments that nobody collects, so nothing in it
// moves and it needs no roots; letters from mailboxes join it as they are. That of a native
// function's call is the process' own heap, which does not move before the function has returned,
// or where a thread for long work calls it a heap that the process takes over.
//
// Copies into an environment of the program's own share nothing with literals (mailbox.h).
#pragma once

#include <memory>

#include "gc/fragment.h"
#include "term/atom.h"
#include "term/fault.h"
#include "vm/embed/embedded_vm.h"

namespace wb {
/// The first words of handles: what is none of them is refused, where it can be read at all.
enum class HandleKind : uint64_t {
  none = 0,
  vm = 0x6d76'6265'7768'6574,
  env = 0x766e'6562'6577'6874,
  thread = 0x7264'6874'6265'7768
};
}  // namespace wb

struct wb_env {
  wb::HandleKind kind = wb::HandleKind::env;
  wb::EmbeddedVm* vm = nullptr;
  wb::Heap* heap = nullptr;       ///< null: the machine is gone
  wb::Process* caller = nullptr;  ///< whose call it is, or null
  bool own = false;               ///< the program's
  wb::Term raised_class = wb::kNone, raised = wb::kNone;
};

struct wb_vm {
  wb::HandleKind kind = wb::HandleKind::vm;
  std::shared_ptr<wb::EmbeddedVm> vm;
};

namespace wb {

struct OwnEnvironment final : wb_env, EmbeddedVm::Tenant {
  explicit OwnEnvironment(std::shared_ptr<EmbeddedVm> machine);
  void machine_ends() override;
  void clear();
  /// The letter's term lives here from now on.
  Term take(Letter& l);

  std::shared_ptr<EmbeddedVm> keeps;
  std::optional<FragmentHeap> terms;
  HeapFragment* taken = nullptr;
};

inline wb_term to_handle(Term t) { return is_fault(t) ? WB_NONE : t ^ kNone; }
/// kNone if it is none.
inline Term to_term(wb_term t) {
  const Term term = t ^ kNone;
  return is_fault(term) ? kNone : term;
}
inline bool is_term(wb_term t) { return is_value(to_term(t)); }

inline bool is_env(const wb_env* env) { return env && env->kind == HandleKind::env; }

/// body(Heap&) makes a term in `env`; a fault there is WB_NONE here.
template <class F>
wb_term make_in(wb_env* env, F body) {
  if (!is_env(env)) {
    fail_with(WB_BAD_ARGUMENT, "no environment");
    return WB_NONE;
  }
  return env->vm->enter(
      [&] {
        if (!env->heap) {
          fail_with(WB_ENDED, "the machine has been destroyed");
          return WB_NONE;
        }
        const Term t = body(*env->heap);
        if (is_fault(t))
          fail_with(t == kSystemLimit ? WB_LIMIT : WB_BAD_ARGUMENT, "cannot be made");
        return to_handle(t);
      },
      [](wb_result) { return WB_NONE; });
}
/// body() in the machine of `env`, which is still there.
template <class F>
wb_result in_env(wb_env* env, F body) {
  if (!is_env(env)) return fail_with(WB_BAD_ARGUMENT, "no environment");
  return env->vm->enter([&] {
    if (!env->heap) return fail_with(WB_ENDED, "the machine has been destroyed");
    return body();
  });
}
inline wb_result no_term() { return fail_with(WB_BAD_ARGUMENT, "no term"); }

/// An atom of text in UTF-8; kNone and wb_error(): it cannot be one.
Term atom_of(const char* text);

}  // namespace wb
