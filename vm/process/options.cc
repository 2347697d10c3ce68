#include "vm/process/options.h"

#include <algorithm>

#include "scheduler/event_ring.h"
#include "term/instance.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/process/extra.h"

namespace wb {

bool to_priority(Term t, Priority* priority) {
  switch (t) {
    case am::low:
      *priority = Priority::low;
      return true;
    case am::normal:
      *priority = Priority::normal;
      return true;
    case am::high:
      *priority = Priority::high;
      return true;
    case am::max:
      *priority = Priority::max;
      return true;
    default:
      return false;
  }
}
Term priority_atom(Priority priority) {
  static constexpr Term atoms[] = {am::low, am::normal, am::high, am::max};
  return atoms[static_cast<unsigned>(priority)];
}

bool to_limit(Term t, uint32_t* limit) {
  if (!is_small(t) || small_value(t) < 0) return false;
  *limit = static_cast<uint32_t>(std::min<int64_t>(small_value(t), UINT32_MAX));
  return true;
}

bool to_size(Term t, uint32_t smallest, uint32_t* size) {
  uint32_t wanted;
  if (!to_limit(t, &wanted)) return false;
  size_t rounded = heap_size_at_least(std::max(wanted, smallest));
  *size = static_cast<uint32_t>(std::min<size_t>(rounded, UINT32_MAX));
  return true;
}

// --- max_heap_size -------------------------------------------------------------------------------
static bool to_heap_limit(Term t, uint64_t* words) {
  constexpr int64_t kSmallest = 233;
  if (!is_small(t) || (small_value(t) != 0 && small_value(t) < kSmallest)) return false;
  *words = static_cast<uint64_t>(small_value(t));
  return true;
}
static bool to_switch(Term map, Term key, bool* on) {
  Term t = map_get(map, key);
  if (is_fault(t)) return true;
  *on = t == am::true_;
  return t == am::true_ || t == am::false_;
}
static bool counts_shared() { return otp_release() >= 27; }
bool to_max_heap(Term t, MaxHeap* max) {
  if (is_small(t)) return to_heap_limit(t, &max->words);
  return is_map(t) && to_heap_limit(map_get(t, am::size), &max->words) &&
         to_switch(t, am::kill, &max->kill) && to_switch(t, am::error_logger, &max->log) &&
         (!counts_shared() || to_switch(t, am::include_shared_binaries, &max->shared));
}
MaxHeap max_heap_of(const RareParts& e) {
  return {e.max_heap_size, e.max_heap_kill, e.max_heap_log, e.max_heap_shared};
}
Term max_heap_map(Heap& h, const MaxHeap& max) {
  Term pairs[] = {am::error_logger,
                  make_bool(max.log),
                  am::kill,
                  make_bool(max.kill),
                  am::size,
                  make_small(static_cast<int64_t>(max.words)),
                  am::include_shared_binaries,
                  make_bool(max.shared)};
  return map_from_pairs(h, pairs, counts_shared() ? 4 : 3);
}

// --- monitors ------------------------------------------------------------------------------------
static bool to_alias_mode(Term t, AliasMode* mode) {
  switch (t) {
    case am::explicit_unalias:
      *mode = AliasMode::explicit_unalias;
      return true;
    case am::demonitor:
      *mode = AliasMode::demonitor;
      return true;
    case am::reply_demonitor:
      *mode = AliasMode::reply_demonitor;
      return true;
    default:
      return false;
  }
}
bool is_priority_option(Term option) { return option == am::priority && otp_release() >= 28; }
bool to_priority_option(Term list, bool* priority) {
  for (; is_cons(list); list = tail(list)) {
    if (!is_priority_option(head(list))) return false;
    *priority = true;
  }
  return is_nil(list);
}
bool to_monitor_options(Term list, MonitorOptions* options) {
  for (; is_cons(list); list = tail(list)) {
    if (!is_tuple_of(head(list), 2)) {
      if (!is_priority_option(head(list))) return false;
      options->priority = true;
      continue;
    }
    const Term* option = tuple_elements(head(list));
    if (option[0] == am::tag) {
      options->tag = option[1];
    } else if (option[0] != am::alias || !to_alias_mode(option[1], &options->alias)) {
      return false;
    }
  }
  return is_nil(list);
}

Monitor new_monitor(const MonitorOptions& options, HeldAddress target) {
  Monitor m;
  m.made = static_cast<uint32_t>(read_ticks() >> kMadeShift);
  m.target = target.take();
  m.alias = options.alias;
  m.priority = options.priority;
  if (is_fault(options.tag)) return m;
  if (size_t words = flat_size_deep(options.tag)) {
    FragmentHeap h(words);
    m.tag = copy_term_deep(h, options.tag);
    m.tag_fragment = h.take_fragments();
  } else {
    m.tag = options.tag;
  }
  return m;
}

}  // namespace wb
