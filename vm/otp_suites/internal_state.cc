// erts_debug:get_internal_state/1 and set_internal_state/2: what OTP's test suites ask of the
// machine beneath the language. Closed (undef) until {available_internal_state, true} opens them;
// then an item that this machine does not have is badarg.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "term/binary.h"
#include "term/dist_atoms.h"
#include "term/external_dist.h"
#include "term/identifiers.h"
#include "term/map.h"
#include "term/number.h"
#include "term/owned_bytes.h"
#include "term/trie_hash.h"
#include "vm/bif/bif.h"
#include "vm/bif/ets_common.h"
#include "vm/core/memory_use.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/ets/hash_table.h"
#include "vm/ets/persistent_terms.h"
#include "vm/nif/nifs.h"
#include "vm/otp_suites/node_referrers.h"
#include "vm/port/ports.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/info.h"
#include "vm/process/park_reasons.h"
#include "vm/process/requests.h"
#include "vm/process/table.h"

namespace wb {

BIF(erlang, processes, 0);  // vm/bif/process_list.cc
namespace {

/// heap_binary, or {refc_binary, Size, {binary, AllocatedSize}, Flags} of what is behind a binary.
Term binary_info(Heap& h, Term t) {
  if (!is_bitstring(t)) return kBadarg;
  Term* p = boxed_ptr(t);
  if (header_kind(p[0]) == Kind::sub_bin) p = boxed_ptr(sub_bin::base(p));
  if (header_kind(p[0]) == Kind::heap_bin) return am::heap_binary;
  const Binary& b = *refc_bin::object(p);
  // A binary with room for appends says so by writable (1) and active (2) together, as in OTP.
  int64_t flags = refc_bin::flags(p) & refc_bin::writable ? 3 : 0;
  Term size = make_unsigned(h, refc_bin::size(p));
  return tuple(h, am::refc_binary, size, tuple(h, am::binary, make_unsigned(h, b.capacity)),
               make_small(flags));
}

Term atom_at(Term index) {
  if (!is_small(index) || small_value(index) < 0 || small_value(index) >= int64_t{atom_count()}) {
    return kBadarg;
  }
  return make_atom(static_cast<uint32_t>(small_value(index)));
}

Term process_status(Process& p, Term pid) {
  if (!is_local_pid(pid)) return kBadarg;
  if (pid == p.id) return am::running;
  const Process* q = p.vm().processes->find(pid);
  return q ? state_atom(q->state.load(std::memory_order_relaxed)) : am::undefined;
}

Term relations_of(Process& p, Term what, Term pid) {
  if (!is_local_pid(pid)) return kBadarg;
  if (pid == p.id) return process_info_items(p, p.heap, what, true);
  return send_request(p, pid, Request::info, what, am::undefined);
}

/// A magic reference to try them with: {Ref, Address}.
Term make_test_magic(Process& p) {
  auto* object = new OffHeapObject;
  object->destroy = [](OffHeapObject* o) { delete o; };
  Term ref = p.vm().new_magic_ref(p.heap, object, 0);
  return tuple(p.heap, ref, make_unsigned(p.heap, reinterpret_cast<uintptr_t>(object)));
}
/// {Address, References, true} of a magic reference, true of what was one while its object lived.
Term magic_state(Heap& h, Term ref) {
  if (!is_kind(ref, Kind::magic_ref)) {
    return make_bool(is_kind(ref, Kind::ref) && is_magic_number(ref_numbers(ref).word(0)));
  }
  const OffHeapObject& object = *magic_object(ref);
  Term address = make_unsigned(h, reinterpret_cast<uintptr_t>(&object));
  return tuple(h, address, make_small(holders(object)), am::true_);
}

/// The process or port that carries the connection to a node.
Term dist_controller(Process& p, Term node) {
  auto c = is_atom(node) ? p.vm().ports->distribution->find(node) : nullptr;
  return c && c->is_up() ? c->controller() : am::undefined;
}

/// The logical processors in the order of a bind type, whether there are any or not.
Term fake_bindings(Process& p, Term type) {
  const auto wanted = is_atom(type) ? bind_type_of_name(atom_text(type)) : std::nullopt;
  if (!wanted) return kBadarg;
  Term* e;
  const std::vector<int32_t> order = binding_order(p.vm().settings->cpus.used(), *wanted);
  const Term t = new_tuple(p.heap, order.size(), &e);
  for (int32_t logical : order) *e++ = make_small(logical);
  return t;
}

Term get_pair(Process& p, Term what, Term detail) {
  if (what == intern("fake_scheduler_bindings")) return fake_bindings(p, detail);
  switch (what) {
    case am::binary_info:
      return binary_info(p.heap, detail);
    case am::internal_hash:
      return make_small(internal_hash(detail));
    case am::atom:
      return atom_at(detail);
    case am::process_status:
      return process_status(p, detail);
    case am::magic_ref:
      return magic_state(p.heap, detail);
    case am::dist_ctrl:
      return dist_controller(p, detail);
    case am::atom_out_cache_index:
      return is_atom(detail) ? make_small(static_cast<int64_t>(AtomRefs::slot_of(detail)))
                             : kBadarg;
    case am::link_list:
    case am::monitor_list:
      return relations_of(p, what, detail);
    default:
      return kBadarg;
  }
}

/// Words of an empty hash table, and of what one with decentralized counters has beyond that.
Term table_words(Heap& h) { return tuple(h, make_small(sizeof(HashTable) / 8), make_small(0)); }

Term persistent_term_info(Process& p) {
  Term pairs[] = {am::table, make_unsigned(p.heap, p.vm().persistent_terms->capacity())};
  return map_from_pairs(p.heap, pairs, 1);
}

/// {Referrer, [{What, References}]}
Term referrer(Heap& h, const NodeReferrers::Referrer& r, int64_t count) {
  static constexpr struct {
    Term kind, what;
  } names[] = {{am::process, am::heap},
               {am::ets, am::ets},
               {am::bif_timer, am::timer},
               {am::persistent_term, am::persistent_term},
               {am::process, am::binary}};
  auto& [kind, what] = names[r.what];
  Term references = tuple(h, what, make_small(count));
  return tuple(h, tuple(h, kind, r.who), cons(h, references, kNil));
}
/// {{node_references, [{{Name, Creation}, References, Referrers}]}, {dist_references, [{Name,
/// ...}]}}. No table refers to this node.
Term references(Heap& h, const NodeReferrers::Found& found) {
  Term creation = make_unsigned(h, local_node().creation), name = local_node().name;
  Term nodes = cons(h, tuple(h, tuple(h, name, creation), make_small(0), kNil), kNil);
  Term dist = cons(h, tuple(h, name, make_small(0), kNil), kNil);
  for (auto& [node, referrers] : found) {
    Term list = kNil, id = tuple(h, node.first, make_unsigned(h, node.second));
    int64_t sum = 0;
    for (auto& [who, count] : referrers)
      list = cons(h, referrer(h, who, count), list), sum += count;
    nodes = cons(h, tuple(h, id, make_small(sum), list), nodes);
    Term one = cons(h, tuple(h, am::node, make_small(1)), kNil);
    list = cons(h, tuple(h, tuple(h, am::node, id), one), kNil);
    dist = cons(h, tuple(h, node.first, make_small(1), list), dist);
  }
  return tuple(h, tuple(h, am::node_references, nodes), tuple(h, am::dist_references, dist));
}

/// As erlang:memory/0, which adds it up from what allocators tell.
Term memory_state(Process& p) {
  const MemoryUse u = memory_use(p.vm());
  const int64_t processes = u.heaps + u.timers, system = u.binaries + u.tables + u.other;
  const std::pair<Term, int64_t> items[] = {{am::total, processes + system},
                                            {am::processes, processes},
                                            {am::processes_used, processes},
                                            {am::system, system},
                                            {am::atom, u.atoms},
                                            {am::atom_used, u.atoms},
                                            {am::binary, u.binaries},
                                            {am::code, u.code},
                                            {am::ets, u.tables}};
  ListBuilder list(p.heap);
  for (auto [key, bytes] : items) list.add(tuple(p.heap, key, make_integer(p.heap, bytes)));
  return list.finish();
}

/// {ptab_list_bif_info, MinStartReductions, Chunks, ChunkSize, IndicesPerReduction, ...}:
/// processes/0 begins whatever is left of the slice, its table is one piece, and it pays for what
/// it lists.
Term processes_bif_info(Process& p) {
  constexpr int64_t kListedPerReduction = 8;
  Term size = make_small(p.vm().processes->limit()), none = make_small(0);
  return tuple(p.heap, am::ptab_list_bif_info, none, make_small(1), size, size, none, none, none,
               make_small(kListedPerReduction), none);
}

/// How often every scheduler that is online has looked whether others have more to do.
Term balances(Process& p) {
  Scheduler& s = *p.vm().scheduler;
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < s.worker_count(); ++i) {
    if (s.worker(i).online()) least = std::min(least, s.worker(i).counters.comparisons.value());
  }
  return make_unsigned(p.heap, least);
}

/// {Errors, Polled, Polled, ByNifs}: the descriptors in epoll sets of this program, as the kernel
/// has them. One that was closed and is still there, as its file is open elsewhere, is an error.
Term check_io_debug(Process& p) {
  int64_t polled = 0, errors = 0;
  std::error_code error;
  for (auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    if (std::filesystem::read_symlink(entry, error) != "anon_inode:[eventpoll]") continue;
    std::ifstream info("/proc/self/fdinfo/" + entry.path().filename().string());
    for (std::string line; std::getline(info, line);) {
      int fd;
      if (sscanf(line.c_str(), "tfd: %d", &fd) != 1) continue;
      ++polled;
      if (fcntl(fd, F_GETFD) < 0) ++errors;
    }
  }
  int64_t selected = 0;
  {
    std::lock_guard lock(p.vm().nifs->selected.lock);
    selected = static_cast<int64_t>(p.vm().nifs->selected.by_fd.size());
  }
  return tuple(p.heap, make_small(errors), make_small(polled), make_small(polled),
               make_small(selected));
}

Term get_item(Process& p, Term item) {
  if (item == intern("check_io_debug")) return check_io_debug(p);
  Vm& vm = p.vm();
  switch (item) {
    case am::available_internal_state:
      return am::true_;
    case am::reds_left:
      return make_integer(p.heap, p.reductions_left());
    case am::processes:
      return erlang_processes_0(p, nullptr);
    case am::max_atom_out_cache_index:
      return make_small(AtomRefs::kSlots - 1);
    case am::monitoring_nodes:
      return vm.ports->distribution->node_news(p.heap);
    case am::persistent_term:
      return persistent_term_info(p);
    case am::node_and_dist_references:
      return NodeReferrers::ask(p, references);
    case am::min_unique_monotonic_integer:
      return make_small(kSmallMin);
    case am::unique_monotonic_integer_state:
      return make_unsigned(p.heap, static_cast<uint64_t>(vm.unique_monotonic.load()) - 1);
    case am::nbalance:
      return balances(p);
    case am::force_heap_frags:
      return am::false_;
    case am::next_pid:
      return make_small(vm.processes->spawned());
    case am::memory:
      return memory_state(p);
    case am::next_port:
      return make_unsigned(p.heap, vm.ports->next_number());
    case am::DbTable_words:
      return table_words(p.heap);
    case am::flxctr_memory_usage:
      return am::notsup;
    case am::process_info_args:
      return info_item_names(p.heap);
    case am::processes_bif_info:
      return processes_bif_info(p);
    default:
      return kBadarg;
  }
}

// --- setting -------------------------------------------------------------------------------------
Term set_reductions(Process& p, Term value) {
  int64_t n;
  if (!to_int64(value, &n)) return kBadarg;
  Exec& c = *p.exec;
  c.fc = std::min(std::max<int64_t>(n, 0), c.slice);
  return am::true_;
}
/// All waits are one here: nothing that was given up is in use once all have passed a safe point.
Term wait_for(Process& p, Term what) {
  switch (what) {
    case am::thread_progress:
    case am::deallocations:
    case am::timer_cancellations:
    case am::aux_work:
      return await_progress(p, am::ok);
    default:
      return kBadarg;
  }
}
Term force_collection(Process& p, Term pid) {
  if (pid == p.id) {
    p.collect_requested = true;
    return am::true_;
  }
  return am::false_;
}
/// Milliseconds; negative: as it was.
Term set_node_delay(Process& p, Term value) {
  int64_t ms;
  if (!to_int64(value, &ms) || ms > INT32_MAX) return kBadarg;
  p.vm().instance.nodes.set_delay(ms < 0 ? NodeTable::kDelay
                                         : static_cast<uint64_t>(ms) * 1'000'000);
  return am::ok;
}
Term sleep_here(Term milliseconds) {
  constexpr int64_t kLongest = 60'000;
  if (!is_small(milliseconds) || small_value(milliseconds) < 0) return kBadarg;
  int64_t ms = std::min(small_value(milliseconds), kLongest);
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  return am::true_;
}
/// No thread of ours runs for so many milliseconds: a child lets them go on.
Term block(Term milliseconds) {
  constexpr int64_t kLongest = 600'000;
  if (!is_small(milliseconds) || small_value(milliseconds) < 0) return kBadarg;
  const int64_t ms = std::min(small_value(milliseconds), kLongest);
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  const pid_t us = getpid(), child = fork();
  if (child < 0) return kSystemLimit;
  if (child == 0) {
    nanosleep(&time, nullptr);
    kill(us, SIGCONT);
    _exit(0);
  }
  kill(us, SIGSTOP);
  waitpid(child, nullptr, 0);
  return am::ok;
}
/// Collections take longer by so many milliseconds.
Term set_collection_sleep(Process& p, Term value) {
  uint64_t n;
  if (!to_uint64(value, &n) || n > UINT32_MAX) return kBadarg;
  Settings& settings = *p.vm().settings;
  std::lock_guard lock(settings.lock);
  settings.limits.collection_sleep_ms = static_cast<uint32_t>(n);
  p.vm().hooks->monitor_changed();
  return am::true_;
}
Term set_unique_monotonic(Process& p, Term value) {
  uint64_t n;
  if (!to_uint64(value, &n)) return kBadarg;
  p.vm().unique_monotonic.store(static_cast<int64_t>(n + 1));
  return am::true_;
}
Term set_next_marker(Process& p, Term value) {
  uint64_t n;
  if (!to_uint64(value, &n)) return kBadarg;
  p.receives().next_marker = n;
  return am::true_;
}
Term set_loop_limit(Process& p, unsigned which, Term value) {
  uint64_t n = Settings::kLoopLimits[which];
  if (value != am::default_ && (!to_uint64(value, &n) || n > UINT32_MAX)) return kBadarg;
  std::atomic<uint32_t>& limit = p.vm().settings->loop_limits[which];
  return make_small(limit.exchange(static_cast<uint32_t>(n)));
}
Term set_next_pid(Process& p, Term value) {
  uint64_t n;
  if (!to_uint64(value, &n) || n > UINT32_MAX) return kBadarg;
  return make_small(p.vm().processes->set_next_serial(static_cast<uint32_t>(n)));
}
Term set_next_port(Process& p, Term value) {
  uint64_t n;
  if (!to_uint64(value, &n)) return kBadarg;
  return make_unsigned(p.heap, p.vm().ports->set_next_number(n));
}
/// Table names that share a place where they are looked up. Here each has its own (tables.h): any
/// do.
Term colliding_names(Process& p, Term what) {
  if (!is_tuple_of(what, 2)) return kBadarg;
  const Term* e = tuple_elements(what);
  bool counted = is_small(e[1]) && small_value(e[1]) >= 0 && small_value(e[1]) <= 1000;
  if (!counted || !is_atom(e[0]) || atom_chars(e[0]) > 250) return kBadarg;
  Term list = kNil;
  for (int64_t i = small_value(e[1]); i > 1; --i) {
    Term name = intern(std::string(atom_text(e[0])) + "_" + std::to_string(i));
    if (is_fault(name)) return name;
    list = cons(p.heap, name, list);
  }
  return small_value(e[1]) ? cons(p.heap, e[0], list) : list;
}
/// An ordered table here has no parts that could be made to split or join.
Term split_or_join(Process& p, Term what) {
  if (!is_tuple_of(what, 2)) return kBadarg;
  TableArg t(p, tuple_elements(what)[0], Access::none);
  bool right = t && t->is_ordered() && t->options.write_concurrency != am::false_;
  return right ? am::ok : kBadarg;
}
/// What is free becomes garbage, so that whatever needs room next collects.
Term fill_heap(Process& p) {
  ptrdiff_t n = p.heap.free_words();
  if (n > 1) {
    Term* t = p.heap.alloc(static_cast<size_t>(n));
    *t = make_header(Kind::tuple, static_cast<uint64_t>(n) - 1);
    std::fill(t + 1, t + n, kNil);
  }
  return am::ok;
}
/// Collections that others ask for wait while it is false. Those the process needs are made.
Term set_gc_state(Process& p, Term on) {
  if (on != am::true_ && on != am::false_) return kBadarg;
  return make_bool(!hold_collections(p, on == am::false_));
}
Term open_or_close(Process& p, Term on) {
  std::atomic<bool>& open = p.vm().settings->internal_state;
  if (on != am::true_ && on != am::false_) return open.load() ? kBadarg : kUndef;
  return make_bool(open.exchange(on == am::true_));
}

}  // namespace

BIF(erts_debug, get_internal_state, 1)
{
  if (!p.vm().settings->internal_state.load(std::memory_order_relaxed)) return kUndef;
  if (is_tuple_of(a[0], 2)) {
    const Term* e = tuple_elements(a[0]);
    return get_pair(p, e[0], e[1]);
  }
  return get_item(p, a[0]);
}

BIF(erts_debug, set_internal_state, 2)
{
  if (a[0] == am::available_internal_state) return open_or_close(p, a[1]);
  if (!p.vm().settings->internal_state.load(std::memory_order_relaxed)) return kUndef;
  switch (a[0]) {
    case am::reds_left:
      return set_reductions(p, a[1]);
    case am::wait:
      return wait_for(p, a[1]);
    case am::force_gc:
      return force_collection(p, a[1]);
    case am::block:
      return block(a[1]);
    case am::sleep:
      return sleep_here(a[1]);
    case am::test_long_gc_sleep:
      return set_collection_sleep(p, a[1]);
    case am::process_uniq_counter:
      return set_next_marker(p, a[1]);
    case am::proc_sig_buffers:  // as in OTP; here one inbox serves any number of senders anyway
      return make_bool(p.off_heap_messages);
    case am::unique_monotonic_integer_state:
      return set_unique_monotonic(p, a[1]);
    case am::re_loop_limit:
      return set_loop_limit(p, 0, a[1]);
    case am::unicode_loop_limit:
      return set_loop_limit(p, 1, a[1]);
    case am::binary_loop_limit:
      return set_loop_limit(p, 2, a[1]);
    case am::node_tab_delayed_delete:
      return set_node_delay(p, a[1]);
    case am::next_pid:
      return set_next_pid(p, a[1]);
    case am::next_port:
      return set_next_port(p, a[1]);
    case am::gc_state:
      return set_gc_state(p, a[1]);
    case am::colliding_names:
      return colliding_names(p, a[1]);
    case am::ets_force_trap:  // only in BEAM's debug builds
      return am::notsup;
    case am::ets_force_split:
    case am::ets_debug_random_split_join:
      return split_or_join(p, a[1]);
    case am::make:
      return a[1] == am::magic_ref ? make_test_magic(p) : kBadarg;
    case am::fill_heap:
      return fill_heap(p);
    case am::mbuf:
      return copy_term_deep(p.heap, a[1]);
    default:
      return kBadarg;
  }
}

}  // namespace wb
