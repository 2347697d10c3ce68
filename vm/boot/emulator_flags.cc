#include "vm/boot/emulator_flags.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "scheduler/cpu_count.h"

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
bool set_max_heap(EmulatorFlags& f, Value v) { return f.max_heap = number_of(v), true; }
bool set_max_heap_kill(EmulatorFlags& f, Value v) { return f.max_heap_kill = v == "true", true; }
bool set_max_heap_log(EmulatorFlags& f, Value v) { return f.max_heap_log = v == "true", true; }
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

/// "N", "N:M" or ":M", each of which may be negative: so many less than there would be.
bool split_counts(Value v, std::optional<int>* first, std::optional<int>* second) {
  auto take = [](Value text, std::optional<int>* into) {
    if (text.empty()) return true;
    int number;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    *into = number;
    return true;
  };
  size_t colon = v.find(':');
  if (!take(v.substr(0, colon), first)) return false;
  if (colon != Value::npos && !take(v.substr(colon + 1), second)) return false;
  return *first || *second;
}
bool set_counts(EmulatorFlags& f, int total, int online) {
  constexpr int kMost = 1024;
  if (total < 1 || total > kMost || online < 1 || online > total) return false;
  f.schedulers = static_cast<uint32_t>(total), f.schedulers_online = static_cast<uint32_t>(online);
  return true;
}
bool set_schedulers(EmulatorFlags& f, Value v) {
  std::optional<int> total, online;
  if (!split_counts(v, &total, &online)) return false;
  const int usual = static_cast<int>(usable_cpus());
  auto count = [&](const std::optional<int>& n, int otherwise) {
    return !n || *n == 0 ? otherwise : *n < 0 ? usual + *n : *n;
  };
  int all = count(total, usual);
  return set_counts(f, all, online ? count(online, usual) : std::min(all, total ? all : usual));
}
bool check_dirty_schedulers(EmulatorFlags&, Value v) {
  std::optional<int> total, online;
  return split_counts(v, &total, &online) && total.value_or(1) >= 1 && total.value_or(1) <= 1024 &&
         online.value_or(1) >= 1;
}
bool set_scheduler_percentages(EmulatorFlags& f, Value v) {
  std::optional<int> total, online;
  if (!split_counts(v, &total, &online)) return false;
  const int usual = static_cast<int>(usable_cpus());
  auto part = [&](const std::optional<int>& n, int otherwise) {
    return n ? std::max(1, usual * *n / 100) : otherwise;
  };
  int all = part(total, usual);
  return set_counts(f, all, std::min(all, part(online, all)));
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

/// What parameters of allocators are called, after the letter of the allocator: erts_alloc(3).
constexpr std::string_view kAllocatorParameters[] = {
    "as",     "asbcst", "acul",  "acnl",  "acfml", "ahbm",   "atags", "e",      "lmbcs",
    "mbcgs",  "mbsd",   "mmbcs", "mmmbc", "mmsbc", "msbclt", "ramv",  "rmbcmt", "rsbcmt",
    "rsbcst", "sbct",   "smbcs", "t",     "cg",    "mtr",    "lpm",   "scs",    "sco",
    "scrpm",  "scrfsd", "sccos", "ea",    "Ys",    "ts"};

/// Does `text`, what follows the M, name a parameter? `*value`: what is behind the name.
bool allocator_parameter(std::string_view text, std::string_view* value) {
  std::string_view found;
  for (std::string_view name : kAllocatorParameters) {
    for (size_t letters : {0, 1}) {
      if (text.size() < letters || !text.substr(letters).starts_with(name)) continue;
      if (name.size() + letters > found.size()) found = text.substr(0, name.size() + letters);
    }
  }
  *value = text.substr(found.size());
  return !found.empty();
}

std::string complain(const Flag& flag, std::string_view value) {
  std::string text(flag.complaint);
  if (size_t at = text.find("%s"); at != std::string::npos) text.replace(at, 2, value);
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
      return true;
    }
    if (!text.starts_with("-")) return false;
    text.remove_prefix(1);
    const Flag* flag = find_flag(text);
    if (!flag) {
      *complaint = arguments[0] + " unknown flag " + arguments[i];
      return false;
    }
    text.remove_prefix(flag->spelling.size());
    if (flag->takes == Takes::allocator && !allocator_parameter(text, &text)) {
      *complaint = complain(*flag, text);
      return false;
    }
    if (flag->takes == Takes::letter && text.empty() && i + 1 < arguments.size() &&
        arguments[i + 1].size() == 1 && is_valid(flag->valid, arguments[i + 1])) {
      text = arguments[++i];
    }
    if (flag->takes == Takes::truth && i + 1 < arguments.size() &&
        (arguments[i + 1] == "true" || arguments[i + 1] == "false"))
      ++i;
    if ((flag->takes == Takes::value || flag->takes == Takes::allocator) && text.empty()) {
      if (++i == arguments.size()) return false;
      text = arguments[i];
    }
    if (!is_valid(flag->valid, text) || !flag->effect(*flags, text)) {
      *complaint = complain(*flag, text);
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
