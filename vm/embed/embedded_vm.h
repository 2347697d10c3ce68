// A machine as the program sees it that it is part of: what stands behind whitebeam.h.
//
// Handles (wb_vm, environments, attached threads) share an EmbeddedVm, which lives as long as one
// of them; the Machine in it lives from create() to close(). Every function of the API passes
// enter(), which
//   - refuses if there is no machine any more, or it has failed;
//   - counts the thread as a user, so that close() waits until all have left;
//   - has the thread work for the machine (InstanceScope);
//   - catches what would end a program: a machine that cannot go on never returns from where that
//     was found, so on a thread of the program the function is left by a jump (Escape).
// On a thread that works for the machine already (a native function of the program's, a predicate)
// it does none of that.
//
// What waits: a call, a receive. Each waits at a mailbox of its own, and all mailboxes are told
// when the machine ends. Who tells them is the keeper, a thread that waits for the machine's end
// and stops it; a stepped machine has none, there the step itself looks. A stepped machine is run
// by who waits for it, if that is the thread that steps it.
//
// A machine that has failed is not destroyed (Vm::failed): what its threads held is held for ever.
//
// Locks: lock_ is a leaf. A mailbox' lock may be taken under it.
#pragma once

#include <atomic>
#include <csetjmp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/instance.h"
#include "scheduler/thread.h"
#include "vm/embed/mailbox.h"
#include "vm/embed/whitebeam.h"
#include "vm/machine/machine.h"

namespace wb {

struct HostFunction;

/// Words for people, cut off where there is no more room: where memory is out none may be needed.
using Words = char[512];
void put_words(Words& to, std::string_view words);

/// What wb_error() says next; returns `r`.
wb_result fail_with(wb_result r, std::string_view why);

/// Where a function of the API is left if the machine cannot go on.
class Escape {
 public:
  explicit Escape(EmbeddedVm& vm);
  ~Escape() { innermost = outer_; }
  Escape(const Escape&) = delete;
  /// After the jump: the thread is what it was before.
  void arrived();
  static void jump(EmbeddedVm& vm);  ///< returns if this thread is in no function of the API
  static EmbeddedVm& latest() { return innermost->vm_; }

  jmp_buf point;

 private:
  static inline constinit thread_local Escape* innermost = nullptr;
  EmbeddedVm& vm_;
  Escape* const outer_ = innermost;
  Instance* const instance_ = this_instance;
  LiveCell* const cell_ = live_cell;
  const bool poisons_ = poisons_freed;
};

class EmbeddedVm final : public std::enable_shared_from_this<EmbeddedVm> {
 public:
  EmbeddedVm();
  ~EmbeddedVm();
  EmbeddedVm(const EmbeddedVm&) = delete;

  wb_result create(const VmOptions& options);
  wb_result close();
  wb_result status(int* exit_code);

  Machine& machine() { return *machine_; }
  bool stepped() const { return stepped_; }
  /// Nothing of it runs any more.
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  /// This thread works for it already.
  bool is_inside() const { return this_instance && this_instance == instance_.load(); }

  /// body() as the head of this file says; refused(why) if it cannot be.
  template <class F, class Refused>
  std::invoke_result_t<F> enter(F body, Refused refused) {
    if (is_inside()) return body();
    if (const wb_result why = begin_use(); why != WB_OK) return refused(why);
    Escape escape(*this);
    if (_setjmp(escape.point)) {
      escape.arrived();
      end_use();
      return refused(failed());
    }
    struct Leave {
      EmbeddedVm& vm;
      ~Leave() { vm.end_use(); }
    } leave{*this};
    InstanceScope scope(machine_->instance);
    return body();
  }
  template <class F>
  wb_result enter(F body) {
    return enter(body, [](wb_result why) { return why; });
  }

  // --- waiting -----------------------------------------------------------------------------------
  /// Mailboxes that are told of the end.
  void add(const std::shared_ptr<Mailbox>& box);
  void remove(const Mailbox& box);
  /// The caller holds the lock of `box`. Until ready(); `timeout` in microseconds.
  template <class Ready>
  wb_result wait(Mailbox& box, std::unique_lock<std::mutex>& held, uint64_t timeout, Ready ready) {
    const uint64_t until = deadline(timeout);
    while (!ready()) {
      if (box.machine_gone) return ended();
      if (const wb_result r = wait_once(box, held, until); r != WB_OK) return r;
    }
    return WB_OK;
  }
  /// In microseconds of the system's monotonic clock; WB_FOREVER stays that.
  static uint64_t deadline(uint64_t timeout);
  static uint64_t now();
  wb_result ended();
  wb_result failed();

  // --- steps -------------------------------------------------------------------------------------
  wb_result step(uint64_t microseconds);
  wb_result next(uint64_t* microseconds);
  int descriptor();  ///< -1: it has threads

  // --- what the machine's end empties ------------------------------------------------------------
  class Tenant {
   public:
    virtual ~Tenant() = default;
    virtual void machine_ends() = 0;  ///< its terms go

   private:
    friend class EmbeddedVm;
    bool orphan_ = false;  ///< its owner has gone while the machine ended
  };
  void add(Tenant& t);
  /// By who has entered the machine, and will delete it.
  void remove(Tenant& t);
  /// By who could not, as it ends: deletes it now, or when its terms have gone.
  void remove_later(Tenant& t);
  void keep(std::unique_ptr<HostFunction> f);

 private:
  friend class Escape;
  wb_result begin_use();
  void end_use();
  wb_result wait_once(Mailbox& box, std::unique_lock<std::mutex>& held, uint64_t until);
  void step_until(uint64_t until);
  void tell_end();
  static void keep_watch(void* self);
  static void on_fatal(void* machine, int exit_code, const char* message);
  static void note_failure(Vm& vm, int exit_code, const char* message);

  Machine* machine_ = nullptr;
  std::atomic<Instance*> instance_{nullptr};
  bool stepped_ = false;
  Instance::FatalHandler fail_machine_ = nullptr;
  Thread keeper_;
  std::atomic<bool> open_{false}, stopped_{false};
  std::atomic<uint32_t> users_{0};
  std::mutex lock_;  ///< before that of a mailbox
  std::vector<std::shared_ptr<Mailbox>> boxes_;
  std::vector<Tenant*> tenants_;
  std::vector<std::unique_ptr<HostFunction>> functions_;
  bool told_end_ = false;
  std::mutex failure_lock_;  ///< who waits at a mailbox reads why, its lock held
  Words failure_ = "";
};

}  // namespace wb
