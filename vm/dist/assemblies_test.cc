#include "vm/dist/assemblies.h"

#include <catch2/catch.hpp>
#include <string>

#include "term/atom.h"

using namespace wb;
using Added = Assemblies::Added;

namespace {

const uint8_t* bytes_of(const std::string& s) { return reinterpret_cast<const uint8_t*>(s.data()); }
bool begin(Assemblies& a, uint64_t number, uint64_t left, const std::string& bytes) {
  const Term atoms[] = {am::ok, am::error};
  return a.begin(number, left, atoms, bytes_of(bytes), bytes.size());
}
Added add(Assemblies& a, uint64_t number, uint64_t left, const std::string& bytes,
          Assemblies::Whole* whole) {
  return a.add(number, left, bytes_of(bytes), bytes.size(), whole);
}
std::string text_of(const Assemblies::Whole& w) {
  return {reinterpret_cast<const char*>(w.bytes->data), w.bytes->size};
}

}  // namespace

TEST_CASE("messages in fragments are put together, several at a time") {
  Assemblies a;
  CHECK(begin(a, 1, 2, "abc"));
  CHECK(begin(a, 2, 1, "ABC"));
  Assemblies::Whole one, two;
  CHECK(add(a, 1, 2, "def", &one) == Added::more);
  CHECK(a.bytes() == 9);
  CHECK(add(a, 2, 1, "", &two) == Added::whole);
  CHECK(text_of(two) == "ABC");
  CHECK(add(a, 1, 1, "g", &one) == Added::whole);
  CHECK(text_of(one) == "abcdefg");
  CHECK(one.atoms == std::vector<Term>{am::ok, am::error});
  CHECK(a.count() == 0);
  CHECK(a.bytes() == 0);
}

TEST_CASE("fragments of unequal size, one larger than all before") {
  Assemblies a;
  std::string text(10, 'a');
  CHECK(begin(a, 7, 3, text));
  Assemblies::Whole whole;
  for (uint64_t left = 3; left > 0; --left) {
    const std::string more(left == 2 ? 300'000 : 5, static_cast<char>('a' + left));
    text += more;
    CHECK(add(a, 7, left, more, &whole) == (left == 1 ? Added::whole : Added::more));
  }
  CHECK(text_of(whole) == text);
}

TEST_CASE("fragments that do not fit are refused") {
  Assemblies a;
  Assemblies::Whole whole;
  CHECK(add(a, 1, 1, "x", &whole) == Added::refused);  // nobody has begun
  CHECK(begin(a, 1, 3, "x"));
  CHECK_FALSE(begin(a, 1, 3, "x"));                    // twice
  CHECK(add(a, 1, 2, "x", &whole) == Added::refused);  // one is missing
  CHECK(add(a, 1, 4, "x", &whole) == Added::refused);
  CHECK(add(a, 1, 3, "x", &whole) == Added::more);
  CHECK(add(a, 1, 3, "x", &whole) == Added::refused);  // once more
  CHECK_FALSE(begin(a, 2, uint64_t{1} << 33, "x"));
  CHECK(whole.bytes == nullptr);
}

TEST_CASE("a number of fragments that is a lie costs no memory that counts") {
  Assemblies a;
  for (uint64_t number = 0; number < 50; ++number) {
    CHECK(begin(a, number, uint64_t{1} << 32, std::string(1000, 'x')));
  }
  CHECK(a.count() == 50);
  CHECK(a.bytes() == 50'000);
}
