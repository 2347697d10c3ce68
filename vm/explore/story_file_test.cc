#include "vm/explore/story_file.h"

#include <catch2/catch.hpp>

#include <fmt/format.h>

namespace wb {
namespace {

StoryEvent event(uint32_t number, StoryKind kind, uint32_t process) {
  StoryEvent e;
  e.number = number, e.kind = kind, e.process = process;
  return e;
}

StoryFile example() {
  StoryFile s;
  s.program = "sh\"op", s.repeat = "whitebeam run --schedule a shop.erl";
  s.ending.kind = EndingKind::crash, s.ending.text = "main ended with {badmatch,1}\n      in <b>";
  s.switches = {"after operation 1 of main the clock moves"};
  s.telling.lifelines = {{"main", "<0.4.4>", ""}, {"main.1", "<0.5.5>", "'a server'"}};
  std::vector<StoryEvent>& all = s.telling.events;
  all.push_back(event(1, StoryKind::sends, 0));
  all[0].target = "<0.5.5>", all[0].message = "</script>\x1b[2J\xff", all[0].to = 1;
  all[0].place = "shop.erl:3";
  all.push_back(event(2, StoryKind::switches, StoryEvent::kNobody));
  all.push_back(event(3, StoryKind::clock, StoryEvent::kNobody));
  all[2].moved_ns = 1'500'000, all[2].at_ns = 7;
  all.push_back(event(4, StoryKind::receives, 1));
  all[3].from = 1, all[3].message = "x", all[3].name = "'a server'";
  all.push_back(event(5, StoryKind::calls, 1));
  all[4].text = "ets:insert(t, {a,1})", all[4].result = "true", all[4].name = "'a server'";
  return s;
}
std::string file_of(const StoryFile& s) { return to_file(s, to_json(s.telling, SIZE_MAX)); }
std::string why_not(std::string_view text) {
  auto read = story_of_file(text);
  return read ? "" : read.error();
}
/// A whole file with these events.
std::string with_events(std::string_view events) {
  return fmt::format(
      R"({{"whitebeam_story":1,"program":"p","ending":{{"class":"crash","text":"t"}},"switches":[],)"
      R"("telling":{{"lifelines":[{{"path":"main","pid":"<0.4.4>","name":""}}],"events":[{}]}}}})",
      events);
}
bool says(const std::string& why, std::string_view part) {
  INFO(why);
  return why.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("story: what is written is read, and written again the same") {
  const std::string text = file_of(example());
  CHECK(text.starts_with(kStoryBegin));
  auto read = story_of_file(text);
  REQUIRE(read);
  CHECK(file_of(*story_of_file(file_of(*read))) == file_of(*read));
  CHECK(read->telling.events[0].to == 1);
  CHECK(read->telling.events[3].from == 1);
  CHECK(read->telling.events[2].process == StoryEvent::kNobody);
  CHECK(read->ending.kind == EndingKind::crash);
}

TEST_CASE("story: the text has who, where and what, and not what only the picture shows") {
  CHECK(text_of(example().telling) ==
        "  main\n    shop.erl:3               <0.5.5> ! </script>\x1b[2J\xff\n"
        "  the clock moves on by 1.500 ms\n"
        "  main.1 <0.5.5> 'a server'\n                             receives x\n"
        "                             ets:insert(t, {a,1}) -> true\n");
}

TEST_CASE("story: what is cut short is refused wherever it is cut") {
  const std::string text = file_of(example());
  for (size_t size = 0; size < text.size(); ++size) CHECK(why_not(text.substr(0, size)) != "");
  CHECK(says(why_not(text.substr(0, text.size() / 2)), "cut short"));
  CHECK(says(why_not(text + "more"), "behind the end"));
}

TEST_CASE("story: what belongs to no story, or leads nowhere, is refused, and why") {
  CHECK(why_not(with_events(R"({"number":1,"kind":"sends","process":0})")) == "");
  CHECK(says(why_not(with_events(R"({"number":1,"kind":"nonsense"})")), "unknown kind"));
  CHECK(says(why_not(with_events(R"({"number":1,"process":1})")), "no lifeline 1"));
  CHECK(says(why_not(with_events(R"({"number":1,"to":4000000000})")), "no lifeline"));
  CHECK(says(why_not(with_events(R"({"number":0})")), "stands behind"));
  CHECK(says(why_not(with_events(R"({"number":2},{"number":1})")), "stands behind"));
  CHECK(says(why_not(with_events(R"({"number":1,"from":1})")), "of a later one"));
  CHECK(says(why_not(with_events(R"({"number":1,"at_ns":18446744073709551615})")), "time"));
  for (const char* wrong : {R"({"number":"1"})", R"({"number":-1})", R"({"number":99999999999})",
                            R"({"number":1e3})", R"({"number":1,"text":7})",
                            R"({"number":1,"text":null})", R"([1])", "7", R"({"number":1,})"})
    CHECK(why_not(with_events(wrong)) != "");
  CHECK(says(why_not(R"({"whitebeam_story":2,"telling":{"events":[]}})"), "version"));
  CHECK(says(why_not(R"({"whitebeam_story":1})"), "no events"));
  CHECK(says(why_not(R"({"whitebeam_story":1,"ending":{"class":"bliss"}})"), "unknown ending"));
  for (const char* none : {"", "[]", "null", "{}", "\xff\xfe", "{\"a\":\"\\ud800\"}"})
    CHECK(why_not(none) != "");
}

TEST_CASE("story: what is deep, long or new does no harm") {
  const auto with = [](std::string_view more) {
    return with_events(fmt::format(R"({{"number":1,"later":{}}})", more));
  };
  CHECK(why_not(with(R"({"a":[1,-2.5e3,null,true,"x",{}]})")) == "");
  CHECK(says(why_not(with(std::string(1 << 20, '['))), "too deep"));
  std::string objects;
  for (int k = 0; k < 100'000; ++k) objects += "{\"a\":";
  CHECK(says(why_not(with(objects)), "too deep"));
  CHECK(says(why_not(std::string(kMostStoryBytes + 1, ' ')), "no story"));
  std::string events;
  for (int k = 1; k <= 200'001; ++k)
    events += fmt::format("{}{{\"number\":{}}}", k > 1 ? "," : "", k);
  CHECK(says(why_not(with_events(events)), "too many events"));
}

TEST_CASE("story: of what has no room the middle is left out") {
  Telling told;
  told.lifelines = {{"main", "<0.4.4>", ""}};
  for (uint32_t k = 1; k <= 1000; ++k) told.events.push_back(event(k, StoryKind::ends, 0));
  for (size_t most : {100u, 2'000u, 20'000u}) {
    const std::string json = to_json(told, most);
    CHECK(json.size() <= most);
    auto read = story_of_file(to_file(StoryFile(), json));
    REQUIRE(read);
    const std::vector<StoryEvent>& left = read->telling.events;
    if (most == 100) continue;
    CHECK(left.front().number == 1);
    CHECK(left.back().number == 1000);
    CHECK(says(text_of(*read), fmt::format("... {} more events ...", 1000 - left.size())));
  }
}

}  // namespace wb
