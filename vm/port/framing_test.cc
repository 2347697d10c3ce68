#include "vm/port/framing.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace wb;
using Mode = Framing::Mode;

namespace {

struct Got {
  std::vector<std::string> frames;
  static void append(void* self, FrameEnd frame_end, const uint8_t* bytes, size_t n) {
    std::string text(reinterpret_cast<const char*>(bytes), n);
    const char* end = frame_end == FrameEnd::eol ? "$" : frame_end == FrameEnd::noeol ? "+" : "";
    static_cast<Got*>(self)->frames.push_back(text + end);
  }
};
using Frames = std::vector<std::string>;

/// Fed in chunks of every size, the frames are the same.
Frames deframe(const Framing& f, const std::string& input) {
  Frames first;
  for (size_t chunk = input.size(); chunk > 0; --chunk) {
    Got got;
    Deframer d(f, Got::append, &got);
    for (size_t at = 0; at < input.size(); at += chunk) {
      std::string part = input.substr(at, chunk);
      d.feed(reinterpret_cast<const uint8_t*>(part.data()), part.size());
    }
    d.finish();
    if (chunk == input.size()) first = got.frames;
    REQUIRE(got.frames == first);
  }
  return first;
}

}  // namespace

TEST_CASE("lines: of the longest length, longer, empty, without an end") {
  CHECK(deframe({Mode::line, 4}, "abcd\nef\n\nxyzt\r\nlong") ==
        Frames{"abcd$", "ef$", "$", "xyzt$", "long+"});
  CHECK(deframe({Mode::line, 4}, "wxyz\ra\rbc\r\n\r\n\r") ==
        Frames{"wxyz+", "\ra\rb+", "c$", "$", "\r+"});
  CHECK(deframe({Mode::line, 1}, "ab\n") == Frames{"a+", "b$"});
  CHECK(deframe({Mode::line, 100}, "a\nb\n") == Frames{"a$", "b$"});
}

TEST_CASE("packets: headers of each size, empty ones, an incomplete end") {
  CHECK(deframe({Mode::packet, 1}, std::string("\3abc\0\1x\5ab", 10)) == Frames{"abc", "", "x"});
  CHECK(deframe({Mode::packet, 2}, std::string("\0\3abc\0\0\0\1x\0", 11)) ==
        Frames{"abc", "", "x"});
  CHECK(deframe({Mode::packet, 4}, std::string("\0\0\0\2hi\377\377\377\377zz", 12)) ==
        Frames{"hi"});
}

TEST_CASE("headers are big-endian, and data may be too long for one") {
  std::string out;
  CHECK(add_frame_header({Mode::stream, 0}, 1u << 20, &out));
  CHECK(out.empty());
  CHECK(add_frame_header({Mode::packet, 2}, 0x102, &out));
  CHECK(out == "\1\2");
  CHECK_FALSE(add_frame_header({Mode::packet, 1}, 256, &out));
  CHECK(add_frame_header({Mode::packet, 1}, 255, &out));
  CHECK_FALSE(add_frame_header({Mode::packet, 4}, uint64_t{1} << 32, &out));
}
