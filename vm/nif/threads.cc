// Threads and locks of erl_nif.h, which are erl_driver.h's: the system's own, with names.
//
// A thread that a library starts works for the machine of whoever starts it.
#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/ranked_lock.h"
#include "scheduler/scheduler.h"
#include "vm/nif/environment.h"

using namespace wb;

// --- mutexes, conditions, read-write locks -------------------------------------------------------
struct ErlDrvMutex_ {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  std::string name;
};
struct ErlDrvCond_ {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  std::string name;
};
struct ErlDrvRWLock_ {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  std::string name;
};

template <class T>
static T* named(const char* name) {
  T* made = new T;
  if (name) made->name = name;
  return made;
}

ErlNifMutex* enif_mutex_create(char* name) { return named<ErlNifMutex>(name); }
void enif_mutex_destroy(ErlNifMutex* m) {
  if (!m) return;
  pthread_mutex_destroy(&m->lock);
  delete m;
}
int enif_mutex_trylock(ErlNifMutex* m) { return pthread_mutex_trylock(&m->lock); }
void enif_mutex_lock(ErlNifMutex* m) { pthread_mutex_lock(&m->lock); }
void enif_mutex_unlock(ErlNifMutex* m) { pthread_mutex_unlock(&m->lock); }
char* enif_mutex_name(ErlNifMutex* m) { return m ? m->name.data() : nullptr; }

ErlNifCond* enif_cond_create(char* name) { return named<ErlNifCond>(name); }
void enif_cond_destroy(ErlNifCond* c) {
  if (!c) return;
  pthread_cond_destroy(&c->condition);
  delete c;
}
void enif_cond_signal(ErlNifCond* c) { pthread_cond_signal(&c->condition); }
void enif_cond_broadcast(ErlNifCond* c) { pthread_cond_broadcast(&c->condition); }
void enif_cond_wait(ErlNifCond* c, ErlNifMutex* m) { pthread_cond_wait(&c->condition, &m->lock); }
char* enif_cond_name(ErlNifCond* c) { return c ? c->name.data() : nullptr; }

ErlNifRWLock* enif_rwlock_create(char* name) { return named<ErlNifRWLock>(name); }
void enif_rwlock_destroy(ErlNifRWLock* l) {
  if (!l) return;
  pthread_rwlock_destroy(&l->lock);
  delete l;
}
int enif_rwlock_tryrlock(ErlNifRWLock* l) { return pthread_rwlock_tryrdlock(&l->lock); }
void enif_rwlock_rlock(ErlNifRWLock* l) { pthread_rwlock_rdlock(&l->lock); }
void enif_rwlock_runlock(ErlNifRWLock* l) { pthread_rwlock_unlock(&l->lock); }
int enif_rwlock_tryrwlock(ErlNifRWLock* l) { return pthread_rwlock_trywrlock(&l->lock); }
void enif_rwlock_rwlock(ErlNifRWLock* l) { pthread_rwlock_wrlock(&l->lock); }
void enif_rwlock_rwunlock(ErlNifRWLock* l) { pthread_rwlock_unlock(&l->lock); }
char* enif_rwlock_name(ErlNifRWLock* l) { return l ? l->name.data() : nullptr; }

// --- what a thread has of its own ----------------------------------------------------------------
// Keys of the system are too few (1024). A key that is used again has another generation, so that
// what threads have kept for the one before is not seen. Keys are of the program, as libraries are.
namespace {
/// Pages of generations stay where they are, so that a thread looks one up without the lock.
class Keys {
 public:
  static constexpr uint64_t kUsed = 1;  ///< generations of keys in use are odd

  /// A key that nobody uses, which is in use from now on; -1: there are none left.
  int take() {
    std::lock_guard lock(lock_);
    if (unused_.empty()) {
      if (made_ == kPages * kPerPage) return -1;
      if (made_ % kPerPage == 0) {
        auto page = std::make_unique<Page>();
        pages_[made_ / kPerPage].store(page.get(), std::memory_order_release);
        owned_.push_back(std::move(page));
      }
      unused_.push_back(static_cast<int>(made_++));
    }
    const int key = unused_.back();
    unused_.pop_back();
    find(key)->fetch_add(1, std::memory_order_acq_rel);
    return key;
  }
  void give_back(int key) {
    std::lock_guard lock(lock_);
    if (!generation_of(key)) return;
    find(key)->fetch_add(1, std::memory_order_acq_rel);
    unused_.push_back(key);
  }
  /// Which is in use; 0: none.
  uint64_t generation_of(int key) const {
    const Generation* g = find(key);
    const uint64_t n = g ? g->load(std::memory_order_acquire) : 0;
    return n & kUsed ? n : 0;
  }

 private:
  using Generation = std::atomic<uint64_t>;
  static constexpr size_t kPerPage = 1024, kPages = 1024;
  using Page = std::array<Generation, kPerPage>;

  Generation* find(int key) const {
    const auto k = static_cast<size_t>(key);
    if (key < 0 || k >= kPages * kPerPage) return nullptr;
    Page* page = pages_[k / kPerPage].load(std::memory_order_acquire);
    return page ? &(*page)[k % kPerPage] : nullptr;
  }

  std::array<std::atomic<Page*>, kPages> pages_{};
  RankedLock<LockRank::nif_keys> lock_;  ///< for what follows
  size_t made_ = 0;
  std::vector<std::unique_ptr<Page>> owned_;
  std::vector<int> unused_;
};
/// Never destroyed: threads may end after the program's static objects.
Keys& keys() {
  static auto& all = *new Keys;
  return all;
}
struct KeyValue {
  uint64_t generation = 0;
  void* data = nullptr;
};
thread_local std::vector<KeyValue> values_of_thread;
}  // namespace

int enif_tsd_key_create(char*, ErlNifTSDKey* key) {
  *key = keys().take();
  return *key < 0 ? ENOMEM : 0;
}
void enif_tsd_key_destroy(ErlNifTSDKey key) { keys().give_back(key); }
void enif_tsd_set(ErlNifTSDKey key, void* data) {
  const uint64_t generation = keys().generation_of(key);
  if (!generation) return;
  const auto k = static_cast<size_t>(key);
  if (values_of_thread.size() <= k) values_of_thread.resize(k + 1);
  values_of_thread[k] = {generation, data};
}
void* enif_tsd_get(ErlNifTSDKey key) {
  const auto k = static_cast<size_t>(key);
  if (key < 0 || k >= values_of_thread.size()) return nullptr;
  const KeyValue& v = values_of_thread[k];
  return v.data && v.generation == keys().generation_of(key) ? v.data : nullptr;
}

// --- threads -------------------------------------------------------------------------------------
struct ErlDrvTid_ {
  pthread_t handle{};
  std::string name;
  void* (*main)(void*) = nullptr;
  void* argument = nullptr;
  Instance* instance = nullptr;
};

/// Of a thread that somebody else has made: as long as it lives.
static ErlNifTid this_thread(ErlNifTid set = nullptr) {
  static thread_local ErlNifTid started;
  if (set) started = set;
  if (started) return started;
  static thread_local ErlDrvTid_ other;
  other.handle = pthread_self();
  return &other;
}

static void* thread_main(void* self) {
  auto& t = *static_cast<ErlNifTid>(self);
  this_thread(&t);
  this_instance = t.instance;
  if (!t.name.empty()) pthread_setname_np(pthread_self(), t.name.substr(0, 15).c_str());
  return t.main(t.argument);
}

ErlNifThreadOpts* enif_thread_opts_create(char*) { return new ErlNifThreadOpts{-1}; }
void enif_thread_opts_destroy(ErlNifThreadOpts* opts) { delete opts; }

int enif_thread_create(char* name, ErlNifTid* tid, void* (*main)(void*), void* argument,
                       ErlNifThreadOpts* opts) {
  auto t = std::make_unique<ErlDrvTid_>();
  if (name) t->name = name;
  t->main = main;
  t->argument = argument;
  t->instance = &vm_of_thread().instance;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  constexpr size_t kKilowords = 1024 * sizeof(void*);
  if (opts && opts->suggested_stack_size > 0) {
    const size_t bytes = static_cast<size_t>(opts->suggested_stack_size) * kKilowords;
    pthread_attr_setstacksize(&attributes, std::max(bytes, size_t{64} << 10));
  }
  const int error = pthread_create(&t->handle, &attributes, thread_main, t.get());
  pthread_attr_destroy(&attributes);
  if (!error) *tid = t.release();
  return error;
}
ErlNifTid enif_thread_self(void) { return this_thread(); }
int enif_equal_tids(ErlNifTid a, ErlNifTid b) { return a == b; }
void enif_thread_exit(void* result) { pthread_exit(result); }
int enif_thread_join(ErlNifTid tid, void** result) {
  const int error = pthread_join(tid->handle, result);
  if (!error) delete tid;
  return error;
}
char* enif_thread_name(ErlNifTid tid) {
  if (!tid || tid->name.empty()) return nullptr;
  return tid->name.data();
}

/// In a seeded run a worker does what dirty threads would.
int enif_thread_type(void) {
  switch (dirty_thread_kind) {
    case static_cast<int>(DirtyKind::cpu):
      return ERL_NIF_THR_DIRTY_CPU_SCHEDULER;
    case static_cast<int>(DirtyKind::io):
      return ERL_NIF_THR_DIRTY_IO_SCHEDULER;
  }
  return Scheduler::current() ? ERL_NIF_THR_NORMAL_SCHEDULER : ERL_NIF_THR_UNDEFINED;
}
