// Spawning, calling, sending from outside; loading code.
#include "bytecode/beam_file.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/binary.h"
#include "term/copy.h"
#include "term/lists.h"
#include "term/print.h"
#include "term/utf8.h"
#include "vm/embed/environment.h"
#include "vm/embed/requests.h"
#include "vm/process/route.h"
#include "vm/process/send.h"
#include "vm/process/spawn.h"

namespace wb {

bool key_request(EmbeddedVm& vm, Term pid, uint64_t key, Term request, Heap& h) {
  Reading reading(*vm.machine().scheduler);
  return send_message(vm.machine(), pid, tuple(h, make_ref(h, key), request));
}

wb_result take_letter(wb_env* env, Letter& l, wb_term* term) {
  *term = to_handle(static_cast<OwnEnvironment*>(env)->take(l));
  return WB_OK;
}

wb_result may_wait(EmbeddedVm& vm) {
  if (!vm.is_inside()) return WB_OK;
  return fail_with(WB_WOULD_WAIT, "a thread of the machine cannot wait for it");
}

namespace {

constexpr int64_t kMaxArguments = 255;

wb_result bad_arguments() {
  return fail_with(WB_BAD_ARGUMENT, "the arguments are no list of at most 255 terms");
}

struct Function {
  Term module, name, arguments;
  /// False, and wb_error(): there can be no such function.
  bool read(const char* m, const char* f, wb_term a) {
    module = atom_of(m);
    if (is_value(module)) name = atom_of(f);
    if (is_fault(module) || is_fault(name)) return false;
    arguments = to_term(a);
    const int64_t n = is_value(arguments) ? list_length(arguments) : -1;
    if (n >= 0 && n <= kMaxArguments) return true;
    bad_arguments();
    return false;
  }
};

/// A mailbox for one answer.
class Call {
 public:
  explicit Call(EmbeddedVm& vm) : vm_(vm) { vm.add(box_); }
  ~Call() {
    vm_.remove(*box_);
    box_->abandon();
  }
  Call(const Call&) = delete;

  wb_result start(Term module, Term function, Term arguments) {
    Machine& m = vm_.machine();
    FragmentHeap h(64);
    key_ = m.next_ref_number();
    Term all = cons(h, module, cons(h, function, cons(h, arguments, kNil)));
    all = cons(h, make_ticket(vm_, h, box_), cons(h, make_ref(h, key_), all));
    pid_ = spawn_process(m, nullptr, intern("whitebeam_host"), am::call, all);
    return is_fault(pid_) ? fail_with(WB_LIMIT, "too many processes") : WB_OK;
  }
  /// The letter with the answer.
  wb_result wait(uint64_t timeout, Letter* answer) {
    std::unique_lock held(box_->lock);
    const wb_result r =
        vm_.wait(*box_, held, timeout, [&] { return box_->reply || box_->process_gone; });
    if (box_->reply && r == WB_OK) {
      *answer = *box_->reply;
      box_->reply.reset();
      return WB_OK;
    }
    if (r == WB_OK) return fail_with(WB_EXITED, "somebody has killed the process of the call");
    if (r == WB_TIMEOUT) {
      held.unlock();
      FragmentHeap h(8);
      key_request(vm_, pid_, key_, intern("cancel"), h);
    }
    return r;
  }

 private:
  EmbeddedVm& vm_;
  std::shared_ptr<Mailbox> box_ = std::make_shared<Mailbox>();
  uint64_t key_ = 0;
  Term pid_ = kNone;
};

}  // namespace
}  // namespace wb

using namespace wb;

wb_result wb_spawn(wb_env* env, const char* module, const char* function, wb_term arguments,
                   wb_term* pid) {
  return in_env(env, [&] {
    Function f;
    if (!f.read(module, function, arguments)) return WB_BAD_ARGUMENT;
    Machine& m = env->vm->machine();
    if (m.halting()) return env->vm->ended();
    const Term made = spawn_process(m, nullptr, f.module, f.name, f.arguments);
    if (is_fault(made)) return fail_with(WB_LIMIT, "too many processes");
    if (pid) *pid = to_handle(made);
    return WB_OK;
  });
}

wb_result wb_call(wb_env* env, const char* module, const char* function, wb_term arguments,
                  uint64_t timeout, wb_term* value) {
  if (!is_env(env)) return fail_with(WB_BAD_ARGUMENT, "no environment");
  if (const wb_result r = may_wait(*env->vm); r != WB_OK) return r;
  return in_env(env, [&] {
    Function f;
    if (!value) return fail_with(WB_BAD_ARGUMENT, "a null pointer");
    if (!f.read(module, function, arguments)) return WB_BAD_ARGUMENT;
    Call call(*env->vm);
    Letter answer;
    if (wb_result r = call.start(f.module, f.name, f.arguments); r != WB_OK) return r;
    if (wb_result r = call.wait(timeout, &answer); r != WB_OK) return r;
    take_letter(env, answer, value);
    const Term t = answer.term;
    if (tuple_arity(t) != 2) return fail_with(WB_EXCEPTION, to_text(t));
    *value = to_handle(tuple_elements(t)[1]);
    return WB_OK;
  });
}

wb_result wb_send(wb_env* env, wb_term to, wb_term message) {
  return in_env(env, [&] {
    Term whom = to_term(to);
    if (!is_term(to) || !is_term(message)) return no_term();
    Machine& m = env->vm->machine();
    if (m.halting()) return env->vm->ended();
    if (is_atom(whom)) {
      whom = m.processes->whereis(whom);
      if (is_fault(whom)) return fail_with(WB_NOT_FOUND, "nobody has that name");
    }
    if (is_local_pid(whom)) {
      Reading reading(*env->vm->machine().scheduler);
      send_message(m, whom, to_term(message));
      return WB_OK;
    }
    // Whoever is elsewhere, or no process: somebody sends it who can wait.
    if (!is_pid(whom) && !is_port(whom) && !is_ref(whom) && !is_tuple_of(whom, 2)) {
      return fail_with(WB_BAD_ARGUMENT, "no pid, name, port or alias");
    }
    FragmentHeap h(8);
    const Term sent = spawn_process(m, nullptr, am::erlang, intern("send"),
                                    cons(h, whom, cons(h, to_term(message), kNil)));
    return is_fault(sent) ? fail_with(WB_LIMIT, "too many processes") : WB_OK;
  });
}

wb_result wb_whereis(wb_env* env, const char* name, wb_term* pid) {
  return in_env(env, [&] {
    const Term atom = atom_of(name);
    if (is_fault(atom)) return WB_BAD_ARGUMENT;
    const Term found = env->vm->machine().processes->whereis(atom);
    if (is_fault(found)) return fail_with(WB_NOT_FOUND, "nobody has that name");
    if (pid) *pid = to_handle(found);
    return WB_OK;
  });
}

// --- code ----------------------------------------------------------------------------------------
/// Why the machine does not take it, in the loader's words.
static std::string refusal(Machine& m, std::vector<uint8_t> bytes, const std::string& name) {
  auto prepared = m.code->prepare(std::move(bytes), name);
  return prepared ? std::string() : prepared.error().message;
}

wb_result wb_load(wb_env* env, const void* bytes, size_t size, wb_term* module) {
  if (!is_env(env)) return fail_with(WB_BAD_ARGUMENT, "no environment");
  if (!bytes) return fail_with(WB_BAD_ARGUMENT, "no bytes");
  EmbeddedVm& e = *env->vm;
  if (const wb_result r = may_wait(e); r != WB_OK) return r;
  return in_env(env, [&] {
    const auto* first = static_cast<const uint8_t*>(bytes);
    const std::vector<uint8_t> all(first, first + size);
    auto parsed = parse_beam(all, "module");
    if (!parsed) return fail_with(WB_BAD_MODULE, parsed.error().message());
    const Term name = parsed->atoms.size() > 1 ? parsed->atoms[1] : kNone;
    if (is_fault(name)) return fail_with(WB_BAD_MODULE, "a module without a name");
    FragmentHeap h(64);
    const Term file = list_of_utf8(h, std::string(atom_text(name)) + ".beam");
    const Term code = make_binary(h, bytes, size);
    if (is_fault(code)) return fail_with(WB_LIMIT, "no memory for the module");
    Call call(e);
    Letter answer;
    wb_result r = call.start(intern("whitebeam_host"), intern("load"),
                             cons(h, name, cons(h, file, cons(h, code, kNil))));
    if (r == WB_OK) r = call.wait(WB_FOREVER, &answer);
    if (r != WB_OK) return r;
    const Term t = answer.term, value = tuple_elements(t)[1];
    const bool loaded = tuple_arity(t) == 2 && is_tuple_of(value, 2) &&
                        tuple_elements(value)[0] == intern("module");
    std::string why;
    if (!loaded) why = refusal(e.machine(), all, std::string(atom_text(name)));
    if (!loaded && why.empty()) why = to_text(tuple_arity(t) == 2 ? value : t);
    if (answer.fragment) free_fragments(answer.fragment);
    if (!loaded) return fail_with(WB_BAD_MODULE, why);
    if (module) *module = to_handle(name);
    return WB_OK;
  });
}
