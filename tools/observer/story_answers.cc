#include "tools/observer/story_answers.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/own_files.h"
#include "tools/observer/json_value.h"
#include "tools/observer/units.h"
#include "vm/explore/story_file.h"
#include "vm/observe/json.h"
#include "vm/observe/request.h"

namespace wb {
namespace {

std::string read_whole(const std::string& path, std::string* error) {
  size_t size = 0;
  const FileDescriptor fd(open_regular_file(path, &size));
  if (fd < 0) return *error = strerror(errno), "";
  std::string text(std::min(size, kMostStoryBytes + 1), '\0');  // one too many is refused
  if (const int wrong = read_all(fd, text.data(), text.size())) *error = strerror(wrong);
  return text;
}

std::optional<StoryFile> read_story(const std::string& path, std::string* error) {
  const std::string text = read_whole(path, error);
  if (error->empty()) {
    Result<StoryFile, std::string> read = story_of_file(text);
    if (read) return std::move(*read);
    *error = read.error();
  }
  *error = fmt::format("{}: no story of `explore --save`: {}", path, *error);
  return std::nullopt;
}

/// Written anew: what it has that we do not know is gone.
std::string json_of(const StoryFile& story) {
  return to_file(story, to_json(story.telling, SIZE_MAX));
}

}  // namespace

bool StoryAnswers::is_story(const std::string& path) {
  size_t size = 0;
  const FileDescriptor fd(open_regular_file(path, &size));
  if (fd < 0) return false;
  if (path.ends_with(".story")) return true;
  char begin[kStoryBegin.size()];
  return size >= sizeof begin && read_all(fd, begin, sizeof begin) == 0 &&
         std::string_view(begin, sizeof begin) == kStoryBegin;
}

std::unique_ptr<StoryAnswers> StoryAnswers::open(const std::string& path, std::string* error) {
  const std::optional<StoryFile> story = read_story(path, error);
  if (!story) return nullptr;
  std::unique_ptr<StoryAnswers> answers(new StoryAnswers);
  answers->program_ = story->program, answers->json_ = json_of(*story);
  return answers;
}

std::string StoryAnswers::answer(std::string_view request) {
  ObserverRequest r;
  std::string error, out;
  JsonWriter w(out);
  const bool parsed = r.parse(request, &error);
  const std::string_view what = r.text("do");
  w.open('{').number("id", parsed ? r.number("id", 0, 0, int64_t{1} << 53) : 0);
  if (parsed && what == "hello") {
    w.boolean("ok", true).object("data").boolean("story", true).text("program", program_);
    w.number("pid", 0).boolean("actions", false).close('}');
  } else if (parsed && what == "story") {
    w.boolean("ok", true).key("data").raw(json_);
  } else {
    if (parsed) error = fmt::format("not of a story: {}", what);
    w.boolean("ok", false).text("error", error);
  }
  w.close('}');
  return out;
}

bool print_story(const std::string& path, bool json, std::string* error) {
  const std::optional<StoryFile> story = read_story(path, error);
  if (!story) return false;
  const std::string text = json ? json_of(*story) + "\n" : text_of(*story);
  for (size_t at = 0; at < text.size();) {  // what is in it moves no cursor
    const size_t end = std::min(text.find('\n', at), text.size());
    fmt::print("{}\n", one_line(text.substr(at, end - at)));
    at = end + 1;
  }
  return true;
}

}  // namespace wb
