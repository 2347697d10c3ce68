#include "vm/embed/embedded_vm.h"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/sanitizers.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "term/releasing_literals.h"
#include "vm/core/settings.h"
#include "vm/embed/host_function.h"
#include "vm/embed/new_handler.h"
#include "vm/io/file_names.h"
#include "vm/io/services.h"
#include "vm/process/literal_collector.h"
#include "vm/process/table.h"

namespace wb {

// --- leaving what cannot go on -------------------------------------------------------------------
Escape::Escape(EmbeddedVm& vm) : vm_(vm) { innermost = this; }

void Escape::arrived() {
  innermost = this;
  this_instance = instance_;
  live_cell = cell_;
  poisons_freed = poisons_;
}

/// What stands between is skipped: scopes, locks, terms. They are the machine's, which stays as it
/// is from now on.
void Escape::jump(EmbeddedVm& vm) {
  for (Escape* e = innermost; e; e = e->outer_) {
    if (&e->vm_ == &vm) longjmp(e->point, 1);
  }
}

void EmbeddedVm::note_failure(Vm& vm, int, const char* message) {
  EmbeddedVm* self = vm.embedded;
  const bool constructing = !self;
  if (constructing) self = &Escape::latest();
  {
    std::lock_guard guard(self->failure_lock_);
    std::string_view words = message;
    while (words.ends_with('\n')) words.remove_suffix(1);
    put_words(self->failure_, words);
  }
  if (constructing) Escape::jump(*self);
}

/// In the place of the machine's own handler. Returns on the machine's threads: they stop for ever.
void EmbeddedVm::on_fatal(void* machine, int exit_code, const char* message) {
  Vm& vm = *static_cast<Vm*>(machine);
  EmbeddedVm& self = *vm.embedded;
  self.fail_machine_(machine, exit_code, message);
  if (self.stepped_ && vm.scheduler && vm.scheduler->own_worker()) vm.scheduler->abandon_step();
  Escape::jump(self);
}

void put_words(Words& to, std::string_view words) {
  const size_t n = std::min(words.size(), sizeof(Words) - 1);
  memcpy(to, words.data(), n);
  to[n] = 0;
}

// --- life ----------------------------------------------------------------------------------------
EmbeddedVm::EmbeddedVm() = default;
EmbeddedVm::~EmbeddedVm() = default;

wb_result EmbeddedVm::create(const VmOptions& given) {
  install_embedded_new_handler();
  Escape escape(*this);
  if (_setjmp(escape.point)) {
    escape.arrived();
    return failed();
  }
  VmOptions options = given;
  options.on_fatal = note_failure;
  machine_ = new Machine(options);
  machine_->embedded = this;
  Instance& instance = machine_->instance;
  fail_machine_ = std::exchange(instance.on_fatal, on_fatal);
  instance_ = &instance;
  stepped_ = options.stepped;
  {
    InstanceScope scope(machine_->instance);
    machine_->settings->file_names.latin1 = !locale_is_utf8();
    add_delivery(*this);
    machine_->start_services({}, false);
    if (auto loaded = machine_->code->load_from_path(intern("whitebeam_host")); !loaded) {
      std::string why = loaded.error().message;
      instance_ = nullptr;
      delete std::exchange(machine_, nullptr);
      return fail_with(WB_BAD_MODULE, why);
    }
    machine_->literals->start();
    machine_->start();
  }
  open_ = true;
  if (stepped_ || keeper_.start("wb-keeper", keep_watch, this)) return WB_OK;
  close();
  return fail_with(WB_LIMIT, "no thread for another machine");
}

void EmbeddedVm::keep_watch(void* self) {
  auto& vm = *static_cast<EmbeddedVm*>(self);
  vm.machine_->wait();
  if (!vm.machine_->failed()) vm.stopped_.store(true, std::memory_order_release);
  vm.tell_end();
}

void EmbeddedVm::tell_end() {
  std::lock_guard guard(lock_);
  told_end_ = true;
  for (auto& box : boxes_) box->close(true);
}

/// With all that its threads were in.
static void keep_for_ever(std::shared_ptr<EmbeddedVm> vm) {
  [[maybe_unused]] auto* kept = new std::shared_ptr<EmbeddedVm>(std::move(vm));
#ifdef WB_HAS_ASAN
  __lsan_ignore_object(kept);
  // Their table is mapped, and not looked into for pointers.
  (*kept)->machine().processes->each([](Process& p) { __lsan_ignore_object(&p); });
#endif
}

wb_result EmbeddedVm::close() {
  if (is_inside()) {
    return fail_with(WB_WOULD_WAIT, "a native function cannot destroy the machine that calls it");
  }
  if (stepped_ && !machine_->failed() && !machine_->scheduler->may_step()) {
    return fail_with(WB_WRONG_THREAD, "another thread steps this machine");
  }
  if (!open_.exchange(false)) return fail_with(WB_ENDED, "it has been destroyed");
  tell_end();
  while (const uint32_t users = users_.load()) users_.wait(users);
  machine_->halt(0);
  if (stepped_)
    machine_->wait();
  else
    keeper_.join();
  instance_ = nullptr;
  if (machine_->failed()) {
    keep_for_ever(shared_from_this());
    return WB_OK;
  }
  stopped_.store(true, std::memory_order_release);
  {
    InstanceScope scope(machine_->instance);
    std::lock_guard guard(lock_);
    for (Tenant* t : std::exchange(tenants_, {})) {
      t->machine_ends();
      if (t->orphan_) delete t;
    }
    for (auto& box : boxes_) box->abandon();
  }
  delete machine_;
  machine_ = nullptr;
  functions_.clear();
  boxes_.clear();
  return WB_OK;
}

wb_result EmbeddedVm::begin_use() {
  users_.fetch_add(1);
  if (!open_.load()) {
    end_use();
    return fail_with(WB_ENDED, "the machine has been destroyed");
  }
  if (machine_->failed()) {
    end_use();
    return failed();
  }
  return WB_OK;
}
void EmbeddedVm::end_use() {
  if (users_.fetch_sub(1) == 1 && !open_.load()) users_.notify_all();
}

wb_result EmbeddedVm::failed() {
  std::lock_guard guard(failure_lock_);
  return fail_with(WB_FAILED, failure_);
}
wb_result EmbeddedVm::ended() {
  if (!open_.load()) return fail_with(WB_ENDED, "the machine has been destroyed");
  if (machine_->failed()) return failed();
  return fail_with(WB_ENDED,
                   "the machine has ended, by halt(" + std::to_string(machine_->exit_code()) + ")");
}
wb_result EmbeddedVm::status(int* exit_code) {
  return enter([&] {
    if (!machine_->halting()) return WB_OK;
    if (exit_code) *exit_code = machine_->exit_code();
    return ended();
  });
}

// --- waiting -------------------------------------------------------------------------------------
void EmbeddedVm::add(const std::shared_ptr<Mailbox>& box) {
  std::lock_guard guard(lock_);
  boxes_.push_back(box);
  if (told_end_ || machine_->halting()) box->close(true);
}
void EmbeddedVm::remove(const Mailbox& box) {
  std::lock_guard guard(lock_);
  auto at = std::ranges::find_if(boxes_, [&](const auto& b) { return b.get() == &box; });
  if (at == boxes_.end()) return;
  std::swap(*at, boxes_.back());
  boxes_.pop_back();
}
void EmbeddedVm::add(Tenant& t) {
  std::lock_guard guard(lock_);
  tenants_.push_back(&t);
}
void EmbeddedVm::remove(Tenant& t) {
  std::lock_guard guard(lock_);
  std::erase(tenants_, &t);
}
void EmbeddedVm::remove_later(Tenant& t) {
  {
    std::lock_guard guard(lock_);
    t.orphan_ = std::ranges::find(tenants_, &t) != tenants_.end();
    if (t.orphan_) return;
  }
  delete &t;
}
void EmbeddedVm::keep(std::unique_ptr<HostFunction> f) {
  std::lock_guard guard(lock_);
  functions_.push_back(std::move(f));
}

uint64_t EmbeddedVm::now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000 + static_cast<uint64_t>(t.tv_nsec) / 1000;
}
uint64_t EmbeddedVm::deadline(uint64_t timeout) {
  const uint64_t at = now();
  return timeout >= WB_FOREVER - at ? WB_FOREVER : at + timeout;
}

wb_result EmbeddedVm::wait_once(Mailbox& box, std::unique_lock<std::mutex>& held, uint64_t until) {
  const uint64_t at = now();
  if (at >= until) return fail_with(WB_TIMEOUT, "nothing came in time");
  if (stepped_ && machine_->scheduler->may_step()) {
    held.unlock();
    step_until(until);
    if (machine_->failed()) return failed();  // it may have had the lock
    held.lock();
  } else if (until == WB_FOREVER) {
    box.changed.wait(held);
  } else {
    box.changed.wait_for(held, std::chrono::microseconds(until - at));
  }
  return WB_OK;
}

// --- steps ---------------------------------------------------------------------------------------
namespace {
constexpr uint64_t kNsPerUs = 1000, kLongestWait = 1'000'000'000;

/// A slice sets it, and the thread goes on with work of the program's.
struct KeepsReleasingLiterals {
  const ReleasingLiterals* const before = releasing_literals;
  ~KeepsReleasingLiterals() { releasing_literals = before; }
};
}  // namespace

/// Waits until there is something to do, not after that, and does some of it. In this order, as
/// what a step has done may be what the caller waits for.
void EmbeddedVm::step_until(uint64_t until) {
  constexpr uint64_t kStep = 2000;
  Scheduler& s = *machine_->scheduler;
  const uint64_t next = s.next_step_ns(), here = s.now_ns(), begin = now();
  if (next > here && until > begin) {
    uint64_t wait = next == WB_FOREVER ? kLongestWait : (next - here) / kNsPerUs + 1;
    wait = std::min({wait, until - begin, kLongestWait});
    pollfd fd{s.poll_descriptor(), POLLIN, 0};
    timespec timeout{static_cast<time_t>(wait / 1'000'000),
                     static_cast<long>(wait % 1'000'000 * 1000)};
    ppoll(&fd, 1, &timeout, nullptr);
  }
  const uint64_t at = now();
  KeepsReleasingLiterals keeps;
  s.step(until > at ? std::min(kStep, until - at) * kNsPerUs : 0);
  if (machine_->halting()) tell_end();
}

wb_result EmbeddedVm::step(uint64_t microseconds) {
  if (!stepped_) return fail_with(WB_BAD_ARGUMENT, "the machine has threads, and needs no steps");
  if (is_inside()) return fail_with(WB_WOULD_WAIT, "a step within a step");
  return enter([&] {
    Scheduler& s = *machine_->scheduler;
    if (machine_->halting()) return ended();
    if (!s.may_step()) return fail_with(WB_WRONG_THREAD, "another thread steps this machine");
    KeepsReleasingLiterals keeps;
    const bool ran =
        s.step(microseconds > WB_FOREVER / kNsPerUs ? WB_FOREVER : microseconds * kNsPerUs);
    if (machine_->failed()) return failed();
    if (!ran) return fail_with(WB_LIMIT, "no memory for a stack");
    if (!machine_->halting()) return WB_OK;
    tell_end();
    return ended();
  });
}

wb_result EmbeddedVm::next(uint64_t* microseconds) {
  if (!stepped_) return fail_with(WB_BAD_ARGUMENT, "the machine has threads, and needs no steps");
  return enter([&] {
    const uint64_t at = machine_->scheduler->next_step_ns(), here = machine_->scheduler->now_ns();
    *microseconds = at == WB_FOREVER ? at : at <= here ? 0 : (at - here + kNsPerUs - 1) / kNsPerUs;
    return WB_OK;
  });
}

int EmbeddedVm::descriptor() {
  if (!stepped_) return -1;
  return enter([&] { return machine_->scheduler->poll_descriptor(); },
               [](wb_result) { return -1; });
}

}  // namespace wb
