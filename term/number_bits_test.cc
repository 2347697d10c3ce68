// Integers in the bit syntax. The rows were produced by OTP 25; what goes in must come out.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "term/number.h"
#include "term/number_text.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

struct Row {
  size_t offset, size;
  bool little, is_signed;
  const char* value;    // hexadecimal
  unsigned fill;        // the bits around
  const char* bytes;    // <<Fill:Offset, Value:Size, Fill:16, 0:padding>>
  const char* matched;  // what <<_:Offset, X:Size, _/bits>> gives
};

const Row kRows[] = {
    {1, 135, true, true, "-2B4E589EEB9D98579C256161B8E36", 48349,
     "e538f274d49ec33d132308bb0d25feffffbcdd00", "-2B4E589EEB9D98579C256161B8E36"},
    {5, 132, true, false, "16646AEB3AC058F0E412A9E8CE7470FA84515FF69", 17040,
     "834ff8aa2d407a3f3c64f1520874782d61a14800", "3AC058F0E412A9E8CE7470FA84515FF69"},
    {0, 152, false, true, "F93DA1B5E21AD8E25B17781268A664AEDD30F7435E5943A6", 44743,
     "1ad8e25b17781268a664aedd30f7435e5943a6aec700", "1AD8E25B17781268A664AEDD30F7435E5943A6"},
    {9, 100, true, true, "154CB31B1F687E7E9632F8D95B81C2E0027ED2239F5E241E68602", 57242,
     "cd01437320f17a9c917693801766fcd000", "-3D1FFD812DDC60A1DBE1979FE"},
    {13, 56, false, false, "-9EC43A93B65C7111590", 64593, "e28ab624d1c7775387e28800",
     "56C49A38EEEA70"},
    {5, 137, false, true, "C", 7579, "d80000000000000000000000000000000030766c00", "C"},
    {13, 139, false, true, "-98AFD39AABE51DBE9B26548B09DBF6", 35548,
     "56e7ffff67502c65541ae24164d9ab74f6240a8adc00", "-98AFD39AABE51DBE9B26548B09DBF6"},
    {13, 84, false, false, "2", 28440, "78c000000000000000000001378c00", "2"},
    {3, 105, true, true, "-1DA7CE6674AACFD29", 31213, "bae04a76b3033064bfdffffffff79ed000",
     "-1DA7CE6674AACFD29"},
    {13, 134, false, true, "-7417D52EAD3A254C368F7BDE", 64787,
     "e89ffffffffff17d055a2a58bb56792e10845fa26000", "-7417D52EAD3A254C368F7BDE"},
    {1, 47, true, true, "-319BE8830AC9C8CE98699217038C717644", 1295, "de44c739fe68050f00",
     "-17038C717644"},
    {10, 78, false, false, "-3E843A09E913D56BE4DFE8D79114B", 24579, "00eec2a941b2017286eeb5600300",
     "2EC2A941B2017286EEB5"},
    {5, 146, false, false, "-AE006D4A4050667CE7E499F48CB961C56A403EFBBC56", 18013,
     "eb7f5f33063036cc16e68d3c752b7f820887548cba00", "1BFAF9983181B660B73469E3A95BFC10443AA"},
    {0, 12, false, true, "-CDF06", 41189, "0faa0e5000", "FA"},
    {15, 130, true, false, "100ED4FD098D0F9A8754B670B82737629413599CBEE2F1D", 33804,
     "08183a5fdd97326a8252ece70416ce96eb50c20600", "1A8754B670B82737629413599CBEE2F1D"},
    {5, 24, true, true, "61AE088A0DCB051CA94C639890BEEF8E46A641173D073", 13670, "339e8399ab3000",
     "73D073"},
    {14, 82, true, false, "16848DBBC6379BF73AB0DE17F9362E36763B9DD38F8E4F7232AA", 24406,
     "7d5aa8c9c93e3a3f4e74edda5f5600", "2763B9DD38F8E4F7232AA"},
    {5, 23, true, false, "171089B81C4AB4DF3939E61B5B1B762B11FF7C439F1123C5A752D", 60170,
     "516badaeb0a000", "5A752D"},
    {4, 51, true, false, "1D0CC59DD3", 21180, "cd39dc50c1d000a57800", "1D0CC59DD3"},
    {9, 124, true, false, "592E07E7B3342965C675C465", 46545,
     "e8b2e23ae332949a59f383972c80000005ae8800", "592E07E7B3342965C675C465"},
    {7, 57, false, false, "-E49213EB7179BC28F6979A11BC66C6BCC14D5EDE61BD", 47814,
     "8d433eb2a1219e43bac600", "1433EB2A1219E43"},
    {12, 61, false, false, "3FDEDA47CA87E074744F", 35592, "b08d23e543f03a3a27c58400",
     "1A47CA87E074744F"},
    {0, 57, false, false, "982EE593E00360E2065C4C611525C6836D550EFEA699DA2502F5929E6", 1520,
     "ced12817ac94f302f800", "19DA2502F5929E6"},
    {7, 129, true, true, "E9D3F2943FDA51AE2D3AC607057EB0", 6231,
     "af60fc0a0f8c745b5ca3b47f29e5a7d200185700", "E9D3F2943FDA51AE2D3AC607057EB0"},
    {11, 1, false, true, "-2ECEE3CBE4", 44604, "c78ae3c000", "0"},
    {6, 92, true, true, "DD", 36863, "ff740000000000000000000023ffc000", "DD"},
    {3, 55, true, true, "-1B363FBA447A9AB884E9", 21833, "22ef68ecb0b77155524000",
     "-3A447A9AB884E9"},
    {4, 107, true, true, "56", 31180, "c560000000000000000000000000f39800", "56"},
    {15, 20, false, true, "-CD4FB63FB496374E7253C244E3D40F07", 60522, "d8d57e1f3d8d4000", "-40F07"},
    {2, 69, false, true, "8DE39B7593746F9BDB1DD77C665AAD7EC5F388BA", 62834,
     "b8ccb55afd8be71175eae400", "-399A552813A0C7746"},
    {6, 59, true, false, "-16AB63A6CB23700AFF58C0EA4DC5525850F3D", 44102, "1b0fc1eb6aa88d6cd62300",
     "15B23AADA7AF0C3"},
    {3, 142, false, true, "FC542C3C51523FD66739B01026178F22BE7C206B7424FC8", 40850,
     "51feb339cd808130bc7915f3e1035ba127e44fc900", "-1C02998C64FEFD9E870DD4183DF948BDB038"},
    {13, 36, true, true, "-313D137DE1", 29953, "a808fc1766173a8080", "-13D137DE1"},
    {12, 79, false, true, "C92F5832FC527C375F4E474F6E9D8A5EA3", 13961,
     "6896ebe9c8e9edd3b14bd466d12000", "375F4E474F6E9D8A5EA3"},
    {3, 9, false, false, "EA7838AE1B499162B350DC47EF9D5", 3569, "3d50df1000", "1D5"},
    {15, 96, true, true, "11C364FD0A5A6E4F55B1596CEB86AC772C1DC1F74940B0714318EB67C54", 29287,
     "e4cea8f96d1c62280e1728e83fb8e4ce00", "-23E08B6BF4F8EBCE714983AC"},
    {13, 80, false, false, "-69961614A0FCF052280E63221D394860752540495EE7D696AD0", 45213,
     "84efc56d5fdb508c14b4a98584e800", "F8ADABFB6A1182969530"},
    {10, 43, false, true, "C97B061138E654F6CB11448290B53601D6D517", 44862, "cfa9b00eb6a8bd79f000",
     "-2C9FE292AE9"},
    {13, 132, true, false, "F76CF595A", 14809, "cecad2ce7bb07800000000000000000000001cec80",
     "F76CF595A"},
    {4, 18, false, false, "6A2B5309CF0B063DD28C5CA5B5FFC40739494D42137675F8DB6764CB0", 64580,
     "4932c3f11000", "24CB0"},
};

std::vector<uint8_t> from_hex(const std::string& text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<uint8_t> write_row(Heap& h, const Row& row, size_t size, uint8_t background) {
  std::vector<uint8_t> bytes(size, background);
  size_t end = row.offset + row.size;
  integer_to_bits(make_small(row.fill), bytes.data(), 0, row.offset, false);
  integer_to_bits(make_small(row.fill), bytes.data(), end, 16, false);
  integer_to_bits(make_small(0), bytes.data(), end + 16, size * 8 - end - 16, false);
  integer_to_bits(parse_integer(h, row.value, 16), bytes.data(), row.offset, row.size, row.little);
  return bytes;
}

}  // namespace

TEST_CASE("integers in bits as OTP 25 has them") {
  for (const Row& row : kRows) {
    TestHeap h;
    std::vector<uint8_t> bytes = from_hex(row.bytes);
    CHECK(write_row(h, row, bytes.size(), 0x00) == bytes);
    CHECK(write_row(h, row, bytes.size(), 0xff) == bytes);
    Term read = integer_from_bits(h, bytes.data(), row.offset, row.size, row.little, row.is_signed);
    CHECK(integer_text(read, 16) == row.matched);
  }
}

TEST_CASE("integers survive any field that holds them") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 5000; ++i) {
    TestHeap h;
    uint64_t limbs[4] = {random(), random() % 3 ? random() : 0, random(), random()};
    Term value = make_integer(h, random() % 2, limbs, random() % 5);
    size_t offset = random() % 20, size = 258 + random() % 100;
    std::vector<uint8_t> bytes((offset + size + 7) / 8);
    for (bool little : {false, true}) {
      integer_to_bits(value, bytes.data(), offset, size, little);
      Term read = integer_from_bits(h, bytes.data(), offset, size, little, true);
      CHECK(compare_numbers(read, value) == 0);
    }
  }
}

TEST_CASE("fields longer than any integer") {
  TestHeap h;
  constexpr size_t kBits = 64 * (kMaxBigLimbs + 2);
  std::vector<uint8_t> zeros(kBits / 8, 0), ones(kBits / 8, 0xff);
  CHECK(integer_from_bits(h, zeros.data(), 0, kBits, false, false) == make_small(0));
  CHECK(integer_from_bits(h, ones.data(), 0, kBits, false, true) == make_small(-1));
  CHECK(integer_from_bits(h, ones.data(), 3, kBits - 5, true, true) == make_small(-1));
  CHECK(integer_from_bits(h, ones.data(), 0, kBits, false, false) == kSystemLimit);
  zeros[0] = 0x80;
  CHECK(integer_from_bits(h, zeros.data(), 0, kBits, false, false) == kSystemLimit);
  CHECK(integer_from_bits(h, zeros.data(), 0, kBits, false, true) == kSystemLimit);
  CHECK(integer_from_bits(h, zeros.data(), 0, kBits, true, false) == make_small(0x80));
}
