#include "vm/port/channel_input.h"

#include <catch2/catch.hpp>
#include <string>

using namespace wb;

namespace {

/// Reads `n` bytes of a stream that counts, at most as many as there is room for.
size_t read_counted(ChannelInput& in, size_t need, size_t n, size_t* next) {
  uint8_t* to = in.room(need);
  const size_t m = std::min(n, in.space());
  for (size_t k = 0; k < m; ++k) to[k] = static_cast<uint8_t>((*next)++ * 7);
  in.came(m);
  return m;
}
bool counts_from(const ChannelInput& in, size_t first) {
  for (size_t k = 0; k < in.size(); ++k) {
    if (in.data()[k] != static_cast<uint8_t>((first + k) * 7)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("channel input keeps what is not consumed, however reads and packets fall") {
  for (size_t packet : {1, 100, 65'000, 300'000, 1'000'000}) {
    for (size_t read : {1'000, 65'536, 400'000}) {
      ChannelInput in;
      size_t come = 0, done = 0;
      while (done < 3'000'000) {
        REQUIRE(read_counted(in, packet, read, &come) > 0);  // there is always room
        REQUIRE(counts_from(in, done));
        while (in.size() >= packet) {
          in.consume(packet);
          done += packet;
          if (packet < 1000) {
            const size_t rest = in.size() / packet * packet;
            in.consume(rest);
            done += rest;
          }
        }
        REQUIRE(in.size() == come - done);
      }
      CHECK(in.capacity() <= 2 * std::max(packet + read, ChannelInput::kUsual));
    }
  }
}

TEST_CASE("channel input does not believe what a packet claims") {
  ChannelInput in;
  size_t next = 0;
  read_counted(in, 0, 10, &next);
  for (int k = 0; k < 100; ++k) read_counted(in, size_t{4} << 30, 10, &next);
  CHECK(in.size() == 1010);
  CHECK(in.capacity() == ChannelInput::kUsual);
}

TEST_CASE("channel input gives room back after a large packet") {
  ChannelInput in;
  size_t next = 0;
  while (in.size() < 5'000'000) read_counted(in, 5'000'000, 1 << 20, &next);
  CHECK(in.capacity() >= 5'000'000);
  in.consume(in.size());
  in.room(0);
  CHECK(in.capacity() == ChannelInput::kUsual);
  CHECK(in.size() == 0);
}

TEST_CASE("channel input takes over what was read before") {
  ChannelInput in;
  const std::string text(600'000, 'x');
  in.append("a");
  in.append(text);
  in.append({});
  REQUIRE(in.size() == text.size() + 1);
  CHECK(in.data()[0] == 'a');
  CHECK(in.data()[text.size()] == 'x');
  in.consume(in.size() + 5);  // no more than there is
  CHECK(in.size() == 0);
}
