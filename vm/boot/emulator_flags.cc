#include "vm/boot/emulator_flags.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "scheduler/cpu_count.h"
#include "vm/boot/allocator_flags.h"

namespace wb {
namespace {

enum class Takes : uint8_t { none, value, rest, letter, truth, allocator };

std::optional<uint64_t> to_number(std::string_view text) {
  uint64_t number;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "LOW-HIGH"?
bool in_range(std::string_view range, std::string_view value) {
  size_t dash = range.find('-');
  if (dash == std::string_view::npos) return false;
  auto low = to_number(range.substr(0, dash)), high = to_number(range.substr(dash + 1));
  auto number = to_number(value);
  return low && high && number && *number >= *low && *number <= *high;
}
bool is_valid(std::string_view valid, std::string_view value) {
  if (valid.empty()) return true;
  for (;;) {
    size_t bar = valid.find('|');
    std::string_view one = valid.substr(0, bar);
    if (one == value || in_range(one, value)) return true;
    if (bar == std::string_view::npos) return false;
    valid.remove_prefix(bar + 1);
  }
}

// --- effects: false if the value is not valid after all ------------------------------------------
using Value = std::string_view;
uint32_t number_of(Value v) { return static_cast<uint32_t>(to_number(v).value_or(0)); }

bool meaningless(EmulatorFlags&, Value) { return true; }
bool set_async_threads(EmulatorFlags& f, Value v) {
  f.async_threads = std::max(1u, number_of(v));
  return true;
}
bool set_break(EmulatorFlags& f, Value v) {
  f.on_break = v == "i" ? BreakMode::ignored : v == "c" ? BreakMode::shell : BreakMode::disabled;
  return true;
}
bool set_min_heap(EmulatorFlags& f, Value v) { return f.min_heap = number_of(v), true; }
bool set_min_bin_vheap(EmulatorFlags& f, Value v) { return f.min_bin_vheap = number_of(v), true; }
/// What is no number is 0.
bool set_max_heap(EmulatorFlags& f, Value v) {
  constexpr long long kMost = (1ll << 59) - 1;
  return f.max_heap = static_cast<uint64_t>(std::clamp(atoll(v.data()), 0ll, kMost)), true;
}
bool set_max_heap_kill(EmulatorFlags& f, Value v) { return f.max_heap_kill = v == "true", true; }
bool set_max_heap_log(EmulatorFlags& f, Value v) { return f.max_heap_log = v == "true", true; }
bool set_max_heap_shared(EmulatorFlags& f, Value v) {
  return f.max_heap_shared = v == "true", true;
}
bool set_message_queue_data(EmulatorFlags& f, Value v) {
  f.off_heap_messages = v == "off_heap";
  return true;
}
bool set_boot_module(EmulatorFlags& f, Value v) { return f.boot_module = v, true; }
bool set_perf_map(EmulatorFlags& f, Value v) { return f.perf_map = v == "true", true; }
bool set_printable_range(EmulatorFlags& f, Value v) {
  f.unicode_is_printable = v == "unicode";
  return true;
}
bool set_file_names(EmulatorFlags& f, Value v) {
  f.file_names = v[0];
  f.untranslated = v.size() > 1 ? v[1] : 'w';
  return true;
}
bool set_processes(EmulatorFlags& f, Value v) { return f.max_processes = number_of(v), true; }
bool set_ports(EmulatorFlags& f, Value v) { return f.max_ports = number_of(v), true; }
bool set_atoms(EmulatorFlags& f, Value v) { return f.max_atoms = number_of(v), true; }
bool set_version(EmulatorFlags& f, Value) { return f.version = true; }
bool set_warnings(EmulatorFlags& f, Value v) { return f.warnings = v[0], true; }
bool set_outstanding_requests(EmulatorFlags& f, Value v) {
  f.outstanding_requests = number_of(v);
  return true;
}

bool set_dist_busy_limit(EmulatorFlags& f, Value v) {
  f.dist_busy_kilobytes = static_cast<uint32_t>(number_of(v));
  return true;
}
bool set_node_delay(EmulatorFlags& f, Value v) {
  f.node_delay = v == "infinity" ? EmulatorFlags::kForEver : number_of(v);
  return true;
}

/// The number that `*text` begins with, and takes it away.
std::optional<int> take_number(Value* text) {
  int number;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}
/// "N", "N:M" or ":M", each of which may be negative: so many less than there would be. As in OTP
/// nobody looks at what follows.
bool split_counts(Value v, std::optional<EmulatorFlags::Counts>* counts) {
  EmulatorFlags::Counts c;
  c.total = take_number(&v);
  if (v.starts_with(':')) {
    v.remove_prefix(1);
    c.online = take_number(&v);
  }
  if (!c.total && !c.online) return false;
  *counts = c;
  return true;
}
constexpr int kMostSchedulers = 1024;

/// How many there are and how many of them work, where `usual` would.
struct Resolved {
  int total, online;
};
Resolved resolve(const std::optional<EmulatorFlags::Counts>& counts, int usual) {
  if (!counts) return {usual, usual};
  auto count = [&](const std::optional<int>& n, int otherwise) {
    return !n || *n == 0 ? otherwise : *n < 0 ? usual + *n : *n;
  };
  const int all = count(counts->total, usual);
  return {all, counts->online ? count(counts->online, usual) : std::min(all, usual)};
}
/// At least one.
int part_of(int all, int percentage) {
  return static_cast<int>(std::clamp<int64_t>(int64_t{all} * percentage / 100, 1, INT_MAX));
}
void take_percentages(const std::optional<EmulatorFlags::Counts>& percentage, Resolved* r) {
  if (!percentage) return;
  if (percentage->total) r->total = part_of(r->total, *percentage->total);
  if (percentage->online)
    r->online = part_of(r->online, *percentage->online);
  else
    r->online = std::min(r->online, r->total);
}

/// `kind`: what the complaint calls them.
bool set_counts(EmulatorFlags& f, Value v, std::optional<EmulatorFlags::Counts>* counts,
                std::string_view kind) {
  if (!split_counts(v, counts)) return false;
  const Resolved r = resolve(*counts, static_cast<int>(usable_cpus()));
  if (r.total < 1 || r.total > kMostSchedulers) return false;
  if (r.online >= 1 && r.online <= r.total) return true;
  f.complaint = fmt::format("bad amount of {0} online {1} (total amount of {0} {2})", kind,
                            r.online, r.total);
  return false;
}
bool set_schedulers(EmulatorFlags& f, Value v) { return set_counts(f, v, &f.count, "schedulers"); }
bool set_dirty_schedulers(EmulatorFlags& f, Value v) {
  return set_counts(f, v, &f.dirty_count, "dirty CPU schedulers");
}
bool set_scheduler_percentages(EmulatorFlags& f, Value v) { return split_counts(v, &f.percentage); }
bool set_dirty_percentages(EmulatorFlags& f, Value v) {
  return split_counts(v, &f.dirty_percentage);
}
bool set_dirty_io_schedulers(EmulatorFlags& f, Value v) {
  return f.dirty_io_schedulers = static_cast<uint32_t>(number_of(v)), true;
}
bool set_time_correction(EmulatorFlags& f, Value v) {
  return f.time_correction = v == "true", true;
}
bool set_time_warp(EmulatorFlags& f, Value v) {
  f.time_warp = v == "single_time_warp"  ? TimeWarp::single
                : v == "multi_time_warp" ? TimeWarp::multi
                                         : TimeWarp::none;
  return true;
}
bool set_max_tables(EmulatorFlags& f, Value v) {
  const int n = atoi(v.data());
  f.max_tables = static_cast<uint32_t>(std::max(n, 0));
  return n >= 0;
}
bool warn_of_verbosity(EmulatorFlags& f, Value) {
  f.warning = "warning: -v (only in debug compiled code)";
  return true;
}
/// Neither is a topology that +sct says later.
bool set_bind_type(EmulatorFlags& f, Value v) {
  f.bind_type = *bind_type_of_flag(v);
  f.bind = {std::string(v), !f.topology.empty()};
  return true;
}
/// As +sbt, where that can be.
bool try_bind_type(EmulatorFlags& f, Value v) {
  f.bind_type = *bind_type_of_flag(v);
  return true;
}
bool set_topology(EmulatorFlags& f, Value v) {
  f.detects_topology = false;
  const std::string_view wrong = parse_topology(v, &f.topology);
  if (wrong.empty()) return true;
  f.complaint = fmt::format("bad cpu topology '{}': {}", v, wrong);
  return false;
}
bool ignore_topology(EmulatorFlags& f, Value) {
  f.detects_topology = false;
  return true;
}
bool check_pollsets(EmulatorFlags& f, Value v) { return f.pollsets = atoi(v.data()), true; }
bool check_poll_threads(EmulatorFlags& f, Value v) { return f.poll_threads = atoi(v.data()), true; }
bool refuse(EmulatorFlags&, Value) { return false; }

/// Percentages are of what the flags for numbers say, whichever comes first; no more schedulers
/// compute natively than there are others.
bool resolve_schedulers(EmulatorFlags& f) {
  if (!f.count && !f.percentage && !f.dirty_count && !f.dirty_percentage) return true;
  const int usual = static_cast<int>(usable_cpus());
  Resolved r = resolve(f.count, usual), dirty = resolve(f.dirty_count, usual);
  take_percentages(f.percentage, &r);
  if (r.total > kMostSchedulers) {
    f.complaint = fmt::format("bad schedulers percentage {} (total amount of schedulers {})",
                              *f.percentage->total, r.total);
    return false;
  }
  if (r.online > r.total) {
    const std::optional<int> online = f.percentage->online;
    f.complaint = fmt::format(
        "bad schedulers online percentage {} (total amount of schedulers {}, online {})",
        online.value_or(100), r.total, r.online);
    return false;
  }
  take_percentages(f.dirty_percentage, &dirty);
  dirty.total = std::min(dirty.total, r.total);
  dirty.online = std::min({dirty.online, dirty.total, r.online});
  f.schedulers = static_cast<uint32_t>(r.total),
  f.schedulers_online = static_cast<uint32_t>(r.online);
  f.dirty_schedulers = static_cast<uint32_t>(dirty.total);
  f.dirty_schedulers_online = static_cast<uint32_t>(dirty.online);
  return true;
}

/// Schedulers are bound to processors that are known.
bool resolve_binding(EmulatorFlags& f) {
  if (!f.bind || f.bind_type == BindType::unbound) return true;
  const bool known = f.detects_topology ? !detect_topology().empty() : f.bind->after_topology;
  if (known) return true;
  f.complaint = fmt::format("setting scheduler bind type '{}' failed: no cpu topology available",
                            f.bind->flag);
  return false;
}

/// What several flags say together.
bool agree(EmulatorFlags& f, std::string* complaint) {
  if (!resolve_binding(f)) {
    *complaint = f.complaint;
    return false;
  }
  if (!resolve_schedulers(f)) {
    *complaint = f.complaint;
    return false;
  }
  if (f.pollsets <= f.poll_threads) return true;
  *complaint = fmt::format(
      "number of IO poll threads has to be greater or equal to the number of \r\n"
      "IO pollsets. Current values are set to: \r\n  -IOt {} -IOp {}",
      f.poll_threads, f.pollsets);
  return false;
}

struct Flag {
  std::string_view spelling;
  Takes takes;
  std::string_view valid;
  bool (*effect)(EmulatorFlags&, Value);
  std::string_view complaint;
};
constexpr Flag kFlags[] = {
#define EMULATOR_FLAG(spelling, takes, valid, effect, complaint) \
  {spelling, Takes::takes, valid, effect, complaint},
#include "vm/boot/emulator_flags.def"
};

/// The flag that `text`, an argument without its dash, begins with.
const Flag* find_flag(std::string_view text) {
  for (const Flag& flag : kFlags) {
    if (!text.starts_with(flag.spelling)) continue;
    if (flag.takes == Takes::none && text != flag.spelling) continue;
    return &flag;
  }
  return nullptr;
}

std::string complain(const Flag& flag, std::string_view value) {
  std::string text(flag.complaint);
  if (size_t at = text.find("%s"); at != std::string::npos) text.replace(at, 2, value);
  if (size_t at = text.find("%d"); at != std::string::npos) {
    text.replace(at, 2, std::to_string(atoi(std::string(value).c_str())));
  }
  return text;
}

}  // namespace

bool parse_emulator_flags(const std::vector<std::string>& arguments, EmulatorFlags* flags,
                          std::string* complaint) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    std::string_view text = arguments[i];
    if (text == "--") {
      flags->boot_arguments.assign(arguments.begin() + static_cast<ptrdiff_t>(i) + 1,
                                   arguments.end());
      return agree(*flags, complaint);
    }
    if (!text.starts_with("-")) return false;
    text.remove_prefix(1);
    const Flag* flag = find_flag(text);
    if (!flag) {
      *complaint = arguments[0] + " unknown flag " + arguments[i];
      return false;
    }
    text.remove_prefix(flag->spelling.size());
    if (flag->takes == Takes::allocator) {
      AllocatorFlag checked =
          check_allocator_flag(text, i + 1 < arguments.size() ? arguments[i + 1] : Value());
      *complaint = std::move(checked.complaint);
      if (!complaint->empty()) return false;
      i += checked.takes_next;
      continue;
    }
    if (flag->takes == Takes::letter && text.empty() && i + 1 < arguments.size() &&
        arguments[i + 1].size() == 1 && is_valid(flag->valid, arguments[i + 1])) {
      text = arguments[++i];
    }
    if (flag->takes == Takes::truth && i + 1 < arguments.size() &&
        (arguments[i + 1] == "true" || arguments[i + 1] == "false"))
      text = arguments[++i];
    if (flag->takes == Takes::value && text.empty()) {
      if (++i == arguments.size()) return false;
      text = arguments[i];
    }
    if (!is_valid(flag->valid, text) || !flag->effect(*flags, text)) {
      *complaint = flags->complaint.empty() ? complain(*flag, text) : flags->complaint;
      return false;
    }
  }
  return true;
}

std::string boot_flag(const EmulatorFlags& flags, const std::string& name) {
  const std::vector<std::string>& all = flags.boot_arguments;
  auto at = std::find(all.begin(), all.end(), name);
  return at == all.end() || at + 1 == all.end() ? std::string() : at[1];
}

}  // namespace wb
