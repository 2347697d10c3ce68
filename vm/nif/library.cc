#include "vm/nif/library.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstdarg>

#include "loader/code_table.h"
#include "term/atom.h"
#include "term/lists.h"
#include "vm/nif/checker.h"
#include "vm/nif/loaded.h"

namespace wb {

ErlNifFunc NifEntry::function(size_t k) const {
  if (has_flags()) return e_->funcs[k];
  const Short& f = reinterpret_cast<const Short*>(e_->funcs)[k];
  return {f.name, f.arity, f.body, 0};
}

NativeFunction::Call NifFunction::caller(unsigned flags, bool checked) {
  switch (flags) {
    case 0:
      return checked ? call_checked : call_normal;
    case ERL_NIF_DIRTY_JOB_CPU_BOUND:
      return call_dirty_cpu;
    case ERL_NIF_DIRTY_JOB_IO_BOUND:
      return call_dirty_io;
    default:
      return nullptr;
  }
}

// --- being loaded --------------------------------------------------------------------------------
NifLibrary* NifLibrary::being_loaded(ErlNifEnv* env) {
  auto* library = const_cast<NifLibrary*>(env->library);
  return library && library->loading_ ? library : nullptr;
}
void NifLibrary::opens_type(ErlNifResourceType& type, const ErlNifResourceTypeInit& callbacks) {
  opened_.push_back({&type, callbacks});
}
bool NifLibrary::has_opened(const ErlNifResourceType& type) const {
  for (const Opened& o : opened_) {
    if (o.type == &type) return true;
  }
  return false;
}
NifFunction& NifLibrary::add_function(const ErlNifFunc& f, Term name) {
  NifFunction& made = functions_.emplace_back();
  made.set(NifFunction::caller(f.flags, is_checked()), f.fptr, this, f.arity);
  made.name = name;
  return made;
}

namespace {
/// What keeps a library for the code of a module.
struct AttachedLibrary final : AttachedCode {
  explicit AttachedLibrary(NifLibrary& l) : library(l) {}
  ~AttachedLibrary() override { library.detach(); }
  NifLibrary& library;
};
}  // namespace

NifLibrary* library_of(const Module& m) {
  return m.nifs ? &static_cast<AttachedLibrary&>(*m.nifs).library : nullptr;
}

void NifLibrary::attach(Module& m) {
  for (const Opened& o : opened_) vm_.nifs->open_type(*o.type, *this, o.callbacks);
  m.nifs = std::make_unique<AttachedLibrary>(*this);
  attached_ = true;
  parts_.fetch_add(1, std::memory_order_relaxed);
  vm_.nifs->loaded.fetch_add(1, std::memory_order_relaxed);
}

Term loaded_nifs(Heap& h, const Module& m) {
  ListBuilder list(h);
  if (NifLibrary* library = library_of(m)) {
    for (const NifFunction& f : library->functions()) {
      list.add(tuple(h, f.name, make_small(f.arity)));
    }
  }
  return list.finish();
}
Term tainted_modules(Vm& vm, Heap& h) {
  ListBuilder list(h);
  for (Term module : vm.nifs->taints()) list.add(module);
  return list.finish();
}

static const NifFunction* native_function(Vm& vm, Term module, std::string_view name,
                                          size_t arity) {
  const Module* m = vm.code->find_module(module);
  NifLibrary* library = m ? library_of(*m) : nullptr;
  if (!library) return nullptr;
  for (const NifFunction& f : library->functions()) {
    if (f.arity == arity && atom_text(f.name) == name) return &f;
  }
  return nullptr;
}
bool has_native_function(Vm& vm, Term module, std::string_view name, size_t arity) {
  Reading reading(*vm.scheduler);
  return native_function(vm, module, name, arity);
}
Term call_native_function(Vm& vm, Term module, std::string_view name, std::string_view otherwise,
                          std::span<const Term> arguments, Process* self) {
  Reading reading(*vm.scheduler);
  const NifFunction* f = native_function(vm, module, name, arguments.size());
  if (!f) f = native_function(vm, module, otherwise, arguments.size());
  if (!f) return kNone;
  f->library->entered();
  OwnEnv env(vm, NifEnv::Kind::callback, f->library, self);
  Term result;
  {
    CheckedCall call(env, {f->library, f->name, f->arity}, arguments);
    const LibraryArguments given(arguments.data(), arguments.size());
    result = f->body(&env, static_cast<int>(arguments.size()), given.data());
    call.returns(result);
  }
  f->library->left();
  return !env.ends_otherwise && is_atom(result) ? result : kNone;
}

void NifLibrary::give_up_code() {
  purged_ = true;
  vm_.nifs->close_types(*this);
  release();
}
void NifLibrary::purged() {
  if (!inside_.load(std::memory_order_acquire) && !vm_.nifs->stopped()) give_up_code();
}
void library_purged(const Module& m) {
  if (NifLibrary* library = library_of(m)) library->purged();
}

/// Under the lock of the code table: nothing is called here.
void NifLibrary::detach() {
  if (vm_.nifs->stopped()) {
    if (!purged_) release();
    return end_part();
  }
  run = [](NifCallback& c) {
    auto& self = static_cast<NifLibrary&>(c);
    if (!self.purged_) self.give_up_code();
    self.end_part();
  };
  vm_.nifs->post(*this);
}

void NifLibrary::unload() {
  if (attached_ && entry_->unload && !vm_.nifs->stopped()) {
    OwnEnv env(vm_, NifEnv::Kind::callback, this);
    CheckedCall call(env, {.library = this, .callback = "unload"});
    entry_->unload(&env, priv_data_);
  }
  if (on_unload_thread_ && !vm_.nifs->stopped()) on_unload_thread_(priv_data_);
  if (handle_ && !vm_.nifs->stopped()) dlclose(handle_);
  end_part();
}
void NifLibrary::end_part() {
  if (parts_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace wb

using namespace wb;

/// While a library is loaded. That a halt waits for dirty functions needs no asking here.
int enif_set_option(ErlNifEnv* env, ErlNifOption option, ...) {
  NifLibrary* library = NifLibrary::being_loaded(env);
  if (!library) return EINVAL;
  va_list all;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wvarargs"  // the declaration is OTP's
  va_start(all, option);
#pragma clang diagnostic pop
  int error = 0;
  switch (option) {
    case ERL_NIF_OPT_DELAY_HALT:
      break;
    case ERL_NIF_OPT_ON_HALT:
      library->set_on_halt(va_arg(all, ErlNifOnHaltCallback*));
      break;
    case ERL_NIF_OPT_ON_UNLOAD_THREAD:
      library->set_on_unload_thread(va_arg(all, ErlNifOnUnloadThreadCallback*));
      break;
    default:
      error = EINVAL;
  }
  va_end(all);
  return error;
}

void* enif_priv_data(ErlNifEnv* env) { return env->library ? *env->library->priv_data() : nullptr; }
