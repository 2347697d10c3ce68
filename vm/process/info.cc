// process_info: one function a key, in one table.
//
// Where a process is ("current function") is known in two ways. A process that asks about itself is
// in a BIF: the call's address is Exec::pc, or, if the BIF was called as a function (apply), the
// topmost return address. One that answers a signal is at Process::resume, which is kept right
// wherever signals are handled; that may be an entry of an export's stub, which says who it is.
#include "vm/process/info.h"

#include <array>
#include <functional>

#include "loader/code_table.h"
#include "term/binary.h"
#include "term/copy.h"
#include "term/external.h"
#include "term/lists.h"
#include "term/number.h"
#include "term/owned_bytes.h"
#include "term/print.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/backtrace.h"
#include "vm/process/dictionary.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/native_yield.h"
#include "vm/process/options.h"
#include "vm/process/park_reasons.h"
#include "vm/process/relations.h"
#include "vm/process/saved_calls.h"
#include "vm/process/sequential.h"
#include "vm/process/signal.h"
#include "vm/process/stack_trace.h"
#include "vm/process/suspensions.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"
#include "vm/process/tree_order.h"
#include "vm/process/undecoded.h"

namespace wb {

static const char* state_of(const Process& p) {
  if (p.exiting) return "Exiting";
  if (p.suspend_count) return "Suspended";
  return facts_of(p.hibernating ? WaitFor::message : p.waiting_for).report;
}

ExecutionPoint stopped(const Process& p) {
  const CodeTable& code = *p.vm().code;
  const bool answers = p.resume == code.await_reply->entry;
  const Word* pc = !answers && code.module_at(p.resume) ? p.resume.get() : nullptr;
  return {pc, p.in_native_yield() ? p.extra->yielded_call->bif : nullptr, state_of(p)};
}

namespace {

// --- where it is ---------------------------------------------------------------------------------
/// It is in erlang:hibernate/0, which is no function of its own to whoever asks.
bool hibernates_in_place(const Process& p) {
  const Word* pc = p.resume.get();
  return p.waiting_for == WaitFor::message && !p.hibernating && !p.vm().code->module_at(pc) &&
         entry_arity(pc) == 0 && atom_text(entry_function(pc)) == "hibernate in place";
}
const Word* position_of(const Process& p, bool self) {
  const CodeTable& code = *p.vm().code;
  if (!self) {
    const bool is_own = p.resume != code.await_reply->entry && !hibernates_in_place(p);
    return is_own ? p.resume.get() : nullptr;
  }
  const Word* pc = p.exec->pc;
  return p.vm().code->module_at(pc) ? pc : nullptr;
}
/// {M,F,A} of a stub's entry (the process has not begun, or hibernates).
Term stub_function(Process& p, Heap& h, const Word* entry, bool location) {
  Term m = entry_module(entry), f = entry_function(entry);
  Term arity = make_small(entry_arity(entry));
  if (p.hibernating) m = am::erlang, f = am::hibernate, arity = make_small(3);
  return location ? tuple(h, m, f, arity, kNil) : tuple(h, m, f, arity);
}
/// The BIF that it has called and that has yielded; nullptr: none, or an instruction has.
const Export* yielded_bif(const Process& p, bool self) {
  return !self && p.in_native_yield() ? p.extra->yielded_call->bif : nullptr;
}
/// A BIF that has yielded is the current function, but, as on BEAM, no part of the stack trace.
Term stack_of(Process& p, Heap& h, bool self, int depth) {
  const Word* pc = position_of(p, self);
  Vm& vm = p.vm();
  bool stub = pc && !vm.code->module_at(pc);
  Term frames =
      stack_frames(vm, h, stub ? nullptr : pc, p.heap.stack(), p.heap.stack_base(), depth);
  return stub && !yielded_bif(p, self) ? cons(h, stub_function(p, h, pc, true), frames) : frames;
}
/// {M,F,A,[]} of a BIF that has yielded, under the name that BEAM would go on in.
Term yielded_function(Heap& h, const Export& bif) {
  static constexpr struct {
    std::string_view module, name;
    uint32_t arity;
    const char *trap_module, *trap;
    int64_t trap_arity;
    int release = 0;  // of OTP, from which on it is so
  } traps[] = {
#define TRAP(m, f, a, tm, tf, ta) {m, f, a, tm, tf, ta},
#define NEWER_TRAP(release, m, f, a, tm, tf, ta) {m, f, a, tm, tf, ta, release},
#include "vm/process/traps.def"
#undef TRAP
#undef NEWER_TRAP
  };
  for (auto& t : traps) {
    if (otp_release() < t.release) continue;
    if (t.arity != bif.arity || t.name != atom_text(bif.function)) continue;
    if (t.module != atom_text(bif.module)) continue;
    return tuple(h, intern(t.trap_module), intern(t.trap), make_small(t.trap_arity), kNil);
  }
  return tuple(h, bif.module, bif.function, make_small(bif.arity), kNil);
}
Term current_location(Process& p, Heap& h, bool self) {
  if (const Export* bif = yielded_bif(p, self)) return yielded_function(h, *bif);
  Term frames = stack_of(p, h, self, 1);
  return is_cons(frames) ? head(frames) : am::undefined;
}
Term current_function(Process& p, Heap& h, bool self) {
  const Word* pc = yielded_bif(p, self) ? nullptr : position_of(p, self);
  const Module* module = pc ? p.vm().code->module_at(pc) : nullptr;
  if (const Module::Function* f = module ? module->function_at(pc) : nullptr)
    return tuple(h, module->name, f->name, make_small(f->arity));
  Term frame = current_location(p, h, self);
  if (!is_tuple(frame)) return frame;
  const Term* e = tuple_elements(frame);
  return tuple(h, e[0], e[1], e[2]);
}
Term current_stacktrace(Process& p, Heap& h, bool self) {
  uint32_t depth = p.vm().settings->backtrace_depth.load(std::memory_order_relaxed);
  if (p.hibernating || depth == 0) return kNil;  // hibernating, it has no stack
  return stack_of(p, h, self, static_cast<int>(depth));
}
Term initial_call(Process& p, Heap& h, bool) {
  const Export* e = p.initial_call;
  if (!e) return am::undefined;
  return tuple(h, e->module, e->function, make_small(e->arity));
}
Term catch_level(Process& p, Heap&, bool) {
  int64_t n = 0;
  for (Term* e = p.heap.stack(); e < p.heap.stack_base(); ++e) n += is_catch(*e);
  return make_small(n);
}
Term backtrace(Process& p, Heap& h, bool self) {
  const Export* asked = p.vm().code->find_export(am::erlang, intern("process_info"), 2);
  std::string text = backtrace_text(p, self ? in_bif(p, asked) : stopped(p));
  return make_binary(h, text.data(), text.size());
}

// --- state ---------------------------------------------------------------------------------------
Term status(Process& p, Heap&, bool self) {
  if (self) return am::running;
  Term status = facts_of(p.waiting_for).status;
  if (status == am::running) return status;  // whoever suspends it
  if (p.suspend_count) return am::suspended;
  return p.hibernating ? am::waiting : status;
}
Term messages(Process& p, Heap& h, bool) {
  if (is_sensitive(p)) return kNil;
  ListBuilder list(h);
  for (Signal* s = p.messages; s; s = s->next) list.add(copy_term(h, s->term));
  return list.finish();
}
Term message_queue_len(Process& p, Heap&, bool) { return make_small(p.message_count); }
Term message_queue_data(Process& p, Heap&, bool) {
  return p.off_heap_messages ? am::off_heap : am::on_heap;
}
Term registered_name(Process& p, Heap&, bool) {
  Term name = p.named.load() ? p.vm().processes->name_of(p.id) : kNone;
  return is_value(name) ? name : kNil;
}
Term dictionary(Process& p, Heap& h, bool self) {
  if (is_sensitive(p)) return kNil;
  Term list = dictionary_list(p, h);
  return self ? list : copy_term(h, list);
}
/// Of one key ({dictionary, Key}), or undefined.
Term dictionary_value(Process& p, Heap& h, Term key, bool self) {
  if (is_sensitive(p)) return am::undefined;
  Term value = dictionary_get(p, key);
  return self ? value : copy_term(h, value);
}
Term label(Process& p, Heap& h, bool self) {
  return dictionary_value(p, h, am::process_label, self);
}
Term async_dist(Process& p, Heap&, bool) { return make_bool(rare_of(p) && rare_of(p)->async_dist); }
Term priority(Process& p, Heap&, bool) {
  return priority_atom(static_cast<Priority>(p.priority.get()));
}
Term trap_exit(Process& p, Heap&, bool) { return make_bool(p.trap_exit); }
Term error_handler(Process& p, Heap&, bool) { return p.error_handler(); }
Term group_leader(Process& p, Heap& h, bool) { return group_leader_term(p, h); }
Term parent(Process& p, Heap& h, bool) {
  if (RareParts* rare = rare_of(p); rare && rare->remote_parent)
    return term_of(rare->remote_parent, h);
  return is_value(p.parent) ? p.parent : am::undefined;
}
Term reductions(Process& p, Heap& h, bool) {
  return make_unsigned(h, p.reductions + static_cast<uint64_t>(p.exec->slice - p.exec->fc));
}
Term last_calls(Process& p, Heap& h, bool) {
  return saved_calls_size(p) ? p.extra->rare->saved_calls->list(h) : am::false_;
}
Term suspending(Process& p, Heap& h, bool) {
  Term list = kNil;
  if (!rare_of(p)) return list;
  for (auto& [who, count] : p.extra->rare->suspending) {
    if (!p.vm().processes->find(who)) continue;
    // With the first that has come into effect the others have nothing left to wait for.
    const uint32_t active = p.vm().suspensions->in_effect(who, p.address()) ? count : 0;
    list =
        cons(h, tuple(h, who.local_term(), make_small(active), make_small(count - active)), list);
  }
  return list;
}
Term sequential_trace_token(Process& p, Heap& h, bool) { return seq_token(p, h); }

// --- relations -----------------------------------------------------------------------------------
/// As BEAM compares those it is linked to: processes here, ports, others.
bool precedes(Address a, Address b) {
  const auto rank = [](Address x) { return x.is_local_pid() ? 0 : x.is_local_port() ? 1 : 2; };
  return rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
}
Term links(Process& p, Heap& h, bool) {
  if (!p.links) return kNil;
  ListBuilder list(h);
  each_in_tree_order(p.links->links, precedes, [&](Address to, const auto& unlinking) {
    if (!unlinking) list.add(term_of(to, h));
  });
  return list.finish();
}
Term priority_messages(Process& p, Heap&, bool) { return make_bool(takes_priority_messages(p)); }
Term monitors(Process& p, Heap& h, bool) {
  if (!p.links) return kNil;
  ListBuilder list(h);
  each_in_tree_order(p.links->monitors, std::less<>(), [&](uint64_t, const Monitor& m) {
    const Term what = monitored(m, h);
    list.add(tuple(h, m.type, what));
  });
  return list.finish();
}
Term monitored_by(Process& p, Heap& h, bool) {
  Term list = kNil;
  if (p.links) {
    p.links->watchers.sort();
    for (auto& [number, w] : p.links->watchers) {
      const Term who = watcher_term(h, w);
      if (is_value(who)) list = cons(h, who, list);
    }
  }
  return list;
}

// --- memory --------------------------------------------------------------------------------------
constexpr uint32_t kMinHeap = 233;  // what OTP says of a process that asked for nothing

Term words(size_t n) { return make_small(static_cast<int64_t>(n)); }
/// A process that hibernates in its control block has as much of it as it uses.
size_t unused_words(const Process& p) {
  const ProcessHeap& h = p.heap;
  return p.hibernating && h.is_inline() ? h.young_words() - h.used_words() - h.stack_words() : 0;
}
Term heap_size(Process& p, Heap&, bool) { return words(p.heap.young_words() - unused_words(p)); }
Term total_heap_size(Process& p, Heap&, bool) {
  size_t queued = p.off_heap_messages ? 0 : p.message_words.get();
  return words(p.heap.total_words() - unused_words(p) + queued);
}
Term stack_size(Process& p, Heap&, bool) { return words(p.heap.stack_words()); }
Term memory(Process& p, Heap&, bool) { return words(process_bytes(p)); }
Term min_heap_size(Process& p, Heap&, bool) {
  return make_small(std::max(p.heap.min_heap_words, kMinHeap));
}
Term min_bin_vheap_size(Process& p, Heap&, bool) { return make_small(p.heap.min_bin_vheap_words); }
Term fullsweep_after(Process& p, Heap&, bool) { return make_small(p.heap.fullsweep_after); }
Term max_heap_size(Process& p, Heap& h, bool) {
  MaxHeap max;
  if (RareParts* rare = rare_of(p)) max = max_heap_of(*rare);
  return max_heap_map(h, max);
}
Term property_list(Heap& h, std::initializer_list<std::pair<Term, Term>> properties) {
  ListBuilder list(h);
  for (auto& [key, value] : properties) list.add(tuple(h, key, value));
  return list.finish();
}
Term garbage_collection(Process& p, Heap& h, bool self) {
  return property_list(h, {{am::max_heap_size, max_heap_size(p, h, self)},
                           {am::min_bin_vheap_size, min_bin_vheap_size(p, h, self)},
                           {am::min_heap_size, min_heap_size(p, h, self)},
                           {am::fullsweep_after, fullsweep_after(p, h, self)},
                           {am::minor_gcs, make_small(p.heap.minor_since_major())}});
}
Term gc_info(Process& p, Heap& h, bool) {
  ProcessHeap& m = p.heap;
  return property_list(h, {{am::old_heap_block_size, words(m.old_words())},
                           {am::heap_block_size, words(m.young_words())},
                           {am::mbuf_size, words(m.fragment_words())},
                           {am::recent_size, words(m.recent_words())},
                           {am::stack_size, words(m.stack_words())},
                           {am::old_heap_size, words(m.old_used_words())},
                           {am::heap_size, words(m.used_words())},
                           {am::bin_vheap_size, words(m.vheap_words())},
                           {am::bin_vheap_block_size, words(m.vheap_limit())},
                           {am::bin_old_vheap_size, words(m.old_vheap_words())},
                           {am::bin_old_vheap_block_size, words(m.old_vheap_limit())}});
}
/// What this list of owners shares with others, of one kind: {Id, Size, references}.
Term add_shared(Vm& vm, Heap& h, Kind kind, const Term* owner, Term list) {
  for (; owner; owner = reinterpret_cast<const Term*>(owner[2])) {
    if (header_kind(owner[0]) != kind) continue;
    auto* object = reinterpret_cast<OffHeapObject*>(owner[1]);
    Term id = make_unsigned(h, vm.shown_address(object)),
         size = make_unsigned(h, owned_bytes(owner));
    Term refs = make_small(holders(*object));
    list = cons(h, tuple(h, id, size, refs), list);
  }
  return list;
}
Term shared_of(Process& p, Heap& h, Kind kind) {
  Term old = add_shared(p.vm(), h, kind, p.heap.old_off_heap(), kNil);
  return add_shared(p.vm(), h, kind, p.heap.off_heap(), old);
}
Term binaries(Process& p, Heap& h, bool) { return shared_of(p, h, Kind::refc_bin); }
Term magic_refs(Process& p, Heap& h, bool) { return shared_of(p, h, Kind::magic_ref); }
Term trace_bits(Process& p, Heap&, bool) { return make_small(p.trace_flags & traced::all); }

enum class Asked : uint8_t {
  charged,  ///< by a signal, which costs the process a reduction
  free,     ///< by a signal; BEAM looks without one
  quick,    ///< not at all: others can look for it while the process waits
};
struct Item {
  Term key;
  Term (*value)(Process&, Heap&, bool self);
  Asked asked = Asked::charged;
  int since = kOldestRelease;
};
constexpr Item kItems[] = {
    {am::async_dist, async_dist, Asked::quick, 26},
    {am::backtrace, backtrace},
    {am::binary, binaries},
    {am::catchlevel, catch_level, Asked::free},
    {am::current_function, current_function},
    {am::current_location, current_location},
    {am::current_stacktrace, current_stacktrace},
    {am::dictionary, dictionary},
    {am::error_handler, error_handler, Asked::quick},
    {am::fullsweep_after, fullsweep_after, Asked::quick},
    {am::garbage_collection, garbage_collection, Asked::free},
    {am::garbage_collection_info, gc_info, Asked::free},
    {am::group_leader, group_leader, Asked::free},
    {am::heap_size, heap_size, Asked::quick},
    {am::initial_call, initial_call, Asked::quick},
    {am::label, label, Asked::charged, 27},
    {am::last_calls, last_calls, Asked::free},
    {am::links, links},
    {am::magic_ref, magic_refs},
    {am::max_heap_size, max_heap_size, Asked::quick},
    {am::memory, memory},
    {am::message_queue_data, message_queue_data, Asked::quick},
    {am::message_queue_len, message_queue_len, Asked::quick},
    {am::messages, messages},
    {am::min_bin_vheap_size, min_bin_vheap_size, Asked::quick},
    {am::min_heap_size, min_heap_size, Asked::quick},
    {am::monitored_by, monitored_by},
    {am::monitors, monitors},
    {am::parent, parent, Asked::quick},
    {am::priority, priority, Asked::quick},
    {am::priority_messages, priority_messages, Asked::charged, 28},
    {am::reductions, reductions, Asked::free},
    {am::registered_name, registered_name, Asked::quick},
    {am::sequential_trace_token, sequential_trace_token, Asked::free},
    {am::stack_size, stack_size, Asked::quick},
    {am::status, status, Asked::quick},
    {am::suspending, suspending},
    {am::total_heap_size, total_heap_size},
    {am::trace, trace_bits, Asked::quick},
    {am::trap_exit, trap_exit, Asked::quick},
};
/// Of each atom that the VM names: its item's number + 1, or 0.
constexpr auto kItemOf = [] {
  std::array<uint8_t, am_index::count_> numbers{};
  for (size_t i = 0; i < std::size(kItems); ++i)
    numbers[atom_index(kItems[i].key)] = static_cast<uint8_t>(i + 1);
  return numbers;
}();
const Item* find_item(Term key) {
  const size_t index = is_atom(key) ? atom_index(key) : am_index::count_;
  const uint8_t number = index < kItemOf.size() ? kItemOf[index] : 0;
  const Item* item = number ? &kItems[number - 1] : nullptr;
  return item && item->since <= otp_release() ? item : nullptr;
}
/// {dictionary, Key}, since OTP 26.
bool is_dictionary_key(Term item) {
  return is_tuple_of(item, 2) && tuple_elements(item)[0] == am::dictionary && otp_release() >= 26;
}

Term item_value(Process& p, Heap& h, Term key, bool self) {
  if (!is_tuple(key)) return tuple(h, key, find_item(key)->value(p, h, self));
  Term value = dictionary_value(p, h, tuple_elements(key)[1], self);
  return tuple(h, self ? key : copy_term(h, key), value);
}
/// What process_info/1 shows.
Term usual_items(Process& p, Heap& h, bool self) {
  static constexpr Term keys[] = {
      am::current_function,  am::initial_call,    am::status,
      am::message_queue_len, am::links,           am::dictionary,
      am::trap_exit,         am::error_handler,   am::priority,
      am::group_leader,      am::total_heap_size, am::heap_size,
      am::stack_size,        am::reductions,      am::garbage_collection,
      am::suspending};
  ListBuilder list(h);
  if (is_atom(registered_name(p, h, self))) list.add(item_value(p, h, am::registered_name, self));
  for (Term key : keys) list.add(item_value(p, h, key, self));
  return list.finish();
}

}  // namespace

bool are_info_items(Term items) {
  if (is_atom(items)) return find_item(items) != nullptr;
  if (is_dictionary_key(items)) return true;
  for (; is_cons(items); items = tail(items)) {
    if (!find_item(head(items)) && !is_dictionary_key(head(items))) return false;
  }
  return is_nil(items);
}

/// One item, or all of a list, are asked for in such a way at least.
static bool are_asked(Term items, Asked least) {
  auto is_asked = [least](Term item) {
    const Item* i = find_item(item);
    return i && i->asked >= least;
  };
  if (is_atom(items)) return is_asked(items);
  while (is_cons(items) && is_asked(head(items))) items = tail(items);
  return is_nil(items);
}
bool are_quick_items(Term items) { return are_asked(items, Asked::quick); }
bool are_free_items(Term items) { return are_asked(items, Asked::free); }

Term info_item_names(Heap& h) {
  ListBuilder names(h);
  for (const Item& i : kItems) {
    if (i.since <= otp_release()) names.add(i.key);
  }
  return names.finish();
}

/// Asked together with the messages, a sensitive process has as few as it shows.
static bool hides_messages(const Process& p, Term items) {
  if (!is_sensitive(p)) return false;
  while (is_cons(items) && head(items) != am::messages) items = tail(items);
  return is_cons(items);
}

/// Who asks for those looks at each message.
static bool looks_at_messages(Term items) {
  const auto looks = [](Term i) { return i == am::messages || i == am::total_heap_size; };
  while (is_cons(items) && !looks(head(items))) items = tail(items);
  return looks(items) || is_cons(items);
}

Term process_info_items(Process& p, Heap& h, Term items, bool self) {
  if (WB_UNLIKELY(p.special & kUndecoded) && looks_at_messages(items)) drop_undecoded(p);
  if (items == am::undefined) return usual_items(p, h, self);
  if (items == am::link_list) return link_list(p, h);
  if (items == am::monitor_list) return monitor_list(p, h);
  if (items == am::registered_name && is_nil(registered_name(p, h, self))) return kNil;
  if (is_atom(items) || is_tuple(items)) return item_value(p, h, items, self);
  ListBuilder list(h);
  const bool hidden = hides_messages(p, items);
  for (; is_cons(items); items = tail(items)) {
    bool none = hidden && head(items) == am::message_queue_len;
    list.add(none ? tuple(h, head(items), make_small(0)) : item_value(p, h, head(items), self));
  }
  return list.finish();
}

bool uses_old_code(Process& p, Term module) {
  Module* old = p.vm().code->find_old_module(module);
  if (!old) return false;
  for (Term* e = p.heap.stack(); e < p.heap.stack_base(); ++e) {
    if (is_code(*e) && old->contains(reinterpret_cast<const Word*>(*e))) return true;
    if (is_catch(*e) && old->contains(catch_handler(*e))) return true;
  }
  return old->contains(p.resume);
}

}  // namespace wb
