#include "vm/observe/filter.h"

#include <algorithm>
#include <charconv>

#include "term/identifiers.h"

namespace wb {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

/// The part before the next `separator`, which is taken away with it.
std::string_view take_part(std::string_view& rest, char separator) {
  size_t end = std::min(rest.find(separator), rest.size());
  std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

bool parse_number(std::string_view s, double* out) {
  double unit = 1;
  if (!s.empty()) {
    switch (s.back() | 0x20) {
      case 'k':
        unit = 1e3;
        break;
      case 'm':
        unit = 1e6;
        break;
      case 'g':
        unit = 1e9;
        break;
    }
    if (unit != 1) s.remove_suffix(1);
  }
  auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), *out);
  *out *= unit;
  return ec == std::errc() && end == s.data() + s.size();
}

}  // namespace

std::vector<std::string> Filter::names() const {
  std::vector<std::string> names;
  for (const auto& all_of : any_of_) {
    if (all_of.size() != 1) continue;
    const Condition& c = all_of[0];
    const bool is_one =
        c.column == ProcessColumn::name && c.op == Op::equal && c.text.find('*') == c.text.npos;
    if (is_one) names.push_back(c.text);
  }
  return names;
}

Term parse_pid(std::string_view s) {
  if (!s.starts_with("<0.") || !s.ends_with(">")) return kNone;
  const char* end = s.data() + s.size() - 1;
  uint32_t slot, serial;
  auto first = std::from_chars(s.data() + 3, end, slot);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return kNone;
  auto second = std::from_chars(first.ptr + 1, end, serial);
  if (second.ec != std::errc() || second.ptr != end || slot >= 1u << 28) return kNone;
  return make_pid(slot, serial);
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = pattern.npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1, t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool Filter::parse_condition(std::string_view s, Condition* c, std::string* error) {
  s = trimmed(s);
  size_t op = s.find_first_of("<>=!~");
  if (op == s.npos || op == 0) {
    *error = "a condition is COLUMN OPERATOR VALUE: " + std::string(s);
    return false;
  }
  std::string_view column = trimmed(s.substr(0, op));
  bool or_equal = op + 1 < s.size() && s[op + 1] == '=';
  switch (s[op]) {
    case '<':
      c->op = or_equal ? Op::at_most : Op::less;
      break;
    case '>':
      c->op = or_equal ? Op::at_least : Op::more;
      break;
    case '!':
      c->op = Op::differs;
      break;
    case '~':
      c->op = Op::contains;
      break;
    default:
      c->op = Op::equal;
  }
  std::string_view value = trimmed(s.substr(op + 1 + or_equal));
  std::optional<ProcessColumn> known = column_named(column);
  if (!known) {
    *error = "there is no column " + std::string(column);
    return false;
  }
  c->column = *known;
  c->text = value;
  c->exact_pid = c->column == ProcessColumn::pid && value.find('*') == value.npos &&
                 (c->op == Op::equal || c->op == Op::differs);
  if (c->exact_pid) c->id = parse_pid(value);
  bool text_op = c->op >= Op::equal, number_op = c->op != Op::contains;
  if (facts_of(*known).is_text() ? !text_op : !number_op || !parse_number(value, &c->number)) {
    *error = "that cannot be asked of " + std::string(column) + ": " + std::string(s);
    return false;
  }
  return true;
}

bool Filter::parse(std::string_view expression, std::string* error) {
  any_of_.clear();
  if (trimmed(expression).empty()) return true;
  size_t conditions = 0;
  while (!expression.empty()) {
    std::string_view all = take_part(expression, '|');
    auto& list = any_of_.emplace_back();
    do {
      if (++conditions > kMostConditions) {
        *error = "too many conditions";
        return false;
      }
      Condition c;
      if (!parse_condition(take_part(all, '&'), &c, error)) return false;
      list.push_back(std::move(c));
    } while (!all.empty());
  }
  return true;
}

bool Filter::holds(const Condition& c, const FilterRow& row) {
  if (c.exact_pid) return (row.id() == c.id) == (c.op == Op::equal);
  if (facts_of(c.column).is_text()) {
    std::string_view text = row.text(c.column);
    if (c.op == Op::contains) return text.find(c.text) != text.npos;
    return matches_pattern(c.text, text) == (c.op == Op::equal);
  }
  auto n = static_cast<double>(row.number(c.column));
  switch (c.op) {
    case Op::less:
      return n < c.number;
    case Op::at_most:
      return n <= c.number;
    case Op::more:
      return n > c.number;
    case Op::at_least:
      return n >= c.number;
    case Op::differs:
      return n != c.number;
    case Op::equal:
    case Op::contains:
      return n == c.number;
  }
}

bool Filter::matches(const FilterRow& row) const {
  if (empty()) return true;
  return std::any_of(any_of_.begin(), any_of_.end(), [&](const auto& list) {
    return std::all_of(list.begin(), list.end(), [&](const auto& c) { return holds(c, row); });
  });
}

Term Filter::only() const {
  if (any_of_.size() != 1) return kNone;
  for (const Condition& c : any_of_[0]) {
    if (c.exact_pid && c.op == Op::equal && is_value(c.id)) return c.id;
  }
  return kNone;
}

bool Filter::may_match(const FilterRow& row) const {
  if (empty()) return true;
  return std::any_of(any_of_.begin(), any_of_.end(), [&](const auto& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](const auto& c) { return !row.knows(c.column) || holds(c, row); });
  });
}
bool Filter::is_narrowed(const FilterRow& row) const {
  return std::all_of(any_of_.begin(), any_of_.end(), [&](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& c) { return row.knows(c.column); });
  });
}
bool Filter::is_known(const FilterRow& row) const {
  return std::all_of(any_of_.begin(), any_of_.end(), [&](const auto& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](const auto& c) { return row.knows(c.column); });
  });
}

}  // namespace wb
