#include "vm/observe/process_report.h"

#include <algorithm>

#include "loader/code_table.h"
#include "term/owned_bytes.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/alias_owners.h"
#include "vm/observe/calls.h"
#include "vm/observe/json.h"
#include "vm/observe/mailbox_shapes.h"
#include "vm/observe/slices.h"
#include "vm/observe/stack_frames.h"
#include "vm/observe/table_scan.h"
#include "vm/process/bounded_mailbox.h"
#include "vm/process/dictionary.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/heap_summary.h"
#include "vm/process/info.h"
#include "vm/process/native_yield.h"
#include "vm/process/options.h"
#include "vm/process/park_reasons.h"
#include "vm/process/policies.h"
#include "vm/process/relations.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr size_t kMostRelations = 500, kMostFrames = 200, kMostKept = 12, kFramesWithValues = 10,
                 kMostEntries = 200, kMostBinaries = 200;
constexpr PrintOptions kShort = {true, true, 400}, kLong = {true, true, 2000};

void write_frame(JsonWriter& w, const StackFrame& frame) {
  w.text("fn", frame.function);
  if (frame.line) w.text("file", frame.file).number("line", frame.line);
}

// --- what it was started as ----------------------------------------------------------------------
}  // namespace
/// proc_lib notes who asked it to start a process.
std::string started_as(const Process& p) {
  const Term noted = dictionary_get(p, intern("$initial_call"));
  if (is_tuple_of(noted, 3)) {
    const Term* e = tuple_elements(noted);
    if (is_atom(e[0]) && is_atom(e[1]) && is_small(e[2])) {
      return mfa_text(e[0], e[1], static_cast<uint32_t>(small_value(e[2])));
    }
  }
  const Export* e = p.initial_call;
  return e ? mfa_text(e->module, e->function, e->arity) : std::string();
}
namespace {

const char* waits_for(const Process& p) {
  if (p.suspend_count) return park_variant::suspended;
  if (p.in_native_yield() && p.waiting_for != WaitFor::work) return "";
  const ReceiveParts* r = receive_of(p);
  const bool timed = r && r->timer.running;
  if (p.waiting_for == WaitFor::message && timed) return park_variant::timed;
  if (p.waiting_for == WaitFor::nothing && p.hibernating) return park_variant::hibernating;
  return facts_of(p.waiting_for).shown;
}

// --- what looks wrong ----------------------------------------------------------------------------
constexpr uint32_t kLongScan = 100;

uint32_t scanned(const Process& p) {
  uint32_t n = 0;
  for (Signal* s = p.messages; s && &s->next != p.save && p.save != &p.messages; s = s->next) {
    if (++n > kLongScan) break;
  }
  return p.save == &p.messages ? 0 : n;
}

void write_lint(JsonWriter& w, const Process& p) {
  w.array("lint");
  if (p.message_count > kLongQueue) w.text("long message queue");
  if (scanned(p) > kLongScan) w.text("receive scans a long queue");
  if (holds_large_binaries(p.heap)) w.text("holds large binaries");
  if (is_near_heap_limit(p)) w.text("close to its heap limit");
}

// --- supervisors ---------------------------------------------------------------------------------
/// A supervisor's state is among what its loop keeps: {state, Name, Strategy, Children, Dynamics,
/// Intensity, Period, Restarts, ...}, Restarts being the moments of those within the period.
const Term* supervisor_state(const StackFrame& frame) {
  for (Term value : frame.kept) {
    if (!is_tuple(value) || tuple_arity(value) < 10) continue;
    const Term* e = tuple_elements(value);
    if (is_atom(e[0]) && atom_text(e[0]) == "state" && is_small(e[5]) && is_small(e[6]) &&
        (is_nil(e[7]) || is_cons(e[7]))) {
      return e;
    }
  }
  return nullptr;
}
void write_restarts(JsonWriter& w, Process& p) {
  constexpr size_t kMostCounted = 10'000;
  if (!started_as(p).starts_with("supervisor:")) return;
  size_t frames = 0;
  each_frame(p, [&](const StackFrame& frame) {
    const Term* state = supervisor_state(frame);
    if (!state) return ++frames < kFramesWithValues;
    size_t n = 0;
    for (Term l = state[7]; is_cons(l) && n < kMostCounted; l = tail(l)) ++n;
    w.object("restarts").number("total", rare_of(p) ? rare_of(p)->restarts : 0).number("count", n);
    w.number("intensity", small_value(state[5]));
    w.number("period_s", small_value(state[6])).close('}');
    return false;
  });
}

// --- parts ---------------------------------------------------------------------------------------
void write_state(JsonWriter& w, Process& p) {
  bool first = true;
  each_frame(p, [&](const StackFrame& frame) {
    write_frame(w, frame);
    return first = false;
  });
  if (first) w.text("fn", "");
  w.text("initial", started_as(p));
  const Term label = dictionary_get(p, am::process_label);
  if (label != am::undefined) w.text("label", to_text(label, kShort));
  w.text("waits_for", waits_for(p));
  write_call(w, p);
  write_restarts(w, p);
}

void write_kept(JsonWriter& w, const StackFrame& frame, AliasOwners& owners) {
  size_t n = 0;
  w.array("values");
  for (Term value : frame.kept) {
    if (is_catch(value) || !is_value(value)) continue;
    if (n++ == kMostKept) break;
    w.text(to_text(value, kShort));
    owners.note_aliases(value);
  }
  w.close(']');
}

void write_stack(JsonWriter& w, Process& p, AliasOwners& owners) {
  size_t n = 0;
  w.array("stack");
  each_frame(p, [&](const StackFrame& frame) {
    write_frame(w.open('{'), frame);
    if (n < kFramesWithValues) write_kept(w, frame, owners);
    w.close('}');
    return ++n < kMostFrames;
  });
  w.close(']');
}

void write_relations(JsonWriter& w, Process& p, AliasOwners& owners) {
  size_t links = 0;
  FragmentHeap h(64);
  w.array("links");
  if (p.links) {
    for (auto& [to, unlinking] : p.links->links) {
      if (!unlinking && ++links <= kMostRelations) w.text(to_text(term_of(to, h)));
    }
  }
  w.close(']').array("monitors");
  size_t monitors = 0;
  if (p.links) {
    for (auto& [number, m] : p.links->monitors) {
      if (monitors++ == kMostRelations) break;
      w.text(to_text(is_nil(m.name) ? term_of(m.target, h) : m.name));
    }
  }
  w.close(']').array("monitored_by");
  size_t watchers = 0;
  if (p.links) {
    for (auto& [number, watcher] : p.links->watchers) {
      if (watchers++ == kMostRelations) break;
      w.text(to_text(term_of(watcher.who, h)));
    }
  }
  w.close(']').array("aliases");
  size_t aliases = 0;
  if (p.links) {
    for (auto& [number, entry] : p.links->aliases) {
      if (aliases++ == kMostRelations) break;
      Term alias = monitor_ref(p, h, number, entry.mode);
      w.text(to_text(alias));
      owners.note_aliases(alias);
    }
  }
  w.close(']');
  w.number("link_count", links);
  w.number("monitor_count", p.links ? p.links->monitors.size() : 0);
  w.number("monitored_by_count", p.links ? p.links->watchers.size() : 0);
  w.number("alias_count", p.links ? p.links->aliases.size() : 0);
}

void write_dictionary(JsonWriter& w, Process& p, AliasOwners& owners) {
  size_t n = 0;
  w.array("dictionary");
  if (p.extra) {
    for (Term entry : p.extra->dictionary.slots()) {
      if (!is_tuple_of(entry, 2)) continue;
      if (n++ == kMostEntries) break;
      const Term* e = tuple_elements(entry);
      owners.note_aliases(entry);
      w.open('[').text(to_text(e[0], kShort)).text(to_text(e[1], kShort)).close(']');
    }
  }
  w.close(']').number("dictionary_count", p.extra ? p.extra->dictionary.count() : 0);
}

void write_messages(JsonWriter& w, Process& p, uint64_t from, uint64_t count, AliasOwners& owners) {
  w.number("messages_from", from).array("messages");
  Signal* s = p.messages;
  for (uint64_t k = 0; s && k < from; ++k) s = s->next;
  for (uint64_t k = 0; s && k < count; ++k, s = s->next) {
    w.text(to_text(s->term, kLong));
    owners.note_aliases(s->term);
  }
  w.close(']').boolean("receive_scanned", p.save != &p.messages);
}

void write_binaries(JsonWriter& w, Process& p) {
  size_t n = 0;
  const BinaryUse use(p);
  w.array("binaries");
  for (const Term* owner : {p.heap.off_heap(), p.heap.old_off_heap()}) {
    for (; owner && n < kMostBinaries; owner = reinterpret_cast<const Term*>(owner[2])) {
      if (header_kind(owner[0]) != Kind::refc_bin) continue;
      auto* object = reinterpret_cast<OffHeapObject*>(owner[1]);
      ++n;
      char id[24];
      snprintf(id, sizeof id, "%llx", static_cast<unsigned long long>(owner[1]));
      w.open('{').text("id", id).number("bytes", owner[3]);
      if (const auto used = use.used(owner)) w.number("used", *used);
      w.number("holders", holders(*object)).close('}');
    }
  }
  const size_t words = p.heap.vheap_words() + p.heap.old_vheap_words();
  w.close(']').number("binary_bytes", words * sizeof(Term));
  w.boolean("more_binaries", n == kMostBinaries);
}

void write_heap(JsonWriter& w, Process& p) {
  const ProcessHeap& h = p.heap;
  w.object("heap").boolean("in_control_block", h.is_inline());
  w.number("young_words", h.young_words()).number("young_used", h.used_words());
  w.number("survived_once", h.recent_words());
  w.number("old_words", h.old_words()).number("old_used", h.old_used_words());
  w.number("fragment_words", h.fragment_words()).number("stack_words", h.stack_words());
  w.number("off_heap_words", h.vheap_words()).number("off_heap_limit", h.vheap_limit());
  w.number("old_off_heap_words", h.old_vheap_words());
  w.number("minor_since_major", h.minor_since_major());
  if (p.extra) {
    const GcStats& g = p.extra->gc;
    w.number("collections", g.collections).number("major", g.major);
    w.number("words_copied", g.words_copied).number("words_reclaimed", g.words_reclaimed);
  }
  write_binaries(w, p);
  w.close('}');
}

std::string leader_text(const Process& p) {
  FragmentHeap h(4);
  return to_text(group_leader_term(p, h));
}

void write_flags(JsonWriter& w, Process& p) {
  w.object("flags").boolean("trap_exit", p.trap_exit);
  w.text("priority", priority_text(p.priority));
  w.text("message_queue_data", p.off_heap_messages ? "off_heap" : "on_heap");
  w.text("error_handler", to_text(p.error_handler())).text("group_leader", leader_text(p));
  w.number("min_heap_size", p.heap.min_heap_words);
  w.number("min_bin_vheap_size", p.heap.min_bin_vheap_words);
  w.number("fullsweep_after", p.heap.fullsweep_after);
  w.number("max_heap_size", rare_of(p) ? rare_of(p)->max_heap_size : 0);
  w.boolean("sensitive", is_sensitive(p));
  w.boolean("hibernating", p.hibernating).number("suspended", p.suspend_count).close('}');
}

/// What was chosen when it was spawned.
void write_choices(JsonWriter& w, Process& p) {
  FragmentHeap h(8);
  w.text("policy", to_text(policy_term(h, policy_of(p))));
  if (const Group* g = group_of(p)) w.text("group_name", g->options.name);
  const BoundedMailbox* m = rare_of(p) ? rare_of(p)->mailbox.get() : nullptr;
  if (!m) return;
  w.object("mailbox_bound").number("limit", m->limit).number("held", m->held());
  w.text("when_full", atom_text(atom_of(m->when_full))).number("dropped", m->dropped());
  w.number("senders_waiting", m->waiting()).close('}');
}

}  // namespace

std::string process_name(const Process& p) {
  Term name = p.named.load(std::memory_order_relaxed) ? p.vm().processes->name_of(p.id) : kNone;
  return is_value(name) ? std::string(atom_text(name)) : started_as(p);
}

void report_row(Process& p, ProcessQuery& q) {
  JsonWriter w(q.text);
  write_state(w, p);
  write_lint(w, p);
}

void report_details(Process& p, ProcessQuery& q) {
  JsonWriter w(q.text);
  write_state(w, p);
  write_lint(w, p);
  w.close(']');
  AliasOwners owners;
  write_relations(w, p, owners);
  write_heap(w, p);
  write_flags(w, p);
  write_choices(w, p);
  if (!is_sensitive(p)) {  // else it does not want to be read
    write_stack(w, p, owners);
    write_dictionary(w, p, owners);
    write_messages(w, p, q.number, q.count, owners);
    write_message_shapes(w, p);
  }
  owners.write(w, "alias_owners");
}

static void add_binaries(Process& p, SuspectMark* m) {
  constexpr size_t kMostLookedAt = 20'000;
  const BinaryUse use(p);
  m->used_is_known = true;
  for (const Term* owner : {p.heap.off_heap(), p.heap.old_off_heap()}) {
    for (; owner; owner = reinterpret_cast<const Term*>(owner[2])) {
      if (header_kind(owner[0]) != Kind::refc_bin) continue;
      if (++m->binaries > kMostLookedAt) return;
      const auto used = use.used(owner);
      m->used_is_known &= used.has_value();
      m->binary_bytes += owner[3], m->used_bytes += used.value_or(0);
    }
  }
}

void report_suspect(Process& p, ProcessQuery& q) {
  SuspectMark m;
  m.queue = p.message_count;
  if (const uint32_t n = scanned(p); n > kLongScan) m.scanned = n;
  m.holds_large_binaries = holds_large_binaries(p.heap);
  if (!m.scanned && m.queue <= kLongQueue && !m.holds_large_binaries && !is_near_heap_limit(p))
    return;
  if (m.holds_large_binaries) add_binaries(p, &m);
  m.heap_bytes = p.heap.total_words() * sizeof(Term);
  m.most_heap_bytes = rare_of(p) ? rare_of(p)->max_heap_size * sizeof(Term) : 0;
  std::string place = "\n";
  each_frame(p, [&](const StackFrame& frame) {
    place = frame.function + '\n' + frame.file, m.line = frame.line;
    return false;
  });
  q.text.assign(reinterpret_cast<const char*>(&m), sizeof m);
  q.text += place;
}

void report_references(Process& p, ProcessQuery& q) {
  constexpr size_t kMostLookedAt = 20'000;
  size_t looked_at = 0, n = 0;
  for (const Term* owner : {p.heap.off_heap(), p.heap.old_off_heap()}) {
    for (; owner && looked_at < kMostLookedAt; owner = reinterpret_cast<const Term*>(owner[2])) {
      n += owner[1] == q.number && header_kind(owner[0]) == Kind::refc_bin;
      ++looked_at;
    }
  }
  if (n) q.text = std::to_string(n);
}

void report_children(Process& p, ProcessQuery& q) {
  size_t n = 0;
  if (!p.links) return;
  for (auto& [to, unlinking] : p.links->links) {
    if (unlinking || !to.is_local_pid()) continue;
    if (n++ == kMostRelations) return;
    const Term pid = to.local_term();
    q.text.append(reinterpret_cast<const char*>(&pid), sizeof pid);
  }
}

void collect_soon(Process& p, ProcessQuery&) {
  p.collect_requested = true;
  if (RareParts* rare = rare_of(p)) rare->collect_minor = false;
}

}  // namespace wb
