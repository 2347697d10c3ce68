#include "vm/explore/schedule.h"

#include <catch2/catch.hpp>

#include "vm/explore/explorer.h"
#include "vm/explore/strategy.h"

namespace wb {
namespace {

Schedule example() {
  Schedule s;
  s.program = "sh\\op\n", s.code = "0123", s.function = "main",
  s.args = {"a b", "two\nlines\\", ""};
  s.ending = "crash: main ended with {badmatch,1}", s.patience_ms = 1000;
  s.modules = {"lists", "shop"}, s.services = {"logger"};
  s.switches = {{{"", 0, 0}, "main.1"}, {{"main.2.1", 17, 3}, "clock"}};
  return s;
}

std::string why_not(const std::string& text) {
  auto read = schedule_of_file(text);
  return read ? "" : read.error();
}

/// One whose choices are looked at: three processes and the clock, at the first place.
struct Parties {
  Party one, two, three, clock;
  Party* all[4] = {&one, &two, &three, &clock};
  Parties() {
    one.path = "main", one.pid = 7, two.path = "main.1", two.pid = 23;
    three.path = "main.2", three.pid = 39, clock.path = "clock";
  }
  Choice choice() { return {all, 0, &one, {"main", 3, 0}}; }
};

}  // namespace

TEST_CASE("schedule: what is written is read") {
  const Schedule s = example();
  auto read = schedule_of_file(to_file(s));
  REQUIRE(read);
  CHECK(read->program == s.program);
  CHECK(read->code == s.code);
  CHECK(read->args == s.args);
  CHECK(read->ending == s.ending);
  CHECK(read->patience_ms == s.patience_ms);
  CHECK(read->modules == s.modules);
  CHECK(read->services == s.services);
  REQUIRE(read->switches.size() == 2);
  CHECK(read->switches[0].at == s.switches[0].at);
  CHECK(read->switches[1].at == s.switches[1].at);
  CHECK(read->switches[1].to == "clock");
}

TEST_CASE("schedule: what is cut short, or of another build, is refused wherever it is cut") {
  const std::string text = to_file(example());
  for (size_t size = 0; size < text.size(); ++size) CHECK(why_not(text.substr(0, size)) != "");
  CHECK(why_not(text + "more\n") != "");
  std::string other = text;
  other[other.find("build ") + 6] ^= 1;
  CHECK(why_not(other).find("another build") != std::string::npos);
  CHECK(why_not("whitebeam schedule 2\n").find("version") != std::string::npos);
}

TEST_CASE("strategy: a seed says all of a run, and others choose otherwise") {
  for (StrategyKind kind : {StrategyKind::random, StrategyKind::pct, StrategyKind::mixed}) {
    auto choices = [&](uint64_t seed) {
      auto strategy = make_strategy(kind, seed, 3, 20);
      Parties p;
      std::vector<size_t> chosen;
      for (int k = 0; k < 40; ++k) chosen.push_back(strategy->choose(p.choice()));
      return chosen;
    };
    size_t different = 0;
    for (uint64_t seed = 1; seed < 20; ++seed) {
      CHECK(choices(seed) == choices(seed));
      different += choices(seed) != choices(seed + 1);
      for (size_t c : choices(seed)) CHECK(c < 4);
    }
    CHECK(different > 10);
  }
}

TEST_CASE("strategy: of a schedule only what can be done there is done") {
  Parties p;
  auto to = [&](const Switches& s) { return follow(s)->choose(p.choice()); };
  CHECK(to({}) == 0);
  CHECK(to({{{"main", 3, 0}, "main.2"}}) == 2);
  CHECK(to({{{"main", 3, 0}, "clock"}}) == 3);
  CHECK(to({{{"main", 3, 0}, "main.9"}}) == 0);  // not among them
  CHECK(to({{{"main", 3, 1}, "main.2"}}) == 0);  // another turn
}

TEST_CASE("endings: numbers, pids and references do not tell two apart") {
  CHECK(masked("{badmatch,[{hits,12}]}") == masked("{badmatch,[{hits,3}]}"));
  CHECK(masked("<0.4.4> gone") == masked("<0.17.9> gone"));
  CHECK(masked("#Ref<0.0.0.1>") == masked("#Ref<0.1.2.3>"));
  CHECK(masked("{a1,b}") != masked("{a2,b}"));  // atoms
  CHECK(masked("{a,1}") != masked("{b,1}"));
}

TEST_CASE("strategy: a fault is a switch: written, read, and followed at its place only") {
  Schedule s = example();
  s.switches = {{{"write:/tmp/x", 2, 0}, "full-disk"}};
  auto read = schedule_of_file(to_file(s));
  REQUIRE(read);
  auto following = follow((*read).switches);
  constexpr Fault kBoth[] = {Fault::slow_read, Fault::full_disk};
  CHECK_FALSE(following->fault({"write:/tmp/x", 1, 0}, kBoth));
  CHECK_FALSE(following->fault({"write:/tmp/y", 2, 0}, kBoth));
  CHECK_FALSE(following->fault({"write:/tmp/x", 2, 0}, {kBoth, 1}));
  CHECK(following->fault({"write:/tmp/x", 2, 0}, kBoth) == Fault::full_disk);
  CHECK_FALSE(follow({})->fault({"write:/tmp/x", 2, 0}, kBoth));
}

}  // namespace wb
