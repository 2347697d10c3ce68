#include "vm/trace/session.h"

#include "term/atom.h"
#include "term/magic_registry.h"
#include "term/number.h"
#include "term/owned_bytes.h"
#include "vm/core/vm.h"

namespace wb {
namespace {

/// The object of a session's reference.
class SessionHandle final : public OffHeapObject {
 public:
  SessionHandle(SessionId session, std::shared_ptr<SessionLife> life)
      : id(session), life_(std::move(life)) {
    destroy = destroyed;
  }
  static SessionHandle* of(Term t) {
    if (!is_kind(t, Kind::magic_ref)) return nullptr;
    OffHeapObject* o = magic_object(t);
    return o->destroy == destroyed ? static_cast<SessionHandle*>(o) : nullptr;
  }
  const SessionId id;

 private:
  static void destroyed(OffHeapObject* o) {
    auto* self = static_cast<SessionHandle*>(o);
    self->life_->over.store(true, std::memory_order_release);
    delete self;
  }
  std::shared_ptr<SessionLife> life_;
};

}  // namespace

Term weak_session_term(Heap& h, Term name, SessionId id) {
  return tuple(h, name, make_small(int64_t{id} - 1));
}

Term make_session_term(Vm& vm, Heap& h, Term name, SessionId id,
                       std::shared_ptr<SessionLife> life) {
  Term ref = vm.new_magic_ref(h, new SessionHandle(id, std::move(life)), sizeof(SessionHandle));
  return tuple(h, ref, weak_session_term(h, name, id));
}

bool is_strong_session(Term t) {
  return is_tuple_of(t, 2) && SessionHandle::of(tuple_elements(t)[0]);
}

bool to_session_id(Term t, SessionId* id) {
  if (!is_tuple_of(t, 2)) return false;
  const Term* e = tuple_elements(t);
  if (SessionHandle* handle = SessionHandle::of(e[0])) {
    *id = handle->id;
    return true;
  }
  if (!is_atom(e[0]) || !is_small(e[1])) return false;
  const int64_t number = small_value(e[1]);
  if (number < 0 || number >= UINT32_MAX) return false;
  *id = static_cast<SessionId>(number + 1);
  return true;
}

}  // namespace wb
