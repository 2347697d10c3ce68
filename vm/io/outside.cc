#include "vm/io/outside.h"

#include <array>

#include <fmt/format.h>

#include "vm/process/event_log.h"

namespace wb {
namespace {

struct Facts {
  const char *name, *text;
};
constexpr Facts kFacts[] = {
#define FAULT(name, flag, text) {flag, text},
#include "vm/io/faults.def"
};
constexpr size_t kFaults = std::size(kFacts);

/// A word, whatever a file is called: it stands in lines of schedules and logs.
std::string word_of(std::string_view thing) {
  std::string word(thing);
  for (char& c : word) {
    if (static_cast<unsigned char>(c) <= ' ') c = '?';
  }
  return word;
}

}  // namespace

const char* fault_name(Fault f) { return kFacts[static_cast<size_t>(f)].name; }
const char* fault_text(Fault f) { return kFacts[static_cast<size_t>(f)].text; }
std::optional<Fault> fault_named(std::string_view name) {
  for (size_t k = 0; k < kFaults; ++k) {
    if (name == kFacts[k].name) return static_cast<Fault>(k);
  }
  return std::nullopt;
}

Result<FaultSet, std::string> parse_faults(const std::string& list) {
  FaultSet set;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string name = list.substr(at, end - at);
    const std::optional<Fault> fault = fault_named(name);
    if (!fault) {
      std::string names;
      for (const Facts& f : kFacts) names += fmt::format("{}{}", names.empty() ? "" : ", ", f.name);
      return fmt::format("'{}' is none of {}", name, names);
    }
    set.add(*fault);
    at = end + 1;
  }
  return set;
}

std::string place_text(const OutsidePlace& place) {
  const size_t colon = place.what.find(':');
  if (colon == std::string::npos) return fmt::format("{} {}", place.what, place.nth);
  return fmt::format("{} {} of {}", place.what.substr(0, colon), place.nth,
                     place.what.substr(colon + 1));
}

// The generator of who runs when begins with the seed itself.
FaultDice::FaultDice(uint64_t seed) : random_(Oracle::seeded(~seed * 0xd1342543de82ef95u)) {
  constexpr uint32_t kOneIn[] = {0, 2, 4, 16, 64};
  one_in_ = kOneIn[random_->choose(std::size(kOneIn))];
}
std::optional<Fault> FaultDice::roll(std::span<const Fault> possible) {
  if (!one_in_ || random_->choose(one_in_) != 0) return std::nullopt;
  return possible[random_->choose(static_cast<uint32_t>(possible.size()))];
}

std::optional<Fault> Outside::strikes(std::string_view operation, std::string_view thing,
                                      std::initializer_list<Fault> possible) {
  std::array<Fault, kFaults> wanted;
  size_t n = 0;
  for (Fault f : possible) {
    if (wanted_.has(f)) wanted[n++] = f;
  }
  if (n == 0) return std::nullopt;
  OutsidePlace place{fmt::format("{}:{}", operation, word_of(thing)), 0};
  place.nth = ++done_[place.what];
  return choose(place, {wanted.data(), n});
}

std::optional<Fault> SeededOutside::choose(const OutsidePlace& place,
                                           std::span<const Fault> possible) {
  const std::optional<Fault> fault = dice_.roll(possible);
  if (fault && vm_.event_log) vm_.event_log->fault(fault_name(*fault), place_text(place));
  return fault;
}

}  // namespace wb
