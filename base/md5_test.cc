#include "base/md5.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace wb;

static std::string hex(const Md5Digest& d) {
  std::string s;
  for (uint8_t b : d) {
    s += "0123456789abcdef"[b >> 4];
    s += "0123456789abcdef"[b & 15];
  }
  return s;
}

static std::string of(std::string_view s) {
  return hex(md5({reinterpret_cast<const uint8_t*>(s.data()), s.size()}));
}

TEST_CASE("md5: the suite of RFC 1321") {
  CHECK(of("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(of("a") == "0cc175b9c0f1b6a831c399e269772661");
  CHECK(of("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(of("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(of("abcdefghijklmnopqrstuvwxyz") == "c3fcd3d76192e4007dfb496cca67e13b");
  CHECK(of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") ==
        "d174ab98d277d9f5a5611c2c9f419d9f");
  CHECK(of("1234567890123456789012345678901234567890123456789012345678901234567890123456789"
           "0") == "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("md5: any split gives the same digest, and asking does not disturb it") {
  std::vector<uint8_t> data(300);
  for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<uint8_t>(i * 7);
  for (size_t n = 0; n <= data.size(); n++) {
    std::span<const uint8_t> all(data.data(), n);
    Md5 m;
    m.update(all.first(n / 3));
    (void)m.digest();
    m.update(all.subspan(n / 3));
    CHECK(m.digest() == md5(all));
  }
}
