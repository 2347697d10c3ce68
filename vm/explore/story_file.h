// A story as data: lifelines, and what happens on them, one event after the other. The text that
// people read is made of it, and the file that `explore --save` keeps and `whitebeam observe FILE`
// draws: JSON, which begins with kStoryBegin.
//
// Of a file nothing is believed: it is small enough, it has what belongs there and no more of it
// than can be shown, and every number that leads to something leads to something that is there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "vm/explore/ending.h"

namespace wb {

enum class StoryKind : uint8_t {
#define STORY_EVENT(name, told, what) name,
#include "vm/explore/story_events.def"
};
constexpr size_t kStoryKinds = 0
#define STORY_EVENT(name, told, what) +1
#include "vm/explore/story_events.def"
    ;
const char* story_kind_name(StoryKind kind);
/// The text has a line of it.
bool is_told(StoryKind kind);

/// A process of the program.
struct Lifeline {
  std::string path;  ///< Spot::who
  std::string pid;
  std::string name;  ///< the last it was registered with
};

struct StoryEvent {
  static constexpr uint32_t kNobody = ~uint32_t{0};  ///< of the outside, or nobody

  uint32_t number = 0;  ///< from 1, in order
  StoryKind kind = StoryKind::calls;
  uint32_t process = kNobody;  ///< its lifeline; nobody: the clock, the system
  std::string name;            ///< it is registered with now
  std::string place;           ///< FILE:LINE, or a function
  std::string text;            ///< what it does, if it is no message by itself
  std::string message;         ///< that it sends or receives
  std::string target;          ///< to whom it sends, as the program has it
  std::string result;          ///< of an operation; empty: it does not return
  uint32_t to = kNobody;       ///< the lifeline that it concerns
  uint32_t from = 0;           ///< of what is received: the event that sent it; 0: it is not known
  uint64_t at_ns = 0;          ///< virtual time since the first
  uint64_t moved_ns = 0;       ///< by so much the clock moves on
};

struct Telling {
  std::vector<Lifeline> lifelines;
  std::vector<StoryEvent> events;
  uint64_t left_out = 0;  ///< lines of the text, in the middle of a very long run
};

struct StoryFile {
  std::string program = {};
  Finding ending = {};
  std::vector<std::string> switches = {};
  std::string repeat = {};  ///< the command that repeats it, or empty
  Telling telling = {};
};

/// For people: of a long one the beginning and the end.
std::string text_of(const Telling& told);
/// The whole file as text.
std::string text_of(const StoryFile& story);

constexpr std::string_view kStoryBegin = "{\"whitebeam_story\":";
constexpr size_t kMostStoryBytes = size_t{32} << 20;

/// Of so many bytes at most: what has no room is left out in the middle.
std::string to_json(const Telling& told, size_t most);
/// `telling`: as to_json has made it; story.telling is not used.
std::string to_file(const StoryFile& story, std::string_view telling);
Result<StoryFile, std::string> story_of_file(std::string_view text);

}  // namespace wb
