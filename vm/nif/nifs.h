// What one machine has of native libraries: resource types, resources that monitor processes or
// wait for descriptors, and callbacks that are still to be made.
//
// A resource is an OffHeapObject that terms refer to by magic references, all of one number, so
// that they are equal. Its last share may go anywhere: within a collection, under a lock, on a
// foreign thread. Nothing of a library's may run there, so what has a destructor is only queued,
// and the queue is emptied where nothing is held: between slices of a worker. A library's unload
// callback takes the same way. At the end of the machine nothing is called any more, as on BEAM.
//
// Who keeps whom: code of a module its library; a library the types that it has opened, which keep
// it as long as it is loaded or they have resources. A library's unload callback is called when
// nobody keeps it any more.
//
// Locks: types_lock_ and monitors_lock_ are leaves; no callback runs under one.
#pragma once

#include <erl_nif.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ranked_lock.h"
#include "term/fault.h"
#include "term/heap.h"
#include "vm/nif/dirty_calls.h"
#include "vm/nif/environment.h"
#include "vm/nif/selected_fds.h"

namespace wb {

struct Signal;
class NifLibrary;
class NifChecker;
struct Resource;

/// Something that is called where nothing is held.
struct NifCallback {
  NifCallback* next = nullptr;
  void (*run)(NifCallback& self) = nullptr;  ///< may free it
};

}  // namespace wb

/// ErlNifResourceType. Lives as long as its machine.
struct enif_resource_type_t {
  enif_resource_type_t(wb::Nifs& n, wb::Term m, wb::Term t) : nifs(n), module(m), name(t) {}
  wb::Nifs& nifs;
  const wb::Term module, name;
  ErlNifResourceTypeInit callbacks{};
  std::atomic<int64_t> count{0}, bytes{0};  ///< of its resources
  std::atomic<bool> open{false};            ///< its library is loaded
  wb::NifLibrary* owner = nullptr;          ///< whose callbacks it has; under Nifs::types_lock_
};

namespace wb {

class Nifs {
 public:
  explicit Nifs(Vm& vm);
  ~Nifs();
  /// The machine ends: from now on nothing of a library's is called.
  void stop();
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  // --- callbacks ---------------------------------------------------------------------------------
  void post(NifCallback& callback);
  /// Makes all that have been posted. The caller holds nothing.
  void run_posted();

  // --- resource types ----------------------------------------------------------------------------
  /// The type of that name, or a new one that no one has opened yet.
  ErlNifResourceType* type_named(Term module, Term name, bool create);
  void open_type(ErlNifResourceType& type, NifLibrary& owner,
                 const ErlNifResourceTypeInit& callbacks);
  /// The library goes: its types are closed.
  void close_types(NifLibrary& owner);
  /// Lets its library go if it is closed and has no resources. The caller holds nothing.
  void release_owner(ErlNifResourceType& type);
  template <class F>
  void each_type(F f) {
    std::lock_guard lock(types_lock_);
    for (auto& t : types_) f(*t);
  }

  // --- monitors ----------------------------------------------------------------------------------
  /// `shown`: process_info(Pid, monitored_by) lists it.
  int monitor(Resource& r, Term pid, ErlNifMonitor* monitor, bool shown);
  int demonitor(Resource& r, const ErlNifMonitor& monitor);
  /// A process has ended that resource `number` monitors. Takes `s`.
  bool monitored(Term number, Signal* s);
  void forget_monitors(Resource& r);
  bool take_monitor(uint64_t number, Resource* of, Resource** resource, Term* pid);

  // --- libraries ---------------------------------------------------------------------------------
  void add_taint(Term module);
  std::vector<Term> taints();

  SelectedFds selected;
  std::unique_ptr<NifChecker> checker;  ///< null: libraries are not checked
  DirtyCalls dirty;                     ///< what dirty threads run

  Vm& vm() { return vm_; }
  std::atomic<uint64_t> loaded{0}, calls_dirty{0}, destructed{0};

 private:
  static void run_later(void* nifs);

  Vm& vm_;
  std::atomic<bool> stopped_{false};
  std::atomic<NifCallback*> posted_{nullptr};
  RankedLock<LockRank::nif_types> types_lock_;
  std::vector<std::unique_ptr<ErlNifResourceType>> types_;
  RankedLock<LockRank::nif_monitors> monitors_lock_;
  struct Monitor {
    Resource* resource;
    Term pid;
  };
  std::unordered_map<uint64_t, Monitor> monitors_;  ///< by the number of the monitor
  RankedLock<LockRank::nif_taints> taints_lock_;
  std::vector<Term> taints_;
};

/// What a term of a resource refers to; the library knows the address of its data, which follow.
struct alignas(16) Resource : OffHeapObject, NifCallback {
  ErlNifResourceType* type;
  size_t size;
  uint64_t number;                                        ///< of its references
  std::atomic<std::vector<uint64_t>*> monitors{nullptr};  ///< their numbers, under monitors_lock_

  void* data() { return this + 1; }
  static Resource* of(void* data) { return static_cast<Resource*>(data) - 1; }
  /// The one that a term refers to, or nullptr.
  static Resource* in(Term t);
  /// Another share, unless the last has gone.
  bool retain_if_alive();
  Term term(Heap& h);
  Nifs& nifs() const { return type->nifs; }
};

}  // namespace wb
