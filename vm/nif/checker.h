// --check-nifs: says which rule of erl_nif.h a library breaks (check_rules.def), where BEAM and we
// without it go on until something else falls over.
//
// A library's imports of erl_nif.h are led to functions that look first (checked_functions.cc,
// imports.h), so nothing is asked when it is off. They know by this object
//
//   - which environments are alive, whose thread's they are, and each pointer that they have given
//     to the library: an argument, a term made, an element read. A pointer that none of them has
//     given is a kept one, wherever it leads. So it is found without a collection, and never
//     because of what memory holds by chance;
//   - which binaries the library owns, and how many shares of each resource are its own;
//   - which locks a thread holds.
//
// What is over is kept for a while before its memory is used again, so that its address is not that
// of something new.
#pragma once

#include <erl_nif.h>

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/ranked_lock.h"
#include "term/binary.h"
#include "vm/nif/environment.h"
#include "vm/nif/nifs.h"

namespace wb {

enum class NifRule : uint8_t {
#define CHECK_RULE(name, after, what) name,
#include "vm/nif/check_rules.def"
};

/// What of a library's is running.
struct NifSite {
  const NifLibrary* library = nullptr;  ///< while it runs
  Term function = kNone;                ///< kNone: the callback
  uint32_t arity = 0;
  const char* callback = nullptr;
  Term module = kNone;
  const std::string* file = nullptr;  ///< of the library; the checker's, as that may go
  std::string text() const;           ///< "m:f/1, FILE"
};

class NifChecker {
 public:
  explicit NifChecker(bool aborts) : aborts_(aborts) {}
  ~NifChecker();
  /// One line on standard error. Does not return if the machine cannot go on after it.
  void broken(NifRule rule, const std::string& what);

  // --- environments ------------------------------------------------------------------------------
  void begins(const NifEnv& env, const NifSite& site, std::span<const Term> given);
  const std::string* file_name(const std::string& file);
  void ends(const NifEnv& env);
  /// Its memory is freed later; `ends` has been called.
  void retire(NifEnv* env);
  /// Of enif_alloc_env, and alive.
  bool is_own(const NifEnv* env);
  /// May this thread use it? If not, it is broken.
  void check_environment(const char* api, const NifEnv* env);
  /// May functions raise there?
  bool takes_exceptions(const NifEnv* env);
  bool is_over(const NifEnv* env);

  // --- terms -------------------------------------------------------------------------------------
  void note(const NifEnv* env, Term t);
  void forget_terms(const NifEnv* env);
  /// Whose it is, `env` first: nullptr: nobody's that is alive.
  const NifEnv* owner_of(const NifEnv* env, Term t);
  /// `t` becomes part of a term of `env`.
  void check_part(const char* api, const NifEnv* env, Term t);
  /// `t` is read; gives whose it is.
  const NifEnv* check_read(const char* api, const NifEnv* env, Term t);
  void check_returned(const NifEnv& env, Term result);

  // --- binaries ----------------------------------------------------------------------------------
  void owns(Binary* b);
  bool is_owned(Binary* b);
  void disown(Binary* b);
  void release(Binary* b);

  // --- resources: shares of the library's own ----------------------------------------------------
  void allocated(const void* resource);
  bool kept(const void* resource);      ///< false: it is gone
  bool released(const void* resource);  ///< false: there was none left
  bool is_known(const void* resource);
  void gone(const void* resource);

 private:
  struct Environment {
    NifEnv::Kind kind;
    const void* thread;
    NifSite site;
    std::unordered_set<Term> terms{};
  };
  using Environments = std::unordered_map<const NifEnv*, Environment>;
  Environment* find(const NifEnv* env);  ///< one that is alive

  const bool aborts_;
  RankedLock<LockRank::nif_checks> lock_;  ///< for all that follows
  Environments alive_, over_;
  std::deque<NifEnv*> retired_;
  std::unordered_set<std::string> files_;
  std::unordered_set<Binary*> binaries_;
  std::deque<Binary*> released_;
  size_t released_bytes_ = 0;
  std::unordered_map<const void*, int64_t> resources_;
};

/// As long as it lives the thread runs that function or callback, if libraries are checked.
class CheckedCall {
 public:
  CheckedCall(NifEnv& env, const NifSite& site, std::span<const Term> given = {})
      : checker_(env.vm.nifs->checker.get()), env_(env) {
    if (WB_UNLIKELY(checker_)) begin(site, given);
  }
  ~CheckedCall() {
    if (WB_UNLIKELY(checker_)) end();
  }
  CheckedCall(const CheckedCall&) = delete;
  void returns(Term result) {
    if (WB_UNLIKELY(checker_)) checker_->check_returned(env_, result);
  }
  static const NifSite* current();

 private:
  void begin(const NifSite& site, std::span<const Term> given);
  void end();

  NifChecker* checker_;
  NifEnv& env_;
  NifSite site_{};
  const NifSite* outer_ = nullptr;
  size_t locks_ = 0;
};

/// Locks of this thread.
void note_nif_lock(const void* lock, const char* kind, const char* name);
void note_nif_unlock(const void* lock);

/// The library's imports lead to functions that look first.
void check_imports_of(void* library);

}  // namespace wb
