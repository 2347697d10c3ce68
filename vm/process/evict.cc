#include "vm/process/evict.h"

#include "term/releasing_literals.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/literal_collector.h"
#include "vm/process/roots.h"
#include "vm/process/route.h"
#include "vm/process/send.h"

namespace wb {

static Term reply_to(Heap& h, Term request) {
  const Term* e = tuple_elements(request);
  return tuple(h, e[0], copy_term(h, e[1]), am::ok);
}

void request_eviction(Process& p, const Signal& s) {
  FragmentHeap h(flat_size(s.term) + 8);
  Signal* reply = new_signal(SignalKind::message);
  reply->term = reply_to(h, s.term);
  reply->fragment = h.take_fragments();
  reply->from = s.from;
  p.rare().evictions.push_back(reply);
  p.evict_requested = true;
}

void reply_evictions(Process& p) {
  if (!rare_of(p)) return;
  for (Signal* reply : p.extra->rare->evictions) route(p.vm(), reply->from, reply);
  p.extra->rare->evictions.clear();
}

// --- looking -------------------------------------------------------------------------------------
/// Bytes that look like such a pointer count too: then a collection is made for nothing.
static bool has_releasing(const ReleasingLiterals& releasing, const Term* begin, const Term* end) {
  for (const Term* t = begin; t < end; ++t) {
    if (is_pointer(*t) && in_literal_range(pointer_of(*t)) && releasing.contains(pointer_of(*t))) {
      return true;
    }
  }
  return false;
}
static bool uses_releasing(Exec& c, const ReleasingLiterals& releasing, uint32_t live) {
  Process& p = *c.p;
  bool found = has_releasing(releasing, p.heap.stack(), p.heap.stack_base());
  each_root(p, c.x, live, [&](const Term* begin, size_t count) {
    found = found || has_releasing(releasing, begin, begin + count);
  });
  p.heap.each_range([&](const Term* begin, const Term* end) {
    found = found || has_releasing(releasing, begin, end);
  });
  c.fc -= static_cast<int64_t>(p.heap.total_words() / 64 + 1);
  return found;
}

/// A message on its way in gets a fragment of its own again, which shares no literal being
/// released.
static void renew_messages(Process& p, const ReleasingLiterals& releasing) {
  for (Signal* s = p.messages; s; s = s->next) {
    bool found = has_releasing(releasing, &s->term, &s->term + 1);
    for (HeapFragment* f = s->fragment; f; f = f->next) {
      found = found || has_releasing(releasing, f->data, f->data + f->used);
    }
    if (!found || (!s->fragment && !is_literal(s->term))) continue;  // the heap's own is collected
    FragmentHeap h(flat_size(s->term));
    Term copy = copy_term(h, s->term);
    p.message_words += -fragment_words(*s);
    if (s->fragment) free_fragments(s->fragment);
    s->term = copy;
    s->fragment = h.take_fragments();
    p.message_words += fragment_words(*s);
  }
}

bool evict_releasing(Exec& c, uint32_t live) {
  Process& p = *c.p;
  p.evict_requested = false;
  bool done = true;
  if (const ReleasingLiterals* releasing = c.vm->literals->releasing()) {
    adopt_peeked(p);
    renew_messages(p, *releasing);
    if (uses_releasing(c, *releasing, live)) done = collect_garbage(c, 0, live, Collection::evict);
  }
  reply_evictions(p);
  return done;
}

}  // namespace wb
