#include "vm/nif/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/exit_codes.h"
#include "base/instance.h"
#include "gc/fragment.h"
#include "term/literal_area.h"
#include "term/print.h"
#include "vm/nif/library.h"

namespace wb {

// --- what is said --------------------------------------------------------------------------------
namespace {
struct RuleFacts {
  const char* name;
  bool ends;
};
constexpr bool ends = true, goes_on = false;
constexpr RuleFacts kRules[] = {
#define CHECK_RULE(name, after, what) {#name, after},
#include "vm/nif/check_rules.def"
};

/// Its address says which thread it is.
thread_local char thread_mark;
thread_local const NifSite* site_of_thread = nullptr;

constexpr size_t kEnvironmentsKept = 4096, kBinariesKept = 1024, kBytesKept = size_t{64} << 20;

bool is_literal(Term t) { return in_literal_range(reinterpret_cast<const void*>(t & ~Term{3})); }
}  // namespace

const NifSite* CheckedCall::current() { return site_of_thread; }

std::string NifSite::text() const {
  if (!file) return "a thread of a library's own";
  if (callback) return fmt::format("{} of {}, {}", callback, atom_source(module), *file);
  return fmt::format("{}:{}/{}, {}", atom_source(module), atom_source(function), arity, *file);
}

void NifChecker::broken(NifRule rule, const std::string& what) {
  const RuleFacts& facts = kRules[static_cast<size_t>(rule)];
  const NifSite* site = CheckedCall::current();
  const std::string where = (site ? *site : NifSite{}).text();
  const std::string line = fmt::format("NIF rule {}: {}: {}\n", facts.name, what, where);
  fwrite(line.data(), 1, line.size(), stderr);
  fflush(stderr);
  if (aborts_) end_instance(kExitAborted, "whitebeam: --check-nifs=abort ends the machine here\n");
  if (facts.ends) {
    end_instance(kExitAborted,
                 "whitebeam: the machine cannot go on after this NIF rule was broken\n");
  }
}

// --- environments --------------------------------------------------------------------------------
static void free_env(NifEnv* env) {
  if (env->kind == NifEnv::Kind::call) {
    delete env;
  } else {
    delete static_cast<OwnEnv*>(env);
  }
}

NifChecker::~NifChecker() {
  for (NifEnv* env : retired_) free_env(env);
  for (Binary* b : released_) b->release();
}

NifChecker::Environment* NifChecker::find(const NifEnv* env) {
  auto it = alive_.find(env);
  return it == alive_.end() ? nullptr : &it->second;
}

void NifChecker::begins(const NifEnv& env, const NifSite& site, std::span<const Term> given) {
  std::lock_guard lock(lock_);
  Environment made{.kind = env.kind, .thread = &thread_mark, .site = site};
  for (Term t : given) {
    if (is_pointer(t)) made.terms.insert(t);
  }
  over_.erase(&env);
  alive_.insert_or_assign(&env, std::move(made));
}
const std::string* NifChecker::file_name(const std::string& file) {
  std::lock_guard lock(lock_);
  return &*files_.insert(file).first;
}
void NifChecker::ends(const NifEnv& env) {
  std::lock_guard lock(lock_);
  auto ended = alive_.extract(&env);
  if (!ended) return;
  ended.mapped().terms = {};
  over_.insert(std::move(ended));
}
void NifChecker::retire(NifEnv* env) {
  NifEnv* oldest = nullptr;
  {
    std::lock_guard lock(lock_);
    retired_.push_back(env);
    if (retired_.size() > kEnvironmentsKept) {
      oldest = retired_.front();
      retired_.pop_front();
      over_.erase(oldest);
    }
  }
  if (oldest) free_env(oldest);
}

bool NifChecker::is_own(const NifEnv* env) {
  std::lock_guard lock(lock_);
  const Environment* e = find(env);
  return e && e->kind == NifEnv::Kind::own;
}
bool NifChecker::is_over(const NifEnv* env) {
  std::lock_guard lock(lock_);
  return over_.contains(env);
}
bool NifChecker::takes_exceptions(const NifEnv* env) {
  std::lock_guard lock(lock_);
  const Environment* e = find(env);
  return e && e->kind != NifEnv::Kind::own && !e->site.callback;
}

void NifChecker::check_environment(const char* api, const NifEnv* env) {
  std::string what;
  NifRule rule = NifRule::environment_over;
  {
    std::lock_guard lock(lock_);
    const Environment* e = find(env);
    const auto past = over_.find(env);
    if (!e && past == over_.end()) {
      what = fmt::format("{} is given an environment that is gone", api);
    } else if (!e && past->second.kind == NifEnv::Kind::own) {
      what = fmt::format("{} is given an environment that was freed", api);
    } else if (!e) {
      what = fmt::format("{} is given the environment of a call that is over ({})", api,
                         past->second.site.text());
    } else if (e->kind != NifEnv::Kind::own && e->thread != &thread_mark) {
      rule = NifRule::environment_of_thread;
      what = fmt::format("{} is given the environment of another thread's call ({})", api,
                         e->site.text());
    }
  }
  if (!what.empty()) broken(rule, what);
}

// --- terms ---------------------------------------------------------------------------------------
void NifChecker::note(const NifEnv* env, Term t) {
  if (!env || !is_pointer(t)) return;
  std::lock_guard lock(lock_);
  if (Environment* e = find(env)) e->terms.insert(t);
}
void NifChecker::forget_terms(const NifEnv* env) {
  std::lock_guard lock(lock_);
  if (Environment* e = find(env)) e->terms = {};
}

const NifEnv* NifChecker::owner_of(const NifEnv* env, Term t) {
  std::lock_guard lock(lock_);
  const Environment* first = find(env);
  if (first && first->terms.contains(t)) return env;
  for (const auto& [owner, e] : alive_) {
    if (e.terms.contains(t)) return owner;
  }
  return nullptr;
}

/// A literal may be of several: whose it is says which has given it first.
void NifChecker::check_part(const char* api, const NifEnv* env, Term t) {
  if (WB_UNLIKELY(is_fault(t)))
    return broken(NifRule::exception_used, fmt::format("{} is given an exception's term", api));
  if (!is_pointer(t)) return;
  const NifEnv* owner = owner_of(env, t);
  if (owner == env || (owner && is_literal(t))) return;
  if (owner) {
    broken(NifRule::term_of_another, fmt::format("{} is given a term of another environment", api));
  } else {
    broken(NifRule::term_kept, fmt::format("{} is given a term that no environment has", api));
  }
}
const NifEnv* NifChecker::check_read(const char* api, const NifEnv* env, Term t) {
  if (WB_UNLIKELY(is_fault(t))) {
    broken(NifRule::exception_used, fmt::format("{} is given an exception's term", api));
    return env;
  }
  if (!is_pointer(t)) return env;
  const NifEnv* owner = owner_of(env, t);
  if (!owner) {
    broken(NifRule::term_kept, fmt::format("{} is given a term that no environment has", api));
  }
  return owner;
}

void NifChecker::check_returned(const NifEnv& env, Term result) {
  if (!env.library->is_checked()) return;
  if (env.ends_otherwise) {
    if (is_fault(result)) return;
    return broken(NifRule::exception_raised,
                  env.scheduled ? "a function was scheduled, but another term is returned"
                                : "an exception was raised, but another term is returned");
  }
  if (is_fault(result)) {
    return broken(NifRule::exception_returned,
                  "an exception's term is returned, but none was raised");
  }
  check_part("the machine, by return,", &env, result);
}

// --- binaries ------------------------------------------------------------------------------------
void NifChecker::owns(Binary* b) {
  std::lock_guard lock(lock_);
  binaries_.insert(b);
}
bool NifChecker::is_owned(Binary* b) {
  std::lock_guard lock(lock_);
  return binaries_.contains(b);
}
void NifChecker::disown(Binary* b) {
  std::lock_guard lock(lock_);
  binaries_.erase(b);
}
/// Its bytes are overwritten, as nobody may read them.
void NifChecker::release(Binary* b) {
  constexpr int kGone = 0xdb;
  std::vector<Binary*> oldest;
  memset(b->data, kGone, b->size);
  {
    std::lock_guard lock(lock_);
    binaries_.erase(b);
    released_.push_back(b);
    released_bytes_ += b->size;
    while (released_.size() > kBinariesKept || released_bytes_ > kBytesKept) {
      oldest.push_back(released_.front());
      released_bytes_ -= released_.front()->size;
      released_.pop_front();
    }
  }
  for (Binary* gone : oldest) gone->release();
}

// --- resources -----------------------------------------------------------------------------------
void NifChecker::allocated(const void* resource) {
  std::lock_guard lock(lock_);
  resources_[resource] = 1;
}
bool NifChecker::kept(const void* resource) {
  std::lock_guard lock(lock_);
  auto it = resources_.find(resource);
  if (it == resources_.end()) return false;
  ++it->second;
  return true;
}
bool NifChecker::released(const void* resource) {
  std::lock_guard lock(lock_);
  auto it = resources_.find(resource);
  if (it == resources_.end() || it->second == 0) return false;
  --it->second;
  return true;
}
bool NifChecker::is_known(const void* resource) {
  std::lock_guard lock(lock_);
  return resources_.contains(resource);
}
void NifChecker::gone(const void* resource) {
  std::lock_guard lock(lock_);
  resources_.erase(resource);
}

// --- locks ---------------------------------------------------------------------------------------
namespace {
struct HeldLock {
  const void* lock;
  const char* kind;
  std::string name;
};
thread_local std::vector<HeldLock> locks_of_thread;
}  // namespace

void note_nif_lock(const void* lock, const char* kind, const char* name) {
  locks_of_thread.push_back({lock, kind, name ? name : ""});
}
void note_nif_unlock(const void* lock) {
  auto& all = locks_of_thread;
  for (size_t k = all.size(); k-- > 0;) {
    if (all[k].lock != lock) continue;
    all.erase(all.begin() + static_cast<ptrdiff_t>(k));
    return;
  }
}

// --- calls ---------------------------------------------------------------------------------------
void CheckedCall::begin(const NifSite& site, std::span<const Term> given) {
  site_ = site;
  if (const NifLibrary* library = site.library) {
    site_.module = library->module();
    site_.file = checker_->file_name(library->path);
  }
  outer_ = std::exchange(site_of_thread, &site_);
  locks_ = locks_of_thread.size();
  checker_->begins(env_, site_, given);
}
void CheckedCall::end() {
  auto& all = locks_of_thread;
  while (all.size() > locks_) {
    const HeldLock held = all.back();
    all.pop_back();
    checker_->broken(NifRule::lock_held,
                     fmt::format("{} \"{}\" is still held on return", held.kind, held.name));
  }
  checker_->ends(env_);
  site_of_thread = outer_;
}

}  // namespace wb
