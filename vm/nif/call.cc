// Calling native functions: on the worker's thread, or on a dirty one while the process is off its
// scheduler; and going on with another (enif_schedule_nif).
//
// A scheduled function is a function of its own for one call: a stub whose first instruction is a
// nif_slot, to which the process goes on as after a trap. So it may be preempted, collected and
// killed before, and nothing is nested.
#include <algorithm>
#include <iterator>

#include "bytecode/instructions.h"
#include "loader/code_table.h"
#include "vm/nif/checker.h"
#include "vm/nif/library.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/native_yield.h"

namespace wb {

namespace {
/// For one call, in the place of the function that the program has called: exceptions name that one
/// and its arguments, which stand in the registers behind this one's own and so are kept alive.
struct ScheduledNif final : AttachedCode {
  Export stub{};
  NifFunction function;
  NativeFunction::Call body_call = nullptr;  ///< how the function itself is called
  std::vector<Term> arguments;
  uint32_t called_arity = 0;

  /// On the process' own thread, by the function at c.pc. `before`: that is a scheduled one itself.
  Term start(Exec& c, const ScheduledNif* before) {
    stub.stub[1] = stub.module = entry_module(c.pc);
    stub.stub[2] = stub.function = entry_function(c.pc);
    const Term* called = before ? c.x + before->function.arity : c.x;
    called_arity = before ? before->called_arity : entry_arity(c.pc);
    arguments.insert(arguments.end(), called, called + called_arity);
    std::ranges::copy(arguments, c.x);
    stub.arity = static_cast<uint32_t>(arguments.size());
    stub.stub[3] = stub.arity;
    c.trap_target = &stub;
    return kTrap;
  }
  static Term call(Exec& c, const NativeFunction& f);
};

/// The one that the process runs, if `f` is it.
ScheduledNif* running(Process& p, const NifFunction& f) {
  auto* s = rare_of(p) ? static_cast<ScheduledNif*>(rare_of(p)->scheduled.get()) : nullptr;
  return s && &s->function == &f ? s : nullptr;
}

/// The body has raised or scheduled, whatever it has returned.
WB_COLD Term end_otherwise(Exec& c, NifEnv& env, const NifFunction& f) {
  Process& p = *c.p;
  if (is_value(env.reason)) return p.error(env.reason);
  auto& next = static_cast<ScheduledNif&>(*env.scheduled);
  const Term trap = next.start(c, running(p, f));
  p.rare().scheduled = std::move(env.scheduled);
  return trap;
}
/// What runs, by the names that the program knows.
NifSite site_of(Exec& c, const NifFunction& f) {
  const ScheduledNif* scheduled = running(*c.p, f);
  return {f.library, is_value(f.name) ? f.name : entry_function(c.pc),
          scheduled ? scheduled->called_arity : f.arity};
}
/// No value can be anything but a mistake of the library's: as BEAM, it is an exception without a
/// reason.
static Term checked(Process& p, ERL_NIF_TERM given) {
  const Term result = from_library(given);
  return WB_LIKELY(is_value(result)) ? result : p.error(am::badarg);
}
}  // namespace

Term NifFunction::call_normal(Exec& c, const NativeFunction& native) {
  auto& f = static_cast<const NifFunction&>(native);
  Process& p = *c.p;
  NifEnv env{*c.vm, &p.heap, &p, f.library, NifEnv::Kind::call};
  const LibraryArguments arguments(c.x, f.arity);
  const ERL_NIF_TERM result = f.body(&env, static_cast<int>(f.arity), arguments.data());
  if (WB_UNLIKELY(env.ends_otherwise)) return end_otherwise(c, env, f);
  return checked(p, result);
}

/// The same for a library that is checked. The environment outlives the call, so that one that was
/// kept is not taken for that of another call.
Term NifFunction::call_checked(Exec& c, const NativeFunction& native) {
  auto& f = static_cast<const NifFunction&>(native);
  Process& p = *c.p;
  auto* env = new NifEnv{*c.vm, &p.heap, &p, f.library, NifEnv::Kind::call};
  Term result;
  {
    CheckedCall call(*env, site_of(c, f), {c.x, f.arity});
    const LibraryArguments arguments(c.x, f.arity);
    result = f.body(env, static_cast<int>(f.arity), arguments.data());
    call.returns(result);
  }
  result = env->ends_otherwise ? end_otherwise(c, *env, f) : checked(p, result);
  c.vm->nifs->checker->retire(env);
  return result;
}

/// Others use the registers meanwhile: the function gets a copy of its arguments, and its terms are
/// the process' when it is done.
static Term call_dirty(Exec& c, const NifFunction& f, DirtyKind kind) {
  Process& p = *c.p;
  std::vector<Term> arguments(f.arity);
  std::transform(c.x, c.x + f.arity, arguments.begin(), to_library);
  const NifSite site = site_of(c, f);
  auto env_memory = std::make_unique<OwnEnv>(*c.vm, NifEnv::Kind::dirty, f.library, &p);
  OwnEnv& env = *env_memory;
  Term result = kNone;
  c.vm->nifs->calls_dirty.fetch_add(1, std::memory_order_relaxed);
  f.library->entered();
  DirtyTurn turn{"dirty_nif_finalizer"};
  auto work = [&] {
    dirty_thread_kind = static_cast<int>(kind);
    DirtyCalls::Running running(c.vm->nifs->dirty,
                                {p.id, f.library->module(), f.name, f.arity, kind == DirtyKind::io,
                                 c.vm->scheduler->now_ns()});
    CheckedCall call(env, site, arguments);
    result = f.body(&env, static_cast<int>(f.arity), arguments.data());
    call.returns(result);
    if (is_value(env.reason) || !(is_value(result) || env.ends_otherwise))
      turn.function = "dirty_nif_exception";
    dirty_thread_kind = kNoDirtyThread;
  };
  const bool alive = off_scheduler(p, work, kind, &f.history, &turn);
  f.library->left();
  if (alive) {
    if (HeapFragment* made = env.terms.take_fragments()) p.heap.adopt(made);
    result = env.ends_otherwise ? end_otherwise(c, env, f) : checked(p, result);
  }
  if (NifChecker* checker = c.vm->nifs->checker.get()) {
    free_fragments(env.terms.take_fragments());  // of a dead process
    checker->retire(env_memory.release());
  }
  return alive ? result : kCancelled;
}
Term NifFunction::call_dirty_cpu(Exec& c, const NativeFunction& f) {
  return call_dirty(c, static_cast<const NifFunction&>(f), DirtyKind::cpu);
}
Term NifFunction::call_dirty_io(Exec& c, const NativeFunction& f) {
  return call_dirty(c, static_cast<const NifFunction&>(f), DirtyKind::io);
}

Term ScheduledNif::call(Exec& c, const NativeFunction& native) {
  auto& f = static_cast<const NifFunction&>(native);
  ScheduledNif& self = *running(*c.p, f);
  const Term result = self.body_call(c, native);
  if (WB_LIKELY(is_value(result)) || result == kTrap || result == kCancelled) return result;
  std::copy_n(c.x + f.arity, self.called_arity, c.x);
  self.stub.stub[3] = self.called_arity;
  return result;
}

}  // namespace wb

using namespace wb;

ERL_NIF_TERM enif_schedule_nif(ErlNifEnv* env, const char* name, int flags, NifFunction::Body body,
                               int argc, const ERL_NIF_TERM argv[]) {
  const bool is_checked = env->library && env->library->is_checked();
  const NativeFunction::Call call = NifFunction::caller(static_cast<unsigned>(flags), is_checked);
  if (!env->process || !call || argc < 0 || argc > 255) return enif_make_badarg(env);
  if (is_fault(enif_make_atom(env, name))) return kNifException;
  const CodeTable& code = *env->vm.code;
  auto next = std::make_unique<ScheduledNif>();
  next->function.set(ScheduledNif::call, body, env->library, static_cast<uint32_t>(argc));
  next->body_call = call;
  std::transform(argv, argv + argc, std::back_inserter(next->arguments), from_library);
  Export& e = next->stub;
  e.stub[0] = code.handler(Instr::func_info);
  e.stub[4] = code.handler(Instr::nif_slot);
  e.stub[5] = reinterpret_cast<Word>(&next->function);
  e.entry.store(e.stub_entry(), std::memory_order_release);
  env->ends_otherwise = true;
  env->scheduled = std::move(next);
  return kTrap;
}
