// Memory, time, the system: what needs no term.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/sanitizers.h"
#include "scheduler/scheduler.h"
#include "term/number.h"
#include "vm/core/clock.h"
#include "vm/io/environment.h"
#include "vm/io/file_names.h"
#include "vm/nif/environment.h"
#include "vm/nif/newer_functions.h"

using namespace wb;

// --- memory --------------------------------------------------------------------------------------
void* enif_alloc(size_t size) { return malloc(size); }
void* enif_realloc(void* p, size_t size) { return realloc(p, size); }
void enif_free(void* p) { free(p); }

// --- libraries of libraries ----------------------------------------------------------------------
/// Of a file whose name lacks its extension, as load_nif/2 wants it.
void* enif_dlopen(const char* file, void (*failed)(void*, const char*), void* context) {
  void* handle = dlopen((std::string(file) + ".so").c_str(), RTLD_NOW);
  if (!handle && failed) failed(context, dlerror());
  return handle;
}
void* enif_dlsym(void* handle, const char* symbol, void (*failed)(void*, const char*),
                 void* context) {
  dlerror();
  void* address = dlsym(handle, symbol);
  const char* error = dlerror();
  if (error && failed) failed(context, error);
  return error ? nullptr : address;
}

// --- the system ----------------------------------------------------------------------------------
void enif_system_info(ErlNifSysInfo* to, size_t size) {
  Vm& vm = vm_of_thread();
  ErlNifSysInfo info{};
  info.driver_major_version = 3;
  info.driver_minor_version = 3;
  info.erts_version = const_cast<char*>(vm.options.otp.erts.c_str());
  info.otp_release = const_cast<char*>(vm.options.otp.name.c_str());
  info.thread_support = 1;
  info.smp_support = 1;
  info.async_threads = 1;
  info.scheduler_threads = static_cast<int>(vm.scheduler->worker_count());
  info.nif_major_version = ERL_NIF_MAJOR_VERSION;
  info.nif_minor_version = nif_minor_of(vm.options.otp.number);
  info.dirty_scheduler_support = 1;
  memcpy(to, &info, std::min(size, sizeof info));
}

/// 0: it is there; positive: the buffer is too small, which *size says; negative: there is none.
int enif_getenv(const char* name, char* value, size_t* size) {
  const std::optional<std::string> text = vm_of_thread().environment->get(name);
  if (!text) return -1;
  if (text->size() >= *size) {
    *size = text->size() + 1;
    return 1;
  }
  memcpy(value, text->c_str(), text->size() + 1);
  *size = text->size();
  return 0;
}

/// The name of an error of the system, as an atom has it: "enoent". It stays.
extern "C" char* erl_errno_id(int error) {
  constexpr int kErrors = 256;
  static std::array<std::string, kErrors>& names = *[] {
    auto* all = new std::array<std::string, kErrors>;
    for (int k = 0; k < kErrors; ++k) (*all)[static_cast<size_t>(k)] = atom_text(posix_atom(k));
    return all;
  }();
  return names[error > 0 && error < kErrors ? static_cast<size_t>(error) : 0].data();
}

// --- time ----------------------------------------------------------------------------------------
WB_ANY_ENUM static int64_t parts_of(ErlNifTimeUnit unit) {
  switch (unit) {
    case ERL_NIF_SEC:
      return 1;
    case ERL_NIF_MSEC:
      return 1'000;
    case ERL_NIF_USEC:
      return 1'000'000;
    case ERL_NIF_NSEC:
      return 1'000'000'000;
  }
  return 0;
}
/// Rounded down, as erlang:convert_time_unit/3 does.
static int64_t converted(int64_t time, int64_t from, int64_t to) {
  if (from <= to) return time * (to / from);
  const int64_t divisor = from / to;
  return time >= 0 ? time / divisor : -((-time + divisor - 1) / divisor);
}
WB_ANY_ENUM static ErlNifTime of_ns(int64_t ns, ErlNifTimeUnit unit) {
  const int64_t parts = parts_of(unit);
  return parts ? converted(ns, 1'000'000'000, parts) : ERL_NIF_TIME_ERROR;
}
WB_ANY_ENUM ErlNifTime enif_monotonic_time(ErlNifTimeUnit unit) {
  return of_ns(vm_of_thread().clock->monotonic_ns(), unit);
}
WB_ANY_ENUM ErlNifTime enif_time_offset(ErlNifTimeUnit unit) {
  return of_ns(vm_of_thread().clock->offset_ns(), unit);
}
WB_ANY_ENUM ErlNifTime enif_convert_time_unit(ErlNifTime time, ErlNifTimeUnit from,
                                              ErlNifTimeUnit to) {
  if (!parts_of(from) || !parts_of(to)) return ERL_NIF_TIME_ERROR;
  return converted(time, parts_of(from), parts_of(to));
}

static Term now_tuple(Heap& h, int64_t us) {
  constexpr int64_t kMillion = 1'000'000;
  return tuple(h, make_small(us / kMillion / kMillion), make_small(us / kMillion % kMillion),
               make_small(us % kMillion));
}
ERL_NIF_TERM enif_now_time(ErlNifEnv* env) { return now_tuple(*env->heap, env->vm.now_us()); }
ERL_NIF_TERM enif_cpu_time(ErlNifEnv* env) {
  timespec t;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0) return env->badarg();
  return now_tuple(*env->heap, t.tv_sec * 1'000'000 + t.tv_nsec / 1000);
}
