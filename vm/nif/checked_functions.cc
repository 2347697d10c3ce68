// The functions that a checked library's imports lead to: each looks at its arguments, calls the
// one of erl_nif.h, and notes what terms that has given.
//
// Most are made of a letter an argument:
//
//   e environment   t term that becomes part of one of the environment's   r term that is read
//   q resource      o where a term is written                              . anything else
//
// and of whether the result is a term (t).
#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vm/nif/checker.h"
#include "vm/nif/imports.h"
#include "vm/nif/library.h"

namespace wb {
namespace {

/// Null: this thread's machine checks nothing; another in this program does.
NifChecker* checker_of_thread() { return vm_of_thread().nifs->checker.get(); }

template <size_t n>
struct Letters {
  char text[n]{};
  consteval Letters(const char (&t)[n]) { std::copy_n(t, n, text); }
  static constexpr size_t kCount = n - 1;
};

struct Checking {
  NifChecker& checker;
  const char* api;
  const NifEnv* env = nullptr;    ///< the first one
  const NifEnv* owner = nullptr;  ///< of what is read: elements are that one's, too
  bool reads = false;

  void environment(const NifEnv* e) {
    if (e) checker.check_environment(api, e);
    if (!env) env = owner = e;
  }
  void read(Term t) {
    const NifEnv* whose = checker.check_read(api, env, t);
    if (!std::exchange(reads, true)) owner = whose;
  }
  void resource(const void* r) {
    if (!checker.is_known(r))
      checker.broken(NifRule::resource_used,
                     std::string(api) + " is given a resource that is gone");
  }
  template <char letter, class A>
  void before(A a) {
    if constexpr (letter == 'e') environment(a);
    if constexpr (letter == 't') checker.check_part(api, env, a);
    if constexpr (letter == 'r') read(a);
    if constexpr (letter == 'q') resource(a);
  }
  template <char letter, class A>
  void after(A a) {
    if constexpr (letter == 'o') {
      if (a) checker.note(reads ? owner : env, *a);
    }
  }
};

template <auto f, Letters api, Letters letters, char result, class F = decltype(f)>
struct Checked;
template <auto f, Letters api, Letters letters, char result, class R, class... A>
struct Checked<f, api, letters, result, R (*)(A...)> {
  static_assert(letters.kCount == sizeof...(A));
  static R call(A... a) {
    NifChecker* checker = checker_of_thread();
    if (!checker) return f(a...);
    Checking c{*checker, api.text};
    [&]<size_t... k>(std::index_sequence<k...>) {
      (c.template before<letters.text[k]>(a), ...);
    }(std::make_index_sequence<sizeof...(A)>());
    if constexpr (std::is_void_v<R>) {
      f(a...);
    } else {
      const R r = f(a...);
      if constexpr (result == 't') checker->note(c.env, r);
      if (r) {
        [&]<size_t... k>(std::index_sequence<k...>) {
          (c.template after<letters.text[k]>(a), ...);
        }(std::make_index_sequence<sizeof...(A)>());
      }
      return r;
    }
  }
};

// --- terms ---------------------------------------------------------------------------------------
void check_parts(Checking& c, const ERL_NIF_TERM* all, size_t n) {
  for (size_t k = 0; k < n; ++k) c.checker.check_part(c.api, c.env, all[k]);
}

using FromArray = ERL_NIF_TERM (*)(ErlNifEnv*, const ERL_NIF_TERM[], unsigned);
template <FromArray f>
ERL_NIF_TERM of_array(const char* api, ErlNifEnv* env, const ERL_NIF_TERM all[], unsigned n) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return f(env, all, n);
  Checking c{*checker, api};
  c.environment(env);
  check_parts(c, all, n);
  const ERL_NIF_TERM made = f(env, all, n);
  checker->note(env, made);
  return made;
}
ERL_NIF_TERM tuple_from_array(ErlNifEnv* env, const ERL_NIF_TERM all[], unsigned n) {
  return of_array<enif_make_tuple_from_array>("enif_make_tuple_from_array", env, all, n);
}
ERL_NIF_TERM list_from_array(ErlNifEnv* env, const ERL_NIF_TERM all[], unsigned n) {
  return of_array<enif_make_list_from_array>("enif_make_list_from_array", env, all, n);
}
std::vector<Term> terms_in(va_list& all, unsigned n) {
  std::vector<Term> terms(n);
  for (Term& t : terms) t = va_arg(all, ERL_NIF_TERM);
  return terms;
}
ERL_NIF_TERM make_tuple(ErlNifEnv* env, unsigned n, ...) {
  va_list all;
  va_start(all, n);
  const std::vector<Term> terms = terms_in(all, n);
  va_end(all);
  return of_array<enif_make_tuple_from_array>("enif_make_tuple", env, terms.data(), n);
}
ERL_NIF_TERM make_list(ErlNifEnv* env, unsigned n, ...) {
  va_list all;
  va_start(all, n);
  const std::vector<Term> terms = terms_in(all, n);
  va_end(all);
  return of_array<enif_make_list_from_array>("enif_make_list", env, terms.data(), n);
}
int map_from_arrays(ErlNifEnv* env, ERL_NIF_TERM keys[], ERL_NIF_TERM values[], size_t n,
                    ERL_NIF_TERM* map) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_make_map_from_arrays(env, keys, values, n, map);
  Checking c{*checker, "enif_make_map_from_arrays"};
  c.environment(env);
  check_parts(c, keys, n);
  check_parts(c, values, n);
  const int done = enif_make_map_from_arrays(env, keys, values, n, map);
  if (done) checker->note(env, *map);
  return done;
}
int get_tuple(ErlNifEnv* env, ERL_NIF_TERM t, int* arity, const ERL_NIF_TERM** elements) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_get_tuple(env, t, arity, elements);
  Checking c{*checker, "enif_get_tuple"};
  c.environment(env);
  c.read(t);
  if (!enif_get_tuple(env, t, arity, elements)) return 0;
  for (int k = 0; k < *arity; ++k) checker->note(c.owner, (*elements)[k]);
  return 1;
}
int iterator_get_pair(ErlNifEnv* env, ErlNifMapIterator* i, ERL_NIF_TERM* key,
                      ERL_NIF_TERM* value) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_map_iterator_get_pair(env, i, key, value);
  Checking c{*checker, "enif_map_iterator_get_pair"};
  c.environment(env);
  c.read(i->map);
  if (!enif_map_iterator_get_pair(env, i, key, value)) return 0;
  checker->note(c.owner, *key);
  checker->note(c.owner, *value);
  return 1;
}
/// Of a term of whatever environment.
ERL_NIF_TERM make_copy(ErlNifEnv* env, ERL_NIF_TERM t) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_make_copy(env, t);
  Checking c{*checker, "enif_make_copy"};
  c.environment(env);
  c.read(t);
  const ERL_NIF_TERM made = enif_make_copy(env, t);
  checker->note(env, made);
  return made;
}

// --- exceptions, scheduling ----------------------------------------------------------------------
/// Someone sees what is raised in that environment.
void check_raising(Checking& c) {
  if (c.env && !c.checker.takes_exceptions(c.env))
    c.checker.broken(NifRule::raised_outside,
                     std::string(c.api) + " in an environment that is not a function's");
}
ERL_NIF_TERM make_badarg(ErlNifEnv* env) {
  if (NifChecker* checker = checker_of_thread()) {
    Checking c{*checker, "enif_make_badarg"};
    c.environment(env);
    check_raising(c);
  }
  return enif_make_badarg(env);
}
ERL_NIF_TERM raise_exception(ErlNifEnv* env, ERL_NIF_TERM reason) {
  if (NifChecker* checker = checker_of_thread()) {
    Checking c{*checker, "enif_raise_exception"};
    c.environment(env);
    checker->check_part(c.api, env, reason);
    check_raising(c);
  }
  return enif_raise_exception(env, reason);
}
ERL_NIF_TERM schedule_nif(ErlNifEnv* env, const char* name, int flags, NifFunction::Body body,
                          int argc, const ERL_NIF_TERM argv[]) {
  if (NifChecker* checker = checker_of_thread()) {
    Checking c{*checker, "enif_schedule_nif"};
    c.environment(env);
    check_raising(c);
    check_parts(c, argv, static_cast<size_t>(std::max(argc, 0)));
  }
  return enif_schedule_nif(env, name, flags, body, argc, argv);
}

// --- environments, messages ----------------------------------------------------------------------
ErlNifEnv* alloc_env() {
  ErlNifEnv* env = enif_alloc_env();
  if (NifChecker* checker = checker_of_thread()) {
    const NifSite* site = CheckedCall::current();
    checker->begins(*env, site ? *site : NifSite{}, {});
  }
  return env;
}
/// If it is not, it is broken.
bool check_own(NifChecker& checker, const char* api, const ErlNifEnv* env) {
  if (checker.is_own(env)) return true;
  const char* what = checker.is_over(env)
                         ? " is given an environment that was freed"
                         : " is given an environment that is none of enif_alloc_env";
  checker.broken(NifRule::environment_freed, std::string(api) + what);
  return false;
}
void free_env(ErlNifEnv* env) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_free_env(env);
  if (!check_own(*checker, "enif_free_env", env)) return;
  enif_clear_env(env);
  checker->ends(*env);
  checker->retire(env);
}
void clear_env(ErlNifEnv* env) {
  if (NifChecker* checker = checker_of_thread()) {
    if (!check_own(*checker, "enif_clear_env", env)) return;
    checker->forget_terms(env);
  }
  enif_clear_env(env);
}
void check_message(Checking& c, ErlNifEnv* message_env, ERL_NIF_TERM message) {
  if (!message_env) return c.read(message);
  c.checker.check_environment(c.api, message_env);
  c.checker.check_part(c.api, message_env, message);
}
/// Its environment's terms went with it.
void forget_message(NifChecker* checker, ErlNifEnv* message_env) {
  if (checker && message_env) checker->forget_terms(message_env);
}
int send(ErlNifEnv* env, const ErlNifPid* to, ErlNifEnv* message_env, ERL_NIF_TERM message) {
  NifChecker* checker = checker_of_thread();
  if (checker) {
    Checking c{*checker, "enif_send"};
    c.environment(env);
    check_message(c, message_env, message);
  }
  const int sent = enif_send(env, to, message_env, message);
  if (sent) forget_message(checker, message_env);
  return sent;
}
int port_command(ErlNifEnv* env, const ErlNifPort* to, ErlNifEnv* message_env,
                 ERL_NIF_TERM message) {
  NifChecker* checker = checker_of_thread();
  if (checker) {
    Checking c{*checker, "enif_port_command"};
    c.environment(env);
    check_message(c, message_env, message);
    forget_message(checker, message_env);
  }
  return enif_port_command(env, to, message_env, message);
}
int select_x(ErlNifEnv* env, ErlNifEvent event, enum ErlNifSelectFlags flags, void* obj,
             const ErlNifPid* pid, ERL_NIF_TERM message, ErlNifEnv* message_env) {
  if (NifChecker* checker = checker_of_thread()) {
    Checking c{*checker, "enif_select_x"};
    c.environment(env);
    c.resource(obj);
    if (flags & ERL_NIF_SELECT_CUSTOM_MSG) {
      check_message(c, message_env, message);
      forget_message(checker, message_env);
    }
  }
  return enif_select_x(env, event, flags, obj, pid, message, message_env);
}

// --- binaries ------------------------------------------------------------------------------------
/// Stands in __spare__[0] of one that was released.
char released_mark;

Binary* owned_by(const ErlNifBinary& b) { return static_cast<Binary*>(b.ref_bin); }
bool was_released(const ErlNifBinary& b) { return !b.ref_bin && b.__spare__[0] == &released_mark; }

void check_usable(NifChecker& checker, const char* api, const ErlNifBinary& b) {
  if (was_released(b) || (b.ref_bin && !checker.is_owned(owned_by(b)))) {
    checker.broken(NifRule::binary_used,
                   std::string(api) + " is given a binary that was released or made a term");
  } else if (!b.ref_bin && checker.is_over(static_cast<const NifEnv*>(b.__spare__[1]))) {
    checker.broken(
        NifRule::binary_used,
        std::string(api) + " is given a binary that was inspected in a call that is over");
  }
}
int alloc_binary(size_t size, ErlNifBinary* to) {
  const int done = enif_alloc_binary(size, to);
  NifChecker* checker = checker_of_thread();
  if (done && checker) checker->owns(owned_by(*to));
  return done;
}
int term_to_binary(ErlNifEnv* env, ERL_NIF_TERM t, ErlNifBinary* to) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_term_to_binary(env, t, to);
  Checking c{*checker, "enif_term_to_binary"};
  c.environment(env);
  c.read(t);
  const int done = enif_term_to_binary(env, t, to);
  if (done) checker->owns(owned_by(*to));
  return done;
}
int realloc_binary(ErlNifBinary* b, size_t size) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_realloc_binary(b, size);
  check_usable(*checker, "enif_realloc_binary", *b);
  Binary* before = owned_by(*b);
  const int done = enif_realloc_binary(b, size);
  if (!done) return done;
  if (before) checker->disown(before);
  checker->owns(owned_by(*b));
  return done;
}
void release_binary(ErlNifBinary* b) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_release_binary(b);
  Binary* owned = owned_by(*b);
  if (was_released(*b) || (owned && !checker->is_owned(owned))) {
    return checker->broken(
        NifRule::binary_released,
        "enif_release_binary is given a binary that was released or made a term before");
  }
  if (!owned) return;
  checker->release(owned);
  b->ref_bin = nullptr;
  b->__spare__[0] = &released_mark;
  b->__spare__[1] = nullptr;
}
ERL_NIF_TERM make_binary(ErlNifEnv* env, ErlNifBinary* b) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_make_binary(env, b);
  Checking c{*checker, "enif_make_binary"};
  c.environment(env);
  check_usable(*checker, c.api, *b);
  if (b->ref_bin) checker->disown(owned_by(*b));
  const ERL_NIF_TERM made = enif_make_binary(env, b);
  checker->note(env, made);
  return made;
}
int enq_binary(ErlNifIOQueue* q, ErlNifBinary* b, size_t skip) {
  NifChecker* checker = checker_of_thread();
  if (!checker) return enif_ioq_enq_binary(q, b, skip);
  check_usable(*checker, "enif_ioq_enq_binary", *b);
  Binary* owned = owned_by(*b);
  const int done = enif_ioq_enq_binary(q, b, skip);
  if (done && owned) checker->disown(owned);
  return done;
}

// --- resources -----------------------------------------------------------------------------------
void* alloc_resource(ErlNifResourceType* type, size_t size) {
  void* made = enif_alloc_resource(type, size);
  NifChecker* checker = checker_of_thread();
  if (made && checker) checker->allocated(made);
  return made;
}
void keep_resource(void* r) {
  NifChecker* checker = checker_of_thread();
  if (checker && !checker->kept(r)) {
    checker->broken(NifRule::resource_used, "enif_keep_resource is given a resource that is gone");
  }
  enif_keep_resource(r);
}
void release_resource(void* r) {
  NifChecker* checker = checker_of_thread();
  if (checker && !checker->released(r)) {
    return checker->broken(
        NifRule::resource_released,
        "enif_release_resource is called more often than the library has shares");
  }
  enif_release_resource(r);
}

// --- locks ---------------------------------------------------------------------------------------
int mutex_trylock(ErlNifMutex* m) {
  const int error = enif_mutex_trylock(m);
  if (!error) note_nif_lock(m, "the mutex", enif_mutex_name(m));
  return error;
}
void mutex_lock(ErlNifMutex* m) {
  enif_mutex_lock(m);
  note_nif_lock(m, "the mutex", enif_mutex_name(m));
}
void mutex_unlock(ErlNifMutex* m) {
  note_nif_unlock(m);
  enif_mutex_unlock(m);
}
template <int (*f)(ErlNifRWLock*)>
int rwlock_try(ErlNifRWLock* l) {
  const int error = f(l);
  if (!error) note_nif_lock(l, "the read-write lock", enif_rwlock_name(l));
  return error;
}
template <void (*f)(ErlNifRWLock*)>
void rwlock_lock(ErlNifRWLock* l) {
  f(l);
  note_nif_lock(l, "the read-write lock", enif_rwlock_name(l));
}
template <void (*f)(ErlNifRWLock*)>
void rwlock_unlock(ErlNifRWLock* l) {
  note_nif_unlock(l);
  f(l);
}

// --- the table -----------------------------------------------------------------------------------
struct Import {
  std::string_view name;
  void* function;
};
#define INSTEAD(name, function) {#name, reinterpret_cast<void*>(function)},
#define LOOKS(name, letters, result) \
  INSTEAD(name, (&Checked<&(name), #name, letters, result>::call))
const Import kImports[] = {
#include "vm/nif/checked_functions.def"
};

void* import_named(const char* name) {
  const std::string_view wanted = name;
  if (!wanted.starts_with("enif_") && !wanted.starts_with("erl_drv_")) return nullptr;
  for (const Import& i : kImports) {
    if (i.name == wanted) return i.function;
  }
  return nullptr;
}

}  // namespace

void check_imports_of(void* library) { redirect_imports(library, import_named); }

}  // namespace wb
