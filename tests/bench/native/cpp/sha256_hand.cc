// SHA-256 written out; its constants are computed.
#include <cstdint>

#include "tests/bench/native/bench.h"

namespace {

using Wide = unsigned __int128;

uint32_t cube_root_fraction(uint64_t p) {
  uint64_t low = 0, high = uint64_t{1} << 36;
  while (high - low > 1) {
    uint64_t middle = (low + high) / 2;
    (Wide{middle} * middle * middle <= Wide{p} << 96 ? low : high) = middle;
  }
  return static_cast<uint32_t>(low);
}

std::vector<uint32_t> constants() {
  std::vector<uint32_t> all;
  for (uint64_t n = 2; all.size() < 64; ++n) {
    bool prime = true;
    for (uint64_t d = 2; d * d <= n; ++d) prime &= n % d != 0;
    if (prime) all.push_back(cube_root_fraction(n));
  }
  return all;
}

uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

std::string run() {
  std::string data;
  for (int n = 1; n <= 200'000; ++n) data += static_cast<char>(n);
  uint64_t bits = data.size() * 8;
  data += static_cast<char>(0x80);
  while (data.size() % 64 != 56) data += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) data += static_cast<char>(bits >> shift);

  const std::vector<uint32_t> ks = constants();
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (size_t block = 0; block < data.size(); block += 64) {
    uint32_t w[64];
    for (size_t i = 0; i < 16; ++i) {
      w[i] = 0;
      for (size_t k = 0; k < 4; ++k)
        w[i] = w[i] << 8 | static_cast<uint8_t>(data[block + i * 4 + k]);
    }
    for (size_t i = 16; i < 64; ++i) {
      uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (size_t i = 0; i < 64; ++i) {
      uint32_t t1 =
          h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + ks[i] + w[i];
      uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e, state[5] += f,
        state[6] += g, state[7] += h;
  }
  std::string digest;
  for (uint32_t x : state) {
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(x >> shift);
  }
  return bench::binary(digest);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
