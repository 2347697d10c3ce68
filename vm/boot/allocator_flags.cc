#include "vm/boot/allocator_flags.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace wb {
namespace {

using Text = std::string_view;

/// It begins with one: as in OTP nobody looks at what follows.
bool is_number(Text v) {
  long long number;
  const auto [end, error] = std::from_chars(v.data(), v.data() + v.size(), number);
  return error == std::errc() && number >= 0;
}
bool is_truth(Text v) { return v == "true" || v == "false"; }
bool is_utilisation(Text v) { return v == "de" || (is_number(v) && atoi(v.data()) <= 100); }
bool is_strategy(Text v) {
  constexpr Text kStrategies[] = {"bf", "aobf", "aoff",       "aoffcbf",  "aoffcaobf",
                                  "gf", "af",   "ageffcaoff", "ageffcbf", "ageffcaobf"};
  return std::find(std::begin(kStrategies), std::end(kStrategies), v) != std::end(kStrategies);
}
/// A pool of carriers that allocators share is named by one of their letters.
bool is_pool(Text v) { return v.size() == 1 && Text("BDEFHILRSTZ:@").find(v[0]) != Text::npos; }
bool is_process_memory(Text v) { return v == "all" || v == "no"; }

struct Parameter {
  Text name;
  bool (*valid)(Text value);
  Text shown = {};  ///< in complaints, where that is not the name
};

constexpr Parameter kOfAllocators[] = {
    {"asbcst", is_number}, {"as", is_strategy, "a"}, {"acul", is_utilisation},
    {"acnl", is_number},   {"acfml", is_number},     {"atags", is_truth},
    {"cp", is_pool},       {"e", is_truth},          {"lmbcs", is_number},
    {"mbcgs", is_number},  {"mbsd", is_number},      {"mmbcs", is_number},
    {"mmmbc", is_number},  {"mmsbc", is_number},     {"ramv", is_truth},
    {"rmbcmt", is_number}, {"rsbcmt", is_number},    {"rsbcst", is_number},
    {"sbct", is_number},   {"smbcs", is_number},     {"t", is_truth}};
constexpr Parameter kOfAll[] = {{"ycs", is_number}, {"mmc", is_number}, {"sac", is_truth}};
constexpr Parameter kOfSegments[] = {
    {"amcbf", is_number}, {"rmcbf", is_number}, {"mcs", is_number},   {"scs", is_number},
    {"sco", is_truth},    {"scrpm", is_truth},  {"scrfsd", is_number}};
constexpr Parameter kOfSystem[] = {{"e", is_truth}, {"tt", is_number}, {"tp", is_number}};
constexpr Parameter kOfLiterals[] = {{"pm", is_process_memory}};

/// Those that stand behind the letter of an allocator; `more`: tried after them.
struct Family {
  Text letters;
  const Parameter *begin, *end;
  const Parameter *more = nullptr, *more_end = nullptr;
};
constexpr Family kFamilies[] = {
    {"BDEFHILRSTZ", std::begin(kOfAllocators), std::end(kOfAllocators)},
    {"u", std::begin(kOfAllocators), std::end(kOfAllocators), std::begin(kOfAll), std::end(kOfAll)},
    {"M", std::begin(kOfSegments), std::end(kOfSegments)},
    {"Y", std::begin(kOfSystem), std::end(kOfSystem)},
    {"l", std::begin(kOfLiterals), std::end(kOfLiterals)},
};

const Parameter* find_in(const Parameter* begin, const Parameter* end, Text text) {
  auto found =
      std::find_if(begin, end, [&](const Parameter& p) { return text.starts_with(p.name); });
  return found == end ? nullptr : found;
}

std::string quoted(Text letters, Text what) {
  return "bad \"M" + std::string(letters) + "\" " + std::string(what);
}

}  // namespace

AllocatorFlag check_allocator_flag(Text text, Text next) {
  // A set of settings for all of them at once.
  if (text.starts_with("ea")) {
    Text value = text.size() > 2 ? text.substr(2) : next;
    if (value != "min" && value != "config") return {quoted("ea", "parameter")};
    return {"", text.size() == 2};
  }
  Text letter = text.substr(0, 1);
  for (const Family& family : kFamilies) {
    if (letter.empty() || family.letters.find(letter[0]) == Text::npos) continue;
    const Parameter* p = find_in(family.begin, family.end, text.substr(1));
    if (!p) p = find_in(family.more, family.more_end, text.substr(1));
    if (!p) return {quoted(letter, "parameter")};
    Text value = text.substr(1 + p->name.size());
    const bool takes_next = value.empty();
    if (takes_next) value = next;
    if (!p->valid(value)) {
      std::string name = std::string(letter) + std::string(p->shown.empty() ? p->name : p->shown);
      return {quoted(name, "value: ") + std::string(value)};
    }
    return {"", takes_next};
  }
  return {quoted("", "parameter")};
}

}  // namespace wb
