#include "vm/embed/mailbox.h"

#include "loader/code_table.h"
#include "term/copy.h"
#include "vm/embed/embedded_vm.h"
#include "vm/process/native.h"

namespace wb {

static void free_letter(Letter& l) {
  if (l.fragment) free_fragments(std::exchange(l.fragment, nullptr));
}

void Mailbox::put(LetterKind kind, Term term) {
  Letter l;
  FragmentHeap h(flat_size_deep(term));
  l.term = copy_term_deep(h, term);
  l.fragment = h.take_fragments();
  std::lock_guard guard(lock);
  std::optional<Letter>& slot = kind == LetterKind::exited ? exit : reply;
  if (abandoned_ || (kind != LetterKind::message && slot)) return free_letter(l);
  if (kind == LetterKind::message)
    incoming.push_back(l);
  else
    slot = l;
  changed.notify_all();
}

void Mailbox::close(bool machine) {
  std::lock_guard guard(lock);
  (machine ? machine_gone : process_gone) = true;
  changed.notify_all();
}

void Mailbox::abandon() {
  std::lock_guard guard(lock);
  abandoned_ = true;
  for (auto* list : {&incoming, &queue}) {
    for (Letter& l : *list) free_letter(l);
    list->clear();
  }
  for (auto* slot : {&reply, &exit}) {
    if (*slot) free_letter(**slot);
    slot->reset();
  }
}

// --- tickets -------------------------------------------------------------------------------------
namespace {
struct Ticket : OffHeapObject {
  std::shared_ptr<Mailbox> box;
};
void drop_ticket(OffHeapObject* o) {
  auto* t = static_cast<Ticket*>(o);
  t->box->close(false);
  delete t;
}
Ticket* ticket_in(Term t) {
  if (!is_kind(t, Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(t);
  return o->destroy == drop_ticket ? static_cast<Ticket*>(o) : nullptr;
}

Term deliver(Process&, const Term* a) {
  Ticket* t = ticket_in(a[0]);
  if (!t || !is_small(a[1])) return kBadarg;
  t->box->put(static_cast<LetterKind>(small_value(a[1])), a[2]);
  return am::ok;
}
}  // namespace

Term make_ticket(EmbeddedVm& vm, Heap& h, std::shared_ptr<Mailbox> box) {
  auto* t = new Ticket;
  t->destroy = drop_ticket;
  t->box = std::move(box);
  return vm.machine().new_magic_ref(h, t, sizeof(Ticket));
}

void add_delivery(EmbeddedVm& vm) {
  vm.machine().code->add_bif(intern("whitebeam_embed"), intern("deliver"), 3,
                             BifFn(deliver).address());
}

}  // namespace wb
