#include "vm/embed/environment.h"

#include "term/copy.h"
#include "term/utf8.h"

namespace wb {

OwnEnvironment::OwnEnvironment(std::shared_ptr<EmbeddedVm> machine) : keeps(std::move(machine)) {
  vm = keeps.get();
  own = true;
  heap = &terms.emplace(0);
}

void OwnEnvironment::clear() {
  if (taken) free_fragments(std::exchange(taken, nullptr));
  if (terms) free_fragments(terms->take_fragments());
}
void OwnEnvironment::machine_ends() {
  clear();
  terms.reset();
  heap = nullptr;
}

Term OwnEnvironment::take(Letter& l) {
  if (HeapFragment* f = std::exchange(l.fragment, nullptr)) {
    HeapFragment* last = f;
    while (last->next) last = last->next;
    last->next = std::exchange(taken, f);
  }
  return l.term;
}

Term atom_of(const char* text) {
  if (!text) {
    fail_with(WB_BAD_ARGUMENT, "no text");
    return kNone;
  }
  const int64_t characters = count_utf8(text);
  if (characters < 0 || characters > kMaxAtomChars) {
    fail_with(WB_BAD_ARGUMENT, characters < 0 ? "no UTF-8" : "an atom has at most 255 characters");
    return kNone;
  }
  const Term atom = intern(text);
  if (is_fault(atom)) fail_with(WB_LIMIT, "no more atoms");
  return is_fault(atom) ? kNone : atom;
}

}  // namespace wb

using namespace wb;

wb_result wb_env_new(wb_vm* vm, wb_env** env) {
  if (!vm || vm->kind != HandleKind::vm || !env) return fail_with(WB_BAD_ARGUMENT, "no machine");
  return vm->vm->enter([&] {
    auto* made = new OwnEnvironment(vm->vm);
    vm->vm->add(*made);
    *env = made;
    return WB_OK;
  });
}

static bool is_own(const wb_env* env) { return is_env(env) && env->own; }

void wb_env_clear(wb_env* env) {
  if (!is_own(env)) return;
  in_env(env, [&] { return static_cast<OwnEnvironment*>(env)->clear(), WB_OK; });
}

void wb_env_free(wb_env* env) {
  if (!is_own(env)) return;
  auto* own = static_cast<OwnEnvironment*>(env);
  const wb_result r = in_env(env, [&] {
    own->clear();
    own->terms.reset();
    own->vm->remove(*own);
    return WB_OK;
  });
  env->kind = HandleKind::none;
  // Of a machine that has failed nothing is given back: the memory stays with it.
  if (r == WB_OK) delete own;
  if (r == WB_ENDED) std::shared_ptr(own->keeps)->remove_later(*own);
}

wb_term wb_copy(wb_env* env, wb_term term) {
  if (!is_term(term)) return no_term(), WB_NONE;
  return make_in(env, [&](Heap& h) {
    return env->own ? copy_term_deep(h, to_term(term)) : copy_term(h, to_term(term));
  });
}
