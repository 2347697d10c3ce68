// All functions of erl_driver.h: whatever of them were missing would not link, and what is here the
// linker keeps. Those that are erl_nif.h's under another name are here, too.
#include "vm/driver/functions.h"

#include <dlfcn.h>
#include <erl_driver.h>
#include <erl_nif.h>

#include "base/sanitizers.h"
#include "vm/io/environment.h"
#include "vm/nif/environment.h"

namespace wb {

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static const void* const kFunctions[] = {
#define DRIVER_FUNCTION(name) reinterpret_cast<const void*>(&name),
#include "vm/driver/functions.def"
};
#pragma clang diagnostic pop

std::span<const void* const> driver_functions() { return kFunctions; }

}  // namespace wb

// --- memory --------------------------------------------------------------------------------------
void* driver_alloc(ErlDrvSizeT size) { return malloc(size); }
void* driver_realloc(void* p, ErlDrvSizeT size) { return realloc(p, size); }
void driver_free(void* p) { free(p); }

// --- threads and locks ---------------------------------------------------------------------------
ErlDrvMutex* erl_drv_mutex_create(char* name) { return enif_mutex_create(name); }
void erl_drv_mutex_destroy(ErlDrvMutex* m) { enif_mutex_destroy(m); }
int erl_drv_mutex_trylock(ErlDrvMutex* m) { return enif_mutex_trylock(m); }
void erl_drv_mutex_lock(ErlDrvMutex* m) { enif_mutex_lock(m); }
void erl_drv_mutex_unlock(ErlDrvMutex* m) { enif_mutex_unlock(m); }
char* erl_drv_mutex_name(ErlDrvMutex* m) { return enif_mutex_name(m); }
ErlDrvCond* erl_drv_cond_create(char* name) { return enif_cond_create(name); }
void erl_drv_cond_destroy(ErlDrvCond* c) { enif_cond_destroy(c); }
void erl_drv_cond_signal(ErlDrvCond* c) { enif_cond_signal(c); }
void erl_drv_cond_broadcast(ErlDrvCond* c) { enif_cond_broadcast(c); }
void erl_drv_cond_wait(ErlDrvCond* c, ErlDrvMutex* m) { enif_cond_wait(c, m); }
char* erl_drv_cond_name(ErlDrvCond* c) { return enif_cond_name(c); }
ErlDrvRWLock* erl_drv_rwlock_create(char* name) { return enif_rwlock_create(name); }
void erl_drv_rwlock_destroy(ErlDrvRWLock* l) { enif_rwlock_destroy(l); }
int erl_drv_rwlock_tryrlock(ErlDrvRWLock* l) { return enif_rwlock_tryrlock(l); }
void erl_drv_rwlock_rlock(ErlDrvRWLock* l) { enif_rwlock_rlock(l); }
void erl_drv_rwlock_runlock(ErlDrvRWLock* l) { enif_rwlock_runlock(l); }
int erl_drv_rwlock_tryrwlock(ErlDrvRWLock* l) { return enif_rwlock_tryrwlock(l); }
void erl_drv_rwlock_rwlock(ErlDrvRWLock* l) { enif_rwlock_rwlock(l); }
void erl_drv_rwlock_rwunlock(ErlDrvRWLock* l) { enif_rwlock_rwunlock(l); }
char* erl_drv_rwlock_name(ErlDrvRWLock* l) { return enif_rwlock_name(l); }
int erl_drv_tsd_key_create(char* name, ErlDrvTSDKey* key) { return enif_tsd_key_create(name, key); }
void erl_drv_tsd_key_destroy(ErlDrvTSDKey key) { enif_tsd_key_destroy(key); }
void erl_drv_tsd_set(ErlDrvTSDKey key, void* data) { enif_tsd_set(key, data); }
void* erl_drv_tsd_get(ErlDrvTSDKey key) { return enif_tsd_get(key); }
ErlDrvThreadOpts* erl_drv_thread_opts_create(char* name) {
  return reinterpret_cast<ErlDrvThreadOpts*>(enif_thread_opts_create(name));
}
void erl_drv_thread_opts_destroy(ErlDrvThreadOpts* o) {
  enif_thread_opts_destroy(reinterpret_cast<ErlNifThreadOpts*>(o));
}
int erl_drv_thread_create(char* name, ErlDrvTid* tid, void* (*main)(void*), void* argument,
                          ErlDrvThreadOpts* options) {
  return enif_thread_create(name, tid, main, argument,
                            reinterpret_cast<ErlNifThreadOpts*>(options));
}
ErlDrvTid erl_drv_thread_self(void) { return enif_thread_self(); }
int erl_drv_equal_tids(ErlDrvTid a, ErlDrvTid b) { return enif_equal_tids(a, b); }
void erl_drv_thread_exit(void* result) { enif_thread_exit(result); }
int erl_drv_thread_join(ErlDrvTid tid, void** result) { return enif_thread_join(tid, result); }
char* erl_drv_thread_name(ErlDrvTid tid) { return enif_thread_name(tid); }

// --- the system ----------------------------------------------------------------------------------
void driver_system_info(ErlDrvSysInfo* to, size_t size) {
  enif_system_info(reinterpret_cast<ErlNifSysInfo*>(to), size);
}
WB_ANY_ENUM ErlDrvTime erl_drv_monotonic_time(ErlDrvTimeUnit unit) {
  return enif_monotonic_time(static_cast<ErlNifTimeUnit>(unit));
}
WB_ANY_ENUM ErlDrvTime erl_drv_time_offset(ErlDrvTimeUnit unit) {
  return enif_time_offset(static_cast<ErlNifTimeUnit>(unit));
}
WB_ANY_ENUM ErlDrvTime erl_drv_convert_time_unit(ErlDrvTime time, ErlDrvTimeUnit from,
                                                 ErlDrvTimeUnit to) {
  return enif_convert_time_unit(time, static_cast<ErlNifTimeUnit>(from),
                                static_cast<ErlNifTimeUnit>(to));
}
int driver_get_now(ErlDrvNowData* now) {
  if (!now) return -1;
  const auto us = static_cast<unsigned long>(wb::vm_of_thread().now_us());
  now->megasecs = us / 1'000'000 / 1'000'000;
  now->secs = us / 1'000'000 % 1'000'000;
  now->microsecs = us % 1'000'000;
  return 0;
}
int erl_drv_getenv(const char* name, char* value, size_t* size) {
  return enif_getenv(name, value, size);
}
int erl_drv_putenv(const char* name, char* value) {
  wb::vm_of_thread().environment->set(name, std::string(value));
  return 0;
}
int null_func(void) { return 0; }

// --- libraries of libraries ----------------------------------------------------------------------
namespace {
thread_local std::string last_error;
}
void* driver_dl_open(char* file) {
  void* handle = dlopen((std::string(file) + ".so").c_str(), RTLD_NOW);
  if (!handle) last_error = dlerror();
  return handle;
}
void* driver_dl_sym(void* handle, char* symbol) {
  dlerror();
  void* address = dlsym(handle, symbol);
  if (const char* error = dlerror()) last_error = error;
  return address;
}
int driver_dl_close(void* handle) {
  const int failed = dlclose(handle);
  if (failed) last_error = dlerror();
  return failed;
}
char* driver_dl_error(void) { return last_error.data(); }
