// A library of native functions that a version of a module has loaded, and how one of them is
// called.
//
// Its end has two steps. When nothing keeps it any more (the code of its module, which a purge or
// the end of the code takes away; its resources) its `unload` is called and it is closed: within
// the purge, as on BEAM, unless a dirty thread is still in it for a process that has ended. The
// object stays until the code, whose slots point to its functions, has been freed, too.
//
// A library of an older minor version has shorter structures: NifEntry reads fields only where the
// version has them.
#pragma once

#include <erl_nif.h>

#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "loader/code.h"
#include "vm/nif/newer_functions.h"
#include "vm/nif/nifs.h"
#include "vm/process/native_yield.h"

namespace wb {

/// ErlNifEntry, of whatever version.
class NifEntry {
 public:
  explicit NifEntry(const ErlNifEntry* e) : e_(e) {}
  const ErlNifEntry* operator->() const { return e_; }
  bool has_flags() const { return e_->minor >= 7; }
  size_t functions() const { return static_cast<size_t>(e_->num_of_funcs); }
  ErlNifFunc function(size_t k) const;
  /// Where it is in the table.
  const void* place_of(size_t k) const {
    return reinterpret_cast<const char*>(e_->funcs) + k * size_of_function();
  }
  size_t size_of_function() const { return has_flags() ? sizeof(ErlNifFunc) : sizeof(Short); }
  const char* variant() const { return e_->minor >= 1 ? e_->vm_variant : ERL_NIF_VM_VARIANT; }
  const char* min_erts() const { return e_->minor >= 14 ? e_->min_erts : nullptr; }

 private:
  struct Short {  // a function before 2.7
    const char* name;
    unsigned arity;
    ERL_NIF_TERM (*body)(ErlNifEnv*, int, const ERL_NIF_TERM[]);
  };
  const ErlNifEntry* e_;
};

/// One of them.
struct NifFunction : NativeFunction {
  using Body = ERL_NIF_TERM (*)(ErlNifEnv*, int, const ERL_NIF_TERM[]);
  Body body = nullptr;
  const NifLibrary* library = nullptr;
  uint32_t arity = 0;
  Term name = kNone;              ///< of the Erlang function
  mutable WorkHistory history{};  ///< of a dirty one
  void set(Call how, Body b, const NifLibrary* l, uint32_t arguments) {
    call = how, body = b, library = l, arity = arguments;
  }
  static Term call_normal(Exec& c, const NativeFunction& f);
  static Term call_checked(Exec& c, const NativeFunction& f);
  static Term call_dirty_cpu(Exec& c, const NativeFunction& f);
  static Term call_dirty_io(Exec& c, const NativeFunction& f);
  /// What stands for ErlNifFunc::flags; nullptr: they mean nothing.
  static Call caller(unsigned flags, bool checked);
};

class NifLibrary : NifCallback {
 public:
  NifLibrary(Vm& vm, void* handle, const ErlNifEntry* entry, Term module)
      : vm_(vm), handle_(handle), entry_(entry), module_(module) {}
  NifLibrary(const NifLibrary&) = delete;

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  /// Nothing is held: the last one calls its `unload`.
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) unload();
  }
  /// A dirty thread begins or ends with one of its functions.
  void entered() const { inside_.fetch_add(1, std::memory_order_acq_rel); }
  void left() const { inside_.fetch_sub(1, std::memory_order_acq_rel); }

  const NifEntry& entry() const { return entry_; }
  Term module() const { return module_; }
  /// Its imports are those of checker.h.
  bool is_checked() const { return handle_ && vm_.nifs->checker; }
  const std::deque<NifFunction>& functions() const { return functions_; }
  void** priv_data() const { return &priv_data_; }

  // --- while it is being loaded ------------------------------------------------------------------
  /// The one whose load or upgrade callback this is the environment of, or nullptr.
  static NifLibrary* being_loaded(ErlNifEnv* env);
  void opens_type(ErlNifResourceType& type, const ErlNifResourceTypeInit& callbacks);
  bool has_opened(const ErlNifResourceType& type) const;
  size_t opened_types() const { return opened_.size(); }
  std::string path;  ///< for people; set while it is loaded
  NifFunction& add_function(const ErlNifFunc& f, Term name);
  void loading(bool on) { loading_ = on; }
  /// enif_set_option: what is called when the machine halts, and before `unload`, on its thread.
  void set_on_halt(ErlNifOnHaltCallback* f) { on_halt_ = f; }
  void set_on_unload_thread(ErlNifOnUnloadThreadCallback* f) { on_unload_thread_ = f; }
  void halted() const {
    if (on_halt_) on_halt_(priv_data_);
  }
  /// Its callback was content: its types are open, and it is kept by the code of `m`.
  void attach(Module& m);
  /// Nobody runs the code that keeps it any more. Nothing is held.
  void purged();
  /// That code has been freed.
  void detach();

 private:
  ~NifLibrary() = default;
  void unload();
  void give_up_code();
  void end_part();

  Vm& vm_;
  void* const handle_;
  const NifEntry entry_;
  const Term module_;
  mutable void* priv_data_ = nullptr;
  std::atomic<int64_t> refs_{1};
  std::atomic<int> parts_{1};  ///< of its end that are still to come: unload, code
  mutable std::atomic<int> inside_{0};
  ErlNifOnHaltCallback* on_halt_ = nullptr;
  ErlNifOnUnloadThreadCallback* on_unload_thread_ = nullptr;
  bool loading_ = false, attached_ = false, purged_ = false;
  struct Opened {
    ErlNifResourceType* type;
    ErlNifResourceTypeInit callbacks;
  };
  std::vector<Opened> opened_;
  std::deque<NifFunction> functions_;
};

/// The library of a module's version, or nullptr.
NifLibrary* library_of(const Module& m);

}  // namespace wb
