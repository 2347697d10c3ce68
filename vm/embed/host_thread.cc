// Threads of the program that are processes.
//
// A thread's process is a process of whitebeam_host: its pid, links, monitors and name are the
// thread's, and it hands on what it gets to the thread's mailbox. What the thread sends to a
// process here it sends by itself, in that process' name; the rest its process does for it. Its
// process and the thread know each other by the mailbox and a key, so neither keeps the other
// alive.
//
// A thread that ends without having detached is noticed by the destructor of its HostThread, which
// has its processes exit.
//
// Rejected: the thread as what runs the process itself (the scheduler would have to know runnables
// that nobody runs, and everything that looks at processes that they may be nobody's).
#include <algorithm>
#include <new>
#include <thread>

#include "scheduler/scheduler.h"
#include "term/copy.h"
#include "vm/embed/requests.h"
#include "vm/process/route.h"
#include "vm/process/spawn.h"

struct wb_thread final : wb::EmbeddedVm::Tenant {
  wb::HandleKind kind = wb::HandleKind::thread;
  std::shared_ptr<wb::EmbeddedVm> vm;
  std::shared_ptr<wb::Mailbox> box = std::make_shared<wb::Mailbox>();
  wb::Term pid = wb::kNone;
  uint64_t key = 0;
  std::thread::id owner = std::this_thread::get_id();

  void machine_ends() override { box->abandon(); }
};

namespace wb {
namespace {

wb_result detach(wb_thread* t, Term reason) {
  const wb_result r = t->vm->enter([&] {
    FragmentHeap h(8);
    key_request(*t->vm, t->pid, t->key, tuple(h, am::exit, reason), h);
    t->vm->remove(*t->box);
    t->vm->remove(*t);
    t->box->abandon();
    return WB_OK;
  });
  t->kind = HandleKind::none;
  if (r == WB_OK) delete t;
  if (r != WB_ENDED) return r;
  std::shared_ptr(t->vm)->remove_later(*t);
  return WB_OK;
}

/// What a thread of the program has to do with machines. Made at its first use: few bytes of a
/// library that is loaded late can be thread-local.
struct HostThread {
  Words error = "";
  std::vector<wb_thread*> attached;

  ~HostThread() {
    const Term reason = intern("host_thread_ended");
    while (!attached.empty()) {
      wb_thread* t = attached.back();
      attached.pop_back();
      if (is_value(reason)) detach(t, reason);
    }
  }
};
struct HostThreadHolder {
  HostThread* thread = nullptr;
  ~HostThreadHolder() {
    delete thread;
    thread = nullptr;
  }
};
/// Null: there is no memory for it.
HostThread* host_thread() {
  static thread_local HostThreadHolder holder;
  if (!holder.thread) holder.thread = new (std::nothrow) HostThread;
  return holder.thread;
}

wb_result check(const wb_thread* t) {
  if (!t || t->kind != HandleKind::thread) return fail_with(WB_BAD_ARGUMENT, "no attached thread");
  if (t->owner == std::this_thread::get_id()) return WB_OK;
  return fail_with(WB_WRONG_THREAD, "another thread attached this one");
}
/// body() by the thread itself, with an environment of that machine. `waits`: for its process.
template <class F>
wb_result by_thread(wb_thread* t, wb_env* env, bool waits, F body) {
  if (const wb_result r = check(t); r != WB_OK) return r;
  if (is_env(env) && env->vm != t->vm.get()) {
    return fail_with(WB_BAD_ARGUMENT, "an environment of another machine");
  }
  if (waits) {
    if (const wb_result r = may_wait(*t->vm); r != WB_OK) return r;
  }
  return in_env(env, body);
}

wb_result exited() { return fail_with(WB_EXITED, "the process that the thread was has ended"); }

/// Its process does it, and answers {ok, Value} or {Class, Reason, Trace}.
template <class Use>
wb_result ask(wb_thread& t, Heap& h, Term request, Use use) {
  Mailbox& box = *t.box;
  if (!key_request(*t.vm, t.pid, t.key, request, h)) return exited();
  std::unique_lock held(box.lock);
  const wb_result r =
      t.vm->wait(box, held, WB_FOREVER, [&] { return box.reply || box.process_gone; });
  if (r != WB_OK) return r;
  if (!box.reply) return exited();
  Letter answer = *box.reply;
  box.reply.reset();
  held.unlock();
  const Term* e = tuple_elements(answer.term);
  const wb_result result = tuple_arity(answer.term) == 2 ? use(e[1])
                           : e[1] == am::noproc
                               ? fail_with(WB_NOT_FOUND, "no such process")
                               : fail_with(WB_BAD_ARGUMENT, "not possible: badarg");
  if (answer.fragment) free_fragments(answer.fragment);
  return result;
}
/// A function of module erlang.
template <class Use>
wb_result apply(wb_thread& t, const char* function, std::initializer_list<Term> arguments,
                Use use) {
  FragmentHeap h(32);
  Term list = kNil;
  for (size_t k = arguments.size(); k-- > 0;) list = cons(h, arguments.begin()[k], list);
  return ask(t, h, tuple(h, am::apply, intern(function), list), use);
}
wb_result nothing(Term) { return WB_OK; }

/// Of a thread that has no environment at hand.
class Scratch {
 public:
  explicit Scratch(wb_thread* t) {
    if (check(t) == WB_OK) env_.emplace(t->vm);
  }
  ~Scratch() {
    if (env_) env_->vm->enter([&] { return env_->machine_ends(), WB_OK; });
  }
  wb_env* env() { return env_ ? &*env_ : nullptr; }

 private:
  std::optional<OwnEnvironment> env_;
};

}  // namespace

wb_result fail_with(wb_result r, std::string_view why) {
  if (HostThread* t = host_thread()) put_words(t->error, why);
  return r;
}

}  // namespace wb

using namespace wb;

const char* wb_error(void) {
  const HostThread* t = host_thread();
  return t ? t->error : "no memory even to say why";
}

// --- attaching -----------------------------------------------------------------------------------
wb_result wb_attach(wb_vm* vm, wb_thread** thread) {
  if (!vm || vm->kind != HandleKind::vm || !thread) return fail_with(WB_BAD_ARGUMENT, "no machine");
  EmbeddedVm& e = *vm->vm;
  HostThread* const host = host_thread();
  if (!host) return WB_LIMIT;
  return e.enter([&] {
    if (e.machine().halting()) return e.ended();
    auto t = std::make_unique<wb_thread>();
    t->vm = vm->vm;
    t->key = e.machine().next_ref_number();
    e.add(t->box);
    FragmentHeap h(32);
    const Term arguments = cons(h, make_ticket(e, h, t->box), cons(h, make_ref(h, t->key), kNil));
    t->pid =
        spawn_process(e.machine(), nullptr, intern("whitebeam_host"), intern("thread"), arguments);
    if (is_fault(t->pid)) {
      e.remove(*t->box);
      return fail_with(WB_LIMIT, "too many processes");
    }
    e.add(*t);
    host->attached.push_back(t.get());
    *thread = t.release();
    return WB_OK;
  });
}

wb_result wb_detach(wb_thread* thread, wb_env* env, wb_term reason) {
  if (const wb_result r = check(thread); r != WB_OK) return r;
  if (reason != WB_NONE && !is_env(env)) return fail_with(WB_BAD_ARGUMENT, "no environment");
  const Term why = reason == WB_NONE ? am::normal : to_term(reason);
  if (is_fault(why)) return no_term();
  if (HostThread* host = host_thread()) std::erase(host->attached, thread);
  return detach(thread, why);
}

wb_result wb_self(wb_thread* thread, wb_env* env, wb_term* pid) {
  return by_thread(thread, env, false, [&] {
    if (!pid) return fail_with(WB_BAD_ARGUMENT, "a null pointer");
    *pid = to_handle(thread->pid);
    return WB_OK;
  });
}

// --- messages ------------------------------------------------------------------------------------
wb_result wb_thread_send(wb_thread* thread, wb_env* env, wb_term to, wb_term message) {
  return by_thread(thread, env, false, [&] {
    Machine& m = env->vm->machine();
    Term whom = to_term(to);
    if (!is_term(to) || !is_term(message)) return no_term();
    if (m.halting()) return env->vm->ended();
    if (is_atom(whom)) {
      whom = m.processes->whereis(whom);
      if (is_fault(whom)) return fail_with(WB_NOT_FOUND, "nobody has that name");
    }
    if (is_local_pid(whom)) {
      Reading reading(*thread->vm->machine().scheduler);
      Signal* s = new_signal(SignalKind::message, to_term(message));
      s->from = Address::of_local(thread->pid);
      route(m, whom, s);
      return WB_OK;
    }
    if (!is_pid(whom) && !is_port(whom) && !is_ref(whom) && !is_tuple_of(whom, 2)) {
      return fail_with(WB_BAD_ARGUMENT, "no pid, name, port or alias");
    }
    FragmentHeap h(16);
    const Term request = tuple(h, am::send, whom, to_term(message));
    return key_request(*thread->vm, thread->pid, thread->key, request, h) ? WB_OK : exited();
  });
}

enum class Match { none, taken, stop };
/// The first that matches is taken out of the thread's own queue, from `from` on.
static Match take_match(Mailbox& box, std::list<Letter>::iterator from, wb_env* env,
                        wb_matcher matcher, void* data, wb_term* message) {
  for (auto at = from; at != box.queue.end(); ++at) {
    const int matches = matcher ? matcher(env, to_handle(at->term), data) : 1;
    if (matches < 0) return Match::stop;
    if (!matches) continue;
    Letter l = *at;
    box.queue.erase(at);
    take_letter(env, l, message);
    return Match::taken;
  }
  return Match::none;
}

wb_result wb_receive(wb_thread* thread, wb_env* env, wb_matcher matcher, void* data,
                     uint64_t timeout, wb_term* message) {
  return by_thread(thread, env, true, [&] {
    if (!env->own || !message) return fail_with(WB_BAD_ARGUMENT, "no environment of the program's");
    Mailbox& box = *thread->box;
    const uint64_t until = EmbeddedVm::deadline(timeout);
    auto looked_at = box.queue.begin();
    for (;;) {
      bool gone, came;
      {
        std::lock_guard guard(box.lock);
        gone = box.process_gone || box.exit;
        came = !box.incoming.empty();
        const auto first = box.incoming.begin();
        const bool all_seen = looked_at == box.queue.end();
        box.queue.splice(box.queue.end(), box.incoming);
        if (all_seen && came) looked_at = first;
      }
      const Match match = take_match(box, looked_at, env, matcher, data, message);
      if (match == Match::taken) return WB_OK;
      if (match == Match::stop) return fail_with(WB_TIMEOUT, "the predicate wants none");
      looked_at = box.queue.end();
      if (gone) break;
      std::unique_lock held(box.lock);
      const uint64_t now = EmbeddedVm::now();
      const uint64_t left = until == WB_FOREVER ? until : until > now ? until - now : 0;
      const wb_result r = thread->vm->wait(
          box, held, left, [&] { return !box.incoming.empty() || box.process_gone || box.exit; });
      if (r != WB_OK) return r;
    }
    std::lock_guard guard(box.lock);
    *message = to_handle(box.exit ? copy_term_deep(*env->heap, box.exit->term) : am::killed);
    return exited();
  });
}

// --- links, monitors, names ----------------------------------------------------------------------
static wb_result on_process(wb_thread* thread, wb_env* env, const char* function, wb_term whom) {
  return by_thread(thread, env, true, [&] {
    if (!is_term(whom)) return no_term();
    return apply(*thread, function, {to_term(whom)}, nothing);
  });
}
wb_result wb_link(wb_thread* thread, wb_env* env, wb_term pid) {
  return on_process(thread, env, "link", pid);
}
wb_result wb_unlink(wb_thread* thread, wb_env* env, wb_term pid) {
  return on_process(thread, env, "unlink", pid);
}

wb_result wb_monitor(wb_thread* thread, wb_env* env, wb_term pid_or_name, wb_term* ref) {
  return by_thread(thread, env, true, [&] {
    if (!is_term(pid_or_name)) return no_term();
    return apply(*thread, "monitor", {am::process, to_term(pid_or_name)}, [&](Term made) {
      if (ref) *ref = to_handle(copy_term_deep(*env->heap, made));
      return WB_OK;
    });
  });
}

/// {'DOWN', Ref, ...}
static bool is_down(Term t, Term ref) {
  if (!is_tuple_of(t, 5) || tuple_elements(t)[0] != am::DOWN) return false;
  const Term r = tuple_elements(t)[1];
  return is_local_ref(r) && ref_number(r) == ref_number(ref);
}
wb_result wb_demonitor(wb_thread* thread, wb_env* env, wb_term ref) {
  return by_thread(thread, env, true, [&] {
    const Term r = to_term(ref);
    if (is_fault(r) || !is_local_ref(r)) return fail_with(WB_BAD_ARGUMENT, "no reference of here");
    FragmentHeap h(8);
    const Term flush = cons(h, intern("flush"), kNil);
    const wb_result done = apply(*thread, "demonitor", {r, flush}, nothing);
    Mailbox& box = *thread->box;
    std::lock_guard guard(box.lock);
    box.queue.splice(box.queue.end(), box.incoming);
    box.queue.remove_if([&](Letter& l) {
      const bool goes = is_down(l.term, r);
      if (goes && l.fragment) free_fragments(l.fragment);
      return goes;
    });
    return done;
  });
}

wb_result wb_register(wb_thread* thread, const char* name) {
  Scratch scratch(thread);
  return by_thread(thread, scratch.env(), true, [&] {
    const Term atom = atom_of(name);
    if (is_fault(atom)) return WB_BAD_ARGUMENT;
    return apply(*thread, "register", {atom, thread->pid}, nothing);
  });
}
wb_result wb_unregister(wb_thread* thread, const char* name) {
  Scratch scratch(thread);
  return by_thread(thread, scratch.env(), true, [&] {
    const Term atom = atom_of(name);
    if (is_fault(atom)) return WB_BAD_ARGUMENT;
    return apply(*thread, "unregister", {atom}, nothing);
  });
}
wb_result wb_trap_exit(wb_thread* thread, int traps) {
  Scratch scratch(thread);
  return by_thread(thread, scratch.env(), true, [&] {
    FragmentHeap h(8);
    return ask(*thread, h, tuple(h, am::trap_exit, make_bool(traps != 0)), nothing);
  });
}
