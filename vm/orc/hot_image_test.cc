#include "vm/orc/hot_image.h"

#include <catch2/catch.hpp>

#include "bytecode/instructions.h"

namespace wb {
namespace {

HotFunction sample() {
  HotFunction f;
  f.digest = 77;
  f.callees = {{"lists", "map", 2}, {"m", "-f/0-fun-0-", 1}};
  f.funs = {{1, 1, 0, 3}};
  f.exports = {{0, {"lists", "map", 2}}};
  f.floats = {{2, 8}};
  f.code.bytes.assign(100, 0xcc);
  f.code.symbols = {{Symbol::Kind::atom, 0, 1}, {Symbol::Kind::code, 1, 4}};
  f.code.fixups = {{.at = 8,
                    .field = CodeImage::Field::absolute64,
                    .refers = CodeImage::Refers::symbol,
                    .to = 1,
                    .addend = 3},
                   {.at = 20,
                    .field = CodeImage::Field::absolute32,
                    .refers = CodeImage::Refers::symbol,
                    .to = 0,
                    .addend = -1},
                   {.at = 96,
                    .field = CodeImage::Field::relative32,
                    .refers = CodeImage::Refers::handler,
                    .to = 2,
                    .addend = -4}};
  f.code.entries = {{0, 0}, {6, 48}};
  f.code.lines = {{0, 0}, {40, 6}};
  f.code.handlers = {2};
  return f;
}

template <class T>
T field_at(const std::vector<uint8_t>& bytes, size_t at) {
  T t;
  memcpy(&t, bytes.data() + at, sizeof t);
  return t;
}

}  // namespace

TEST_CASE("hot images: what is written is read", "[orc]") {
  const std::vector<uint8_t> bytes = write_hot_function(sample());
  const auto f = read_hot_function(bytes);
  REQUIRE(f);
  CHECK(f->callees[1].function == "-f/0-fun-0-");
  CHECK(f->funs[0].lambda == 3);
  CHECK(f->exports[0].target.module == "lists");
  CHECK(write_hot_function(*f) == bytes);
  HotFunctions all, again;
  all.put({"f", 1, 0, bytes});
  all.put({"f", 2, 2, {1, 2, 3}});
  all.put({"f", 1, 0, {9}});
  REQUIRE(again.read(all.write()));
  CHECK(again.find("f", 1)->bytes == std::vector<uint8_t>{9});
  CHECK(again.find("f", 2)->bytes.size() == 3);
  CHECK(again.find("f", 2)->tries == 2);
  CHECK(!again.find("g", 1));
  CHECK(again.write() == all.write());
}

TEST_CASE("hot images: what is damaged is none, or is refused", "[orc]") {
  const std::vector<uint8_t> bytes = write_hot_function(sample());
  for (size_t n = 0; n < bytes.size(); ++n) {
    const bool is_whole = n + sizeof(uint32_t) >= bytes.size();  // but for what fills the last word
    CHECK((is_whole || !read_hot_function(std::span(bytes).first(n))));
    std::vector<uint8_t> other = bytes;
    other[n] ^= 0xff;
    const auto f = read_hot_function(other);
    if (!f || !f->code.is_sound(16)) continue;
    const std::vector<Word> values(f->code.symbols.size(), 5), handlers(kHandlerCount);
    std::vector<uint8_t> there(f->code.bytes.size());
    f->code.place(there.data(), there.data(), values, handlers.data());
  }
  HotFunctions all, none;
  all.put({"f", 1, 0, bytes});
  const std::vector<uint8_t> file = all.write();
  for (size_t n = 0; n < file.size(); ++n) CHECK(!none.read(std::span(file).first(n)));
  CHECK(none.empty());
}

TEST_CASE("code images: fields are written for where they are", "[orc]") {
  CodeImage image = sample().code;
  CHECK(image.is_sound(16));
  CHECK(!image.is_sound(6));  // an entry beyond the function
  std::vector<Word> handlers(kHandlerCount);
  std::vector<uint8_t> there(image.bytes.size());
  const Word here = reinterpret_cast<Word>(there.data());
  handlers[2] = here + 1000;
  REQUIRE(image.place(there.data(), there.data(), std::vector<Word>{0x123, 0x7fff12345678},
                      handlers.data()));
  CHECK(field_at<uint64_t>(there, 8) == 0x7fff1234567b);
  CHECK(field_at<int32_t>(there, 20) == 0x122);
  CHECK(field_at<int32_t>(there, 96) == 1000 - 96 - 4);
  SECTION("an atom that is too large") {
    CHECK(!image.place(there.data(), there.data(), std::vector<Word>{Word{1} << 32, 0},
                       handlers.data()));
  }
  SECTION("a handler that is too far away") {
    handlers[2] = here + (Word{1} << 40);
    CHECK(!image.place(there.data(), there.data(), std::vector<Word>{1, 0}, handlers.data()));
  }
  SECTION("a field beyond the end") {
    image.fixups[2].at = 97;
    CHECK(!image.is_sound(16));
  }
  SECTION("a symbol that is not there") {
    image.fixups[0].to = 2;
    CHECK(!image.is_sound(16));
  }
}

}  // namespace wb
