#include "vm/io/outside.h"

#include <catch2/catch.hpp>
#include <vector>

namespace wb {
namespace {

/// What a seed says to so many operations.
std::vector<int> rolls(uint64_t seed, int n) {
  constexpr Fault kBoth[] = {Fault::full_disk, Fault::slow_read};
  FaultDice dice(seed);
  std::vector<int> all;
  for (int k = 0; k < n; ++k) {
    const std::optional<Fault> fault = dice.roll(kBoth);
    all.push_back(fault ? static_cast<int>(*fault) : -1);
  }
  return all;
}

/// Everything goes wrong; keeps where.
struct Worst final : Outside {
  using Outside::Outside;
  std::vector<std::string> places;
  std::optional<Fault> choose(const OutsidePlace& place, std::span<const Fault> possible) override {
    places.push_back(place_text(place));
    return possible.back();
  }
};

}  // namespace

TEST_CASE("outside: lists of faults") {
  auto both = parse_faults("slow-read,full-disk");
  REQUIRE(both);
  CHECK((*both).has(Fault::full_disk));
  CHECK((*both).has(Fault::slow_read));
  auto one = parse_faults("full-disk");
  REQUIRE(one);
  CHECK_FALSE((*one).has(Fault::slow_read));
  for (const char* bad : {"", ",", "full-disk,", "full_disk", "full-disk slow-read"})
    CHECK_FALSE(parse_faults(bad));
}

TEST_CASE("outside: a seed repeats its faults; some seeds have none, some many") {
  size_t none = 0, many = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<int> all = rolls(seed, 200);
    CHECK(all == rolls(seed, 200));
    const auto n = std::ranges::count_if(all, [](int f) { return f >= 0; });
    none += n == 0, many += n > 60;
  }
  CHECK(none > 5);
  CHECK(none < 60);
  CHECK(many > 5);
}

TEST_CASE("outside: an operation is named by what, on what, and how often") {
  FaultSet wanted;
  wanted.add(Fault::full_disk);
  Worst worst(wanted);
  CHECK(worst.strikes("write", "/a b", {Fault::full_disk}) == Fault::full_disk);
  CHECK_FALSE(worst.strikes("read", "/a b", {Fault::slow_read}));
  CHECK(worst.strikes("write", "/c", {Fault::slow_read, Fault::full_disk}));
  CHECK(worst.strikes("write", "/a b", {Fault::full_disk}));
  CHECK(worst.places ==
        std::vector<std::string>{"write 1 of /a?b", "write 1 of /c", "write 2 of /a?b"});
}

}  // namespace wb
