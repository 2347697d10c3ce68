#include "vm/embed/host_function.h"

#include "bytecode/instructions.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"

namespace wb {
namespace {

constexpr uint32_t kMaxArity = 255;

Term call_function(const HostFunction& f, wb_env& env, const Term* arguments) {
  wb_term handles[kMaxArity];
  for (uint32_t k = 0; k < f.arity; ++k) handles[k] = to_handle(arguments[k]);
  return to_term(f.function(&env, f.data, f.arity, handles));
}

/// The result, or what was raised instead of it.
Term end(Process& p, const wb_env& env, Term result) {
  if (WB_LIKELY(is_value(result))) return result;
  if (is_fault(env.raised_class)) return p.error(am::badarg);
  return p.raise(env.raised_class, env.raised);
}

}  // namespace

Term HostFunction::call_here(Exec& c, const NativeFunction& native) {
  auto& f = static_cast<const HostFunction&>(native);
  wb_env env;
  env.vm = f.vm;
  env.heap = &c.p->heap;
  env.caller = c.p;
  const Term result = call_function(f, env, c.x);
  return end(*c.p, env, result);
}

/// Others use the registers meanwhile: the function gets a copy of its arguments, and its terms are
/// the process' when it is done.
Term HostFunction::call_elsewhere(Exec& c, const NativeFunction& native) {
  auto& f = static_cast<const HostFunction&>(native);
  Process& p = *c.p;
  const std::vector<Term> arguments(c.x, c.x + f.arity);
  FragmentHeap terms(0);
  wb_env env;
  env.vm = f.vm;
  env.heap = &terms;
  env.caller = &p;
  Term result = kNone;
  const DirtyTurn turn{"dirty_nif_finalizer"};
  if (!off_scheduler(
          p, [&] { result = call_function(f, env, arguments.data()); }, f.dirty, &f.history,
          &turn)) {
    return kCancelled;
  }
  if (HeapFragment* made = terms.take_fragments()) p.heap.adopt(made);
  return end(p, env, result);
}

}  // namespace wb

using namespace wb;

wb_result wb_native_function(wb_vm* vm, const char* module, const char* name, size_t arity,
                             wb_native function, void* data, uint32_t kind) {
  if (!vm || vm->kind != HandleKind::vm) return fail_with(WB_BAD_ARGUMENT, "no machine");
  if (!function) return fail_with(WB_BAD_ARGUMENT, "no function");
  if (arity > kMaxArity) return fail_with(WB_BAD_ARGUMENT, "more than 255 arguments");
  if (kind > WB_NATIVE_BLOCKS) return fail_with(WB_BAD_SETTING, "no such kind of function");
  EmbeddedVm& e = *vm->vm;
  return e.enter([&] {
    const Term m = atom_of(module), n = atom_of(name);
    if (is_fault(m) || is_fault(n)) return WB_BAD_ARGUMENT;
    CodeTable& code = *e.machine().code;
    const auto loading = code.lock_loading();
    Export& x = *code.ordered_export(m, n, static_cast<uint32_t>(arity));
    if (x.bif) return fail_with(WB_BAD_ARGUMENT, "the machine has that function itself");
    auto f = std::make_unique<HostFunction>();
    f->call = kind == WB_NATIVE_USUAL ? HostFunction::call_here : HostFunction::call_elsewhere;
    f->dirty = kind == WB_NATIVE_BLOCKS ? DirtyKind::io : DirtyKind::cpu;
    f->vm = &e;
    f->function = function;
    f->data = data;
    f->arity = static_cast<uint32_t>(arity);
    const Word stub[] = {code.handler(Instr::func_info),
                         m,
                         n,
                         arity,
                         code.handler(Instr::nif_slot),
                         reinterpret_cast<Word>(static_cast<const NativeFunction*>(f.get()))};
    std::copy(std::begin(stub), std::end(stub), f->stub);
    x.builtin = true;
    x.entry.store(f->stub + kHeaderWords, std::memory_order_release);
    x.loaded.store(true, std::memory_order_release);
    e.keep(std::move(f));
    return WB_OK;
  });
}

wb_term wb_raise(wb_env* env, const char* error_class, wb_term reason) {
  const Term of = atom_of(error_class);
  const bool is_class = of == am::error || of == am::exit || of == am::throw_;
  if (!is_env(env) || !env->caller || !is_class || !is_term(reason)) {
    fail_with(WB_BAD_ARGUMENT, "nobody calls, no class, or no term");
    return WB_NONE;
  }
  env->raised_class = of;
  env->raised = to_term(reason);
  return WB_NONE;
}

wb_result wb_caller(wb_env* env, wb_term* pid) {
  if (!is_env(env) || !env->caller || !pid) return fail_with(WB_BAD_ARGUMENT, "nobody calls");
  *pid = to_handle(env->caller->id);
  return WB_OK;
}

// --- resources -----------------------------------------------------------------------------------
namespace {

struct HostResource : OffHeapObject {
  std::shared_ptr<EmbeddedVm> vm;
  const void* type;
  void* data;
  void (*destroy_data)(void* data);
};
void free_resource(void* r) {
  auto* resource = static_cast<HostResource*>(r);
  if (resource->destroy_data) resource->destroy_data(resource->data);
  delete resource;
}
/// The last share went: anywhere, under a lock perhaps.
void drop_resource(OffHeapObject* o) {
  auto* r = static_cast<HostResource*>(o);
  if (r->vm->stopped()) return free_resource(r);
  r->vm->machine().scheduler->when_all_passed(r, free_resource);
}

}  // namespace

wb_term wb_make_resource(wb_env* env, const void* type, void* data, void (*destroy)(void* data)) {
  return make_in(env, [&](Heap& h) {
    auto* r = new HostResource;
    r->destroy = drop_resource;
    r->vm = env->vm->shared_from_this();
    r->type = type;
    r->data = data;
    r->destroy_data = destroy;
    return env->vm->machine().new_magic_ref(h, r, sizeof(HostResource));
  });
}

wb_result wb_get_resource(wb_env* env, wb_term term, const void* type, void** data) {
  return in_env(env, [&] {
    const Term t = to_term(term);
    const bool is_magic = is_value(t) && is_kind(t, Kind::magic_ref);
    OffHeapObject* o = is_magic ? magic_object(t) : nullptr;
    if (!o || o->destroy != drop_resource || static_cast<HostResource*>(o)->type != type || !data) {
      return fail_with(WB_BAD_ARGUMENT, "no resource of that type");
    }
    *data = static_cast<HostResource*>(o)->data;
    return WB_OK;
  });
}
