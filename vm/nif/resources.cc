#include <cstring>
#include <new>

#include "base/out_of_memory.h"
#include "term/binary.h"
#include "term/owned_bytes.h"
#include "vm/nif/checker.h"
#include "vm/nif/library.h"
#include "vm/nif/nifs.h"
#include "vm/process/exec.h"

namespace wb {

// --- the life of a resource ----------------------------------------------------------------------
/// True: it was the last of a closed type, whose library may go.
static bool free_memory(Resource* r) {
  ErlNifResourceType& type = *r->type;
  type.bytes.fetch_sub(static_cast<int64_t>(r->size), std::memory_order_relaxed);
  delete r->monitors.load(std::memory_order_relaxed);
  if (NifChecker* checker = type.nifs.checker.get()) checker->gone(r->data());
  r->~Resource();
  free(r);
  return type.count.fetch_sub(1) == 1 && !type.open.load() && !type.nifs.stopped();
}
/// Anywhere.
static void free_resource(Resource* r) {
  ErlNifResourceType& type = *r->type;
  if (!free_memory(r)) return;
  struct Closed : NifCallback {
    ErlNifResourceType* type;
  };
  auto* closed = new Closed;
  closed->type = &type;
  closed->run = [](NifCallback& c) {
    auto* self = static_cast<Closed*>(&c);
    self->type->nifs.release_owner(*self->type);
    delete self;
  };
  type.nifs.post(*closed);
}

static void call_destructor(NifCallback& c) {
  auto& r = static_cast<Resource&>(c);
  Nifs& nifs = r.nifs();
  nifs.forget_monitors(r);
  if (ErlNifResourceDtor* dtor = r.type->callbacks.dtor) {
    OwnEnv env(nifs.vm(), NifEnv::Kind::callback, r.type->owner);
    CheckedCall call(env, {.library = r.type->owner, .callback = "destructor"});
    dtor(&env, r.data());
    nifs.destructed.fetch_add(1, std::memory_order_relaxed);
  }
  ErlNifResourceType& type = *r.type;
  if (free_memory(&r)) nifs.release_owner(type);
}

/// The last share went: anywhere, so nothing of the library's is called here.
static void destroy_resource(OffHeapObject* o) {
  auto* r = static_cast<Resource*>(o);
  Nifs& nifs = r->nifs();
  const bool quiet = !r->type->callbacks.dtor && !r->monitors.load(std::memory_order_acquire);
  if (quiet || nifs.stopped()) return free_resource(r);
  r->run = call_destructor;
  nifs.post(*r);
}

Resource* Resource::in(Term t) {
  if (!is_kind(t, Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(t);
  return o->destroy == destroy_resource ? static_cast<Resource*>(o) : nullptr;
}

bool Resource::retain_if_alive() {
  int64_t n = refs.load(std::memory_order_relaxed);
  do {
    if ((n & ~OffHeapObject::kNoted) <= 0) return false;
  } while (!refs.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel));
  return true;
}

/// Takes over a share.
Term Resource::term(Heap& h) {
  Term* p = h.alloc(5);
  p[0] = make_header(Kind::magic_ref, 4, owned_kib(size));
  p[1] = reinterpret_cast<Word>(static_cast<OffHeapObject*>(this));
  p[3] = number;
  p[4] = 0;
  h.link_off_heap(p, size);
  return make_boxed(p);
}

// --- binaries of a resource's memory -------------------------------------------------------------
// Our binaries have their bytes in line, so what a library shows is copied; the bytes must stay
// what they are anyway. The copy keeps the resource, as a destructor may wait for it.
namespace {
struct Owner {
  Resource* resource;
  void (*destroy)(OffHeapObject*);  ///< of a plain binary
};
Owner* owner_in(Binary* b) {
  return reinterpret_cast<Owner*>(b->data + b->capacity - sizeof(Owner));
}
void destroy_resource_binary(OffHeapObject* o) {
  const Owner owner = *owner_in(static_cast<Binary*>(o));
  owner.destroy(o);
  owner.resource->release();
}
Resource* owner_of_binary(Term t) {
  if (!is_kind(t, Kind::refc_bin)) return nullptr;
  Binary* b = refc_bin::object(boxed_ptr(t));
  return b->destroy == destroy_resource_binary ? owner_in(b)->resource : nullptr;
}
}  // namespace

}  // namespace wb

using namespace wb;

ERL_NIF_TERM enif_make_resource_binary(ErlNifEnv* env, void* obj, const void* data, size_t size) {
  Binary* b = new_binary(size, (size + 15) / 16 * 16 + sizeof(Owner));
  if (!b) return env->raise(am::system_limit);
  memcpy(b->data, data, size);
  Resource* r = Resource::of(obj);
  r->retain();
  *owner_in(b) = {r, b->destroy};
  b->destroy = destroy_resource_binary;
  return wrap_binary(*env->heap, b);
}

// --- resources -----------------------------------------------------------------------------------
void* enif_alloc_resource(ErlNifResourceType* type, size_t size) {
  void* memory = malloc(sizeof(Resource) + size);
  if (!memory) out_of_memory("binary", size);
  auto* r = new (memory) Resource;
  r->destroy = destroy_resource;
  r->type = type;
  r->size = size;
  r->number = type->nifs.vm().next_ref_number() | kMagicNumber;
  type->count.fetch_add(1, std::memory_order_relaxed);
  type->bytes.fetch_add(static_cast<int64_t>(size), std::memory_order_relaxed);
  return r->data();
}
void enif_release_resource(void* obj) {
  vm_of_thread();
  Resource::of(obj)->release();
}
void enif_keep_resource(void* obj) { Resource::of(obj)->retain(); }
ERL_NIF_TERM enif_make_resource(ErlNifEnv* env, void* obj) {
  Resource* r = Resource::of(obj);
  r->retain();
  return r->term(*env->heap);
}
int enif_get_resource(ErlNifEnv*, ERL_NIF_TERM t, ErlNifResourceType* type, void** obj) {
  Resource* r = Resource::in(t);
  if (WB_UNLIKELY(!r)) r = owner_of_binary(t);
  if (!r || r->type != type) return 0;
  *obj = r->data();
  return 1;
}
size_t enif_sizeof_resource(void* obj) { return Resource::of(obj)->size; }

int enif_dynamic_resource_call(ErlNifEnv* env, ERL_NIF_TERM module, ERL_NIF_TERM name,
                               ERL_NIF_TERM term, void* call_data) {
  ErlNifResourceType* type = env->vm.nifs->type_named(module, name, false);
  Resource* r = Resource::in(term);
  if (!type || !r || r->type != type || !type->callbacks.dyncall) return 1;
  type->callbacks.dyncall(env, r->data(), call_data);
  return 0;
}

// --- types ---------------------------------------------------------------------------------------
static ErlNifResourceType* open_type(ErlNifEnv* env, const char* name,
                                     const ErlNifResourceTypeInit& callbacks,
                                     ErlNifResourceFlags flags, ErlNifResourceFlags* tried) {
  NifLibrary* library = NifLibrary::being_loaded(env);
  if (!library) return nullptr;
  const Term type_name = enif_make_atom(env, name);
  if (is_fault(type_name)) return nullptr;
  ErlNifResourceType* type = env->vm.nifs->type_named(library->module(), type_name, true);
  const bool exists = type->open.load() || library->has_opened(*type);
  const auto does = exists ? ERL_NIF_RT_TAKEOVER : ERL_NIF_RT_CREATE;
  if (tried) *tried = flags & does ? does : flags;
  if (!(flags & does)) return nullptr;
  library->opens_type(*type, callbacks);
  return type;
}
ErlNifResourceType* enif_open_resource_type(ErlNifEnv* env, const char* module, const char* name,
                                            ErlNifResourceDtor* dtor, ErlNifResourceFlags flags,
                                            ErlNifResourceFlags* tried) {
  if (module) return nullptr;
  return open_type(env, name, {dtor, nullptr, nullptr, 1, nullptr}, flags, tried);
}
ErlNifResourceType* enif_open_resource_type_x(ErlNifEnv* env, const char* name,
                                              const ErlNifResourceTypeInit* init,
                                              ErlNifResourceFlags flags,
                                              ErlNifResourceFlags* tried) {
  return open_type(env, name, {init->dtor, init->stop, init->down, 3, nullptr}, flags, tried);
}
ErlNifResourceType* enif_init_resource_type(ErlNifEnv* env, const char* name,
                                            const ErlNifResourceTypeInit* init,
                                            ErlNifResourceFlags flags, ErlNifResourceFlags* tried) {
  ErlNifResourceTypeInit known{};
  const int n = init->members;
  known.members = n;
  if (n > 0) known.dtor = init->dtor;
  if (n > 1) known.stop = init->stop;
  if (n > 2) known.down = init->down;
  if (n > 3) known.dyncall = init->dyncall;
  return open_type(env, name, known, flags, tried);
}
