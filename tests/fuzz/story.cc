// libFuzzer: any bytes, taken for the file of a story (`whitebeam observe FILE.story`). What is
// read of it can be told, and is written so that it is read again: the same, once bytes that are no
// text have become characters.
#include "base/base.h"
#include "vm/explore/story_file.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto story = story_of_file({reinterpret_cast<const char*>(data), size});
  if (!story) return 0;
  auto anew = [](const StoryFile& s) { return to_file(s, to_json(s.telling, SIZE_MAX)); };
  const auto again = story_of_file(anew(*story));
  WB_CHECK(again && again->telling.events.size() == story->telling.events.size());
  const auto third = story_of_file(anew(*again));
  WB_CHECK(third && anew(*third) == anew(*again) && text_of(*third) == text_of(*again));
  return 0;
}
