// Terms as drivers describe them: a program for a stack, each step of which pushes a term or makes
// one of those on top (ERL_DRV_TUPLE ...). What is left, exactly one, is the message.
#include <cmath>
#include <cstring>

#include "term/external.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/driver/drivers.h"
#include "vm/io/iolist.h"
#include "vm/nif/environment.h"
#include "vm/port/ports.h"
#include "vm/process/route.h"
#include "vm/process/signal.h"

const ErlDrvTermData driver_term_nil = wb::kNil;

namespace wb {
namespace {

class TermProgram {
 public:
  TermProgram(FragmentHeap& h, const ErlDrvTermData* words, int n)
      : heap_(h), at_(words), end_(words + std::max(n, 0)) {
    popped_.reserve(1);  // so that nothing is popped from somewhere
  }

  /// No value: there is something wrong with it.
  Term run() {
    while (at_ < end_) {
      if (!step()) return kNone;
    }
    return stack_.size() == 1 ? stack_[0] : kNone;
  }

 private:
  bool take(int n) {
    operands_ = at_;
    if (end_ - at_ < n) return false;
    at_ += n;
    return true;
  }
  bool push(Term t) {
    if (!is_value(t)) return false;
    stack_.push_back(t);
    return true;
  }
  template <class T>
  const T* pointer(int operand) const {
    return reinterpret_cast<const T*>(operands_[operand]);
  }
  /// The n on top, which are replaced by what is pushed next.
  const Term* pop(size_t n) {
    if (n > stack_.size()) return nullptr;
    popped_.assign(stack_.end() - static_cast<ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    return popped_.data();
  }
  bool push_tuple(size_t n) {
    const Term* elements = pop(n);
    if (!elements) return false;
    Term* p = heap_.alloc(n + 1);
    p[0] = make_header(Kind::tuple, n);
    std::copy_n(elements, n, p + 1);
    return push(make_boxed(p));
  }
  bool push_list(size_t n) {
    const Term* elements = n ? pop(n) : nullptr;
    if (!elements) return false;
    Term list = elements[n - 1];
    for (size_t k = n - 1; k-- > 0;) list = cons(heap_, elements[k], list);
    return push(list);
  }
  bool push_map(size_t n) {
    const Term* pairs = pop(2 * n);
    if (!pairs) return false;
    const Term map = map_from_pairs(heap_, pairs, n);
    return is_value(map) && map_size(map) == n && push(map);
  }
  bool step();

  FragmentHeap& heap_;
  const ErlDrvTermData *at_, *const end_;
  const ErlDrvTermData* operands_ = nullptr;
  std::vector<Term> stack_, popped_;
};

bool TermProgram::step() {
  const auto* o = at_ + 1;
  switch (*at_++) {
    case ERL_DRV_NIL:
      return push(kNil);
    case ERL_DRV_ATOM:
      return take(1) && is_atom(*o) && push(*o);
    case ERL_DRV_PORT:
      return take(1) && is_local_port(*o) && push(*o);
    case ERL_DRV_PID:
      return take(1) && is_local_pid(*o) && push(*o);
    case ERL_DRV_INT:
      return take(1) && push(make_integer(heap_, static_cast<int64_t>(*o)));
    case ERL_DRV_UINT:
      return take(1) && push(make_unsigned(heap_, *o));
    case ERL_DRV_INT64:
      return take(1) && push(make_integer(heap_, *pointer<int64_t>(0)));
    case ERL_DRV_UINT64:
      return take(1) && push(make_unsigned(heap_, *pointer<uint64_t>(0)));
    case ERL_DRV_FLOAT:
      return take(1) && std::isfinite(*pointer<double>(0)) &&
             push(make_float(heap_, *pointer<double>(0)));
    case ERL_DRV_BINARY:
      if (!take(3)) return false;
      if (!o[0]) return o[1] == 0 && push(make_binary(heap_, "", 0));
      return push(term_of_binary(heap_, reinterpret_cast<ErlDrvBinary*>(o[0]), o[2], o[1]));
    case ERL_DRV_BUF2BINARY:
      if (!take(2) || (!o[0] && o[1])) return false;
      return push(make_binary(heap_, pointer<char>(0), o[1]));
    case ERL_DRV_STRING:
      return take(2) && push(bytes_to_list(heap_, pointer<uint8_t>(0), o[1]));
    case ERL_DRV_STRING_CONS: {
      if (!take(2) || stack_.empty()) return false;
      const Term rest = *pop(1);
      return push(bytes_to_list(heap_, pointer<uint8_t>(0), o[1], rest));
    }
    case ERL_DRV_TUPLE:
      return take(1) && push_tuple(o[0]);
    case ERL_DRV_LIST:
      return take(1) && push_list(o[0]);
    case ERL_DRV_MAP:
      return take(1) && push_map(o[0]);
    case ERL_DRV_EXT2TERM:
      return take(2) && push(decode_term(heap_, pointer<uint8_t>(0), o[1]));
    default:
      return false;
  }
}

/// 1, or 0: there is no such process; -1: no term.
int send(Vm& vm, Address from, Term to, const ErlDrvTermData* words, int n) {
  if (!is_local_pid(to)) return -1;
  FragmentHeap h(64);
  const Term message = TermProgram(h, words, n).run();
  if (!is_value(message)) {
    free_fragments(h.take_fragments());
    return -1;
  }
  // What a thread of the driver's own sends is nobody's event.
  if (LinkedPort::Call* call = LinkedPort::current()) {
    if (call->port.port().address() == from) call->port.port().tell_sent(message, to);
  }
  Signal* s = new_signal(SignalKind::message);
  s->from = from;
  s->term = message;
  s->fragment = h.take_fragments();
  Reading reading(*vm.scheduler);
  return route(vm, to, s) ? 1 : 0;
}

/// Who owns a port that may be heard, whichever thread asks; kNone: none. One that calls `stop` is
/// not found any more, but has a voice.
Term owner_of(Vm& vm, Term port) {
  const auto owner = [](LinkedPort& p) { return p.is_muted() ? kNone : p.port().owner(); };
  if (LinkedPort* p = linked_port(reinterpret_cast<ErlDrvPort>(port))) return owner(*p);
  // Without its lock: who has it may be waiting for this thread.
  auto found = is_local_port(port) ? vm.ports->find(port) : nullptr;
  if (!found || found->options().kind != PortOptions::Kind::linked) return kNone;
  return found->driver() ? owner(static_cast<LinkedPort&>(*found->driver())) : kNone;
}
}  // namespace
}  // namespace wb

using namespace wb;

int erl_drv_output_term(ErlDrvTermData port, ErlDrvTermData* words, int n) {
  Vm& vm = vm_of_thread();
  const Term owner = owner_of(vm, port);
  return is_value(owner) ? send(vm, Address::of_local(port), owner, words, n) : -1;
}
int erl_drv_send_term(ErlDrvTermData port, ErlDrvTermData to, ErlDrvTermData* words, int n) {
  Vm& vm = vm_of_thread();
  if (!is_value(owner_of(vm, port))) return -1;
  return send(vm, Address::of_local(port), to, words, n);
}
int driver_output_term(ErlDrvPort ix, ErlDrvTermData* words, int n) {
  return erl_drv_output_term(driver_mk_port(ix), words, n);
}
int driver_send_term(ErlDrvPort ix, ErlDrvTermData to, ErlDrvTermData* words, int n) {
  return erl_drv_send_term(driver_mk_port(ix), to, words, n);
}

ErlDrvTermData driver_mk_atom(char* text) {
  Term made = kNone;
  ErlNifEnv* env = enif_alloc_env();
  made = enif_make_atom(env, text);
  enif_free_env(env);
  return is_value(made) ? made : kNil;
}
ErlDrvTermData driver_mk_term_nil(void) { return driver_term_nil; }
