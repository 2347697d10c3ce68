// whitebeam.h for C++20: handles are objects, failures are exceptions, and a native function may be
// a lambda, which may throw. A header only; what things mean stands in whitebeam.h.
//
//   whitebeam::Vm vm;
//   whitebeam::Env env(vm);
//   whitebeam::Term sum = env.call("lists", "sum", {env.list({1, 2, 3})});
//   int64_t six = sum.integer();
//
// A Term belongs to its Env and is as small as a pair of pointers. Exceptions of the program's
// native functions become Erlang errors: Raise what it says; any other std::exception
// {cpp_exception, What}; what is none the atom cpp_exception. They never pass through the machine.
#ifndef WHITEBEAM_HPP
#define WHITEBEAM_HPP

#include <chrono>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <whitebeam.h>

namespace whitebeam {

using Microseconds = std::chrono::microseconds;
/// No time-out.
inline constexpr Microseconds forever{-1};
inline uint64_t count(Microseconds t) {
  return t.count() < 0 ? WB_FOREVER : static_cast<uint64_t>(t.count());
}

class Error : public std::runtime_error {
 public:
  explicit Error(wb_result code)
      : std::runtime_error(std::string(wb_result_text(code)) + ": " + wb_error()), code(code) {}
  const wb_result code;
};
inline void check(wb_result r) {
  if (r != WB_OK) throw Error(r);
}

class Vm;
class Env;

class Term {
 public:
  Term(wb_env* env, wb_term value) : env_(env), value_(value) {
    if (value == WB_NONE) throw Error(WB_BAD_ARGUMENT);
  }
  wb_term handle() const { return value_; }
  wb_env* env() const { return env_; }

  wb_kind kind() const { return wb_kind_of(env_, value_); }
  int64_t integer() const { return get<int64_t>(wb_get_integer); }
  uint64_t natural() const { return get<uint64_t>(wb_get_unsigned); }
  double number() const { return get<double>(wb_get_float); }
  std::string_view atom() const {
    const char* text;
    size_t size;
    check(wb_get_atom(env_, value_, &text, &size));
    return {text, size};
  }
  bool is(std::string_view name) const { return kind() == WB_KIND_ATOM && atom() == name; }
  /// Of a binary; they live as long as the term.
  std::string_view bytes() const {
    const void* bytes;
    size_t size;
    check(wb_get_binary(env_, value_, &bytes, &size));
    return {static_cast<const char*>(bytes), size};
  }
  size_t size() const { return get<size_t>(wb_get_size); }
  Term operator[](size_t index) const {
    wb_term element;
    check(wb_get_element(env_, value_, index, &element));
    return {env_, element};
  }
  std::optional<Term> find(Term key) const {
    wb_term value;
    const wb_result r = wb_map_get(env_, value_, key.value_, &value);
    if (r == WB_NOT_FOUND) return std::nullopt;
    check(r);
    return Term(env_, value);
  }
  /// The elements of a proper list.
  std::vector<Term> elements() const {
    std::vector<Term> all;
    wb_term rest = value_;
    while (wb_kind_of(env_, rest) == WB_KIND_LIST) {
      wb_term head;
      check(wb_get_cons(env_, rest, &head, &rest));
      all.emplace_back(env_, head);
    }
    if (wb_kind_of(env_, rest) != WB_KIND_NIL) throw Error(WB_BAD_ARGUMENT);
    return all;
  }
  std::string text() const {
    size_t needed;
    check(wb_print(env_, value_, nullptr, 0, &needed));
    std::string all(needed, 0);
    check(wb_print(env_, value_, all.data(), needed, nullptr));
    all.pop_back();
    return all;
  }
  /// In the external format.
  std::string encoded() const {
    const void* bytes;
    size_t size;
    check(wb_encode(env_, value_, &bytes, &size));
    return {static_cast<const char*>(bytes), size};
  }
  template <class T>
  T& resource() const;

  friend bool operator==(Term a, Term b) { return wb_equal(a.env_, a.value_, b.value_); }
  friend bool operator<(Term a, Term b) { return wb_compare(a.env_, a.value_, b.value_) < 0; }

 private:
  template <class T>
  T get(wb_result (*f)(wb_env*, wb_term, T*)) const {
    T value;
    check(f(env_, value_, &value));
    return value;
  }
  wb_env* env_;
  wb_term value_;
};

/// The Erlang function of a call has raised. Outlives the environment of the call.
class Exception : public Error {
 public:
  explicit Exception(Term what)
      : Error(WB_EXCEPTION),
        error_class(what[0].atom()),
        reason_text(what[1].text()),
        trace_text(what[2].text()),
        encoded_reason_(what[1].encoded()) {}
  const std::string error_class;              ///< error, exit or throw
  const std::string reason_text, trace_text;  ///< as Term::text
  Term reason(Env& env) const;

 private:
  std::string encoded_reason_;
};

/// A native function throws it: the Erlang exception that it shall be.
struct Raise {
  Term reason;
  const char* error_class = "error";
};

class Env {
 public:
  explicit Env(Vm& vm);
  /// That of a native function's call, which is not ours.
  explicit Env(wb_env* env) : env_(env), own_(false) {}
  Env(Env&& other) noexcept : env_(std::exchange(other.env_, nullptr)), own_(other.own_) {}
  Env(const Env&) = delete;
  ~Env() {
    if (own_ && env_) wb_env_free(env_);
  }
  wb_env* handle() const { return env_; }
  void clear() { wb_env_clear(env_); }

  Term atom(const std::string& text) { return {env_, wb_make_atom(env_, text.c_str())}; }
  Term binary(std::string_view b) { return {env_, wb_make_binary(env_, b.data(), b.size())}; }
  /// A list of characters.
  Term string(const std::string& text) { return {env_, wb_make_string(env_, text.c_str())}; }
  Term ref() { return {env_, wb_make_ref(env_)}; }
  Term copy(Term t) { return {env_, wb_copy(env_, t.handle())}; }
  Term decode(std::string_view bytes) {
    wb_term term;
    check(wb_decode(env_, bytes.data(), bytes.size(), &term));
    return {env_, term};
  }

  /// What a value of C++ is: a number, true or false, a binary of a text, a list of a vector.
  Term make(Term t) { return t; }
  Term make(bool b) { return {env_, wb_make_boolean(env_, b)}; }
  template <class T>
    requires std::is_integral_v<T> && (!std::is_same_v<T, bool>)
  Term make(T n) {
    if constexpr (std::is_signed_v<T>)
      return {env_, wb_make_integer(env_, n)};
    else
      return {env_, wb_make_unsigned(env_, n)};
  }
  Term make(double d) { return {env_, wb_make_float(env_, d)}; }
  Term make(std::string_view text) { return binary(text); }
  Term make(const std::string& text) { return binary(text); }
  Term make(const char* text) { return binary(text); }
  template <class T>
  Term make(const std::vector<T>& all) {
    std::vector<wb_term> terms;
    for (const T& t : all) terms.push_back(make(t).handle());
    return list_of(terms);
  }

  template <class T>
  Term list(std::initializer_list<T> all) {
    return make(std::vector<T>(all));
  }
  Term list() { return list_of({}); }
  template <class... T>
  Term tuple(const T&... all) {
    const wb_term terms[] = {make(all).handle()..., WB_NONE};
    return {env_, wb_make_tuple(env_, sizeof...(T), terms)};
  }
  Term map(std::initializer_list<std::pair<Term, Term>> pairs) {
    std::vector<wb_term> terms;
    for (const auto& [key, value] : pairs)
      terms.insert(terms.end(), {key.handle(), value.handle()});
    return {env_, wb_make_map(env_, pairs.size(), terms.data())};
  }
  Term put(Term map, Term key, Term value) {
    return {env_, wb_map_put(env_, map.handle(), key.handle(), value.handle())};
  }
  /// Erlang code has a share of it.
  template <class T>
  Term resource(std::shared_ptr<T> object);

  Term call(const std::string& module, const std::string& function,
            const std::vector<Term>& arguments = {}, Microseconds timeout = forever) {
    wb_term value;
    const wb_result r = wb_call(env_, module.c_str(), function.c_str(), make(arguments).handle(),
                                count(timeout), &value);
    if (r == WB_EXCEPTION) throw Exception(Term(env_, value));
    check(r);
    return {env_, value};
  }
  Term spawn(const std::string& module, const std::string& function,
             const std::vector<Term>& arguments = {}) {
    wb_term pid;
    check(wb_spawn(env_, module.c_str(), function.c_str(), make(arguments).handle(), &pid));
    return {env_, pid};
  }
  void send(Term to, Term message) { check(wb_send(env_, to.handle(), message.handle())); }
  std::optional<Term> whereis(const std::string& name) {
    wb_term pid;
    const wb_result r = wb_whereis(env_, name.c_str(), &pid);
    if (r == WB_NOT_FOUND) return std::nullopt;
    check(r);
    return Term(env_, pid);
  }
  /// In a native function: who calls it.
  Term caller() {
    wb_term pid;
    check(wb_caller(env_, &pid));
    return {env_, pid};
  }

 private:
  Term list_of(const std::vector<wb_term>& all) {
    return {env_, wb_make_list(env_, all.size(), all.data())};
  }
  wb_env* env_ = nullptr;
  bool own_ = true;
};

enum class Native : uint32_t {
  usual = WB_NATIVE_USUAL,
  computes = WB_NATIVE_COMPUTES,
  blocks = WB_NATIVE_BLOCKS
};

class Vm {
 public:
  explicit Vm(const wb_settings* settings = nullptr) { check(wb_vm_create(settings, &vm_)); }
  explicit Vm(const wb_settings& settings) : Vm(&settings) {}
  Vm(const Vm&) = delete;
  /// As wb_vm_destroy. Not before the environments and threads of others are done with it.
  ~Vm() { wb_vm_destroy(vm_); }
  wb_vm* handle() const { return vm_; }

  /// The name of the module.
  std::string load(std::string_view beam);
  bool runs() const { return wb_vm_status(vm_, nullptr) == WB_OK; }
  /// False: it has ended.
  bool step(Microseconds time) {
    const wb_result r = wb_vm_step(vm_, count(time));
    if (r == WB_ENDED) return false;
    check(r);
    return true;
  }
  /// Until the next step; `forever`: see wb_vm_next.
  Microseconds next() {
    uint64_t time;
    check(wb_vm_next(vm_, &time));
    return time == WB_FOREVER ? forever : Microseconds(static_cast<int64_t>(time));
  }
  int descriptor() const { return wb_vm_descriptor(vm_); }

  using Function = std::function<Term(Env& env, std::span<const Term> arguments)>;
  void function(const std::string& module, const std::string& name, size_t arity, Function body,
                Native kind = Native::usual) {
    auto kept = std::make_unique<Function>(std::move(body));
    check(wb_native_function(vm_, module.c_str(), name.c_str(), arity, call_native, kept.get(),
                             static_cast<uint32_t>(kind)));
    functions_.push_back(std::move(kept));
  }

 private:
  static wb_term call_native(wb_env* handle, void* data, size_t n,
                             const wb_term* arguments) noexcept {
    Env env(handle);
    try {
      std::vector<Term> terms;
      terms.reserve(n);
      for (size_t k = 0; k < n; ++k) terms.emplace_back(handle, arguments[k]);
      return (*static_cast<Function*>(data))(env, terms).handle();
    } catch (const Raise& r) {
      return wb_raise(handle, r.error_class, r.reason.handle());
    } catch (const std::exception& e) {
      return raise_cpp(handle, e.what());
    } catch (...) {
      return wb_raise(handle, "error", wb_make_atom(handle, "cpp_exception"));
    }
  }
  static wb_term raise_cpp(wb_env* env, std::string_view what) {
    const wb_term pair[] = {wb_make_atom(env, "cpp_exception"),
                            wb_make_binary(env, what.data(), what.size())};
    return wb_raise(env, "error", wb_make_tuple(env, 2, pair));
  }

  std::vector<std::unique_ptr<Function>> functions_;
  wb_vm* vm_ = nullptr;
};

inline Term Exception::reason(Env& env) const { return env.decode(encoded_reason_); }

inline Env::Env(Vm& vm) { check(wb_env_new(vm.handle(), &env_)); }
inline std::string Vm::load(std::string_view beam) {
  Env env(*this);
  wb_term module;
  check(wb_load(env.handle(), beam.data(), beam.size(), &module));
  return std::string(Term(env.handle(), module).atom());
}

/// This thread as a process of a machine.
class Thread {
 public:
  explicit Thread(Vm& vm) { check(wb_attach(vm.handle(), &thread_)); }
  Thread(const Thread&) = delete;
  ~Thread() { wb_detach(thread_, nullptr, WB_NONE); }
  wb_thread* handle() const { return thread_; }

  Term self(Env& env) {
    wb_term pid;
    check(wb_self(thread_, env.handle(), &pid));
    return {env.handle(), pid};
  }
  void send(Term to, Term message) {
    check(wb_thread_send(thread_, message.env(), to.handle(), message.handle()));
  }
  /// Nothing: none came in time.
  template <class Matches>
  std::optional<Term> receive(Env& env, Microseconds timeout, Matches matches) {
    struct Look {
      Matches& matches;
      std::exception_ptr thrown;
    } look{matches, nullptr};
    wb_term message;
    const wb_result r = wb_receive(
        thread_, env.handle(),
        [](wb_env* e, wb_term m, void* data) noexcept -> int {
          auto& l = *static_cast<Look*>(data);
          try {
            return l.matches(Term(e, m));
          } catch (...) {
            l.thrown = std::current_exception();
            return -1;
          }
        },
        &look, count(timeout), &message);
    if (look.thrown) std::rethrow_exception(look.thrown);
    if (r == WB_TIMEOUT) return std::nullopt;
    check(r);
    return Term(env.handle(), message);
  }
  std::optional<Term> receive(Env& env, Microseconds timeout = forever) {
    wb_term message;
    const wb_result r =
        wb_receive(thread_, env.handle(), nullptr, nullptr, count(timeout), &message);
    if (r == WB_TIMEOUT) return std::nullopt;
    check(r);
    return Term(env.handle(), message);
  }
  void link(Term pid) { check(wb_link(thread_, pid.env(), pid.handle())); }
  void unlink(Term pid) { check(wb_unlink(thread_, pid.env(), pid.handle())); }
  Term monitor(Term whom) {
    wb_term ref;
    check(wb_monitor(thread_, whom.env(), whom.handle(), &ref));
    return {whom.env(), ref};
  }
  void demonitor(Term ref) { check(wb_demonitor(thread_, ref.env(), ref.handle())); }
  void name(const std::string& name) { check(wb_register(thread_, name.c_str())); }
  void trap_exit(bool traps) { check(wb_trap_exit(thread_, traps)); }

 private:
  wb_thread* thread_ = nullptr;
};

// --- resources -----------------------------------------------------------------------------------
template <class T>
inline const char resource_type = 0;  ///< its address

template <class T>
Term Env::resource(std::shared_ptr<T> object) {
  auto* share = new std::shared_ptr<T>(std::move(object));
  const wb_term t = wb_make_resource(env_, &resource_type<T>, share, [](void* data) {
    delete static_cast<std::shared_ptr<T>*>(data);
  });
  if (t == WB_NONE) delete share;
  return {env_, t};
}
template <class T>
T& Term::resource() const {
  void* data;
  check(wb_get_resource(env_, value_, &resource_type<T>, &data));
  return **static_cast<std::shared_ptr<T>*>(data);
}

}  // namespace whitebeam
#endif
