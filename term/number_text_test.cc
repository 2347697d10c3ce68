// Numbers as text. The rows were printed by OTP 25.
#include "term/number_text.h"

#include <gmp.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <random>

#include "term/number.h"
#include "term/shortest_decimal.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

struct FloatRow {
  const char* shortest;
  const char* scientific;        // float_to_list/1
  const char* decimals4;         // [{decimals,4}]
  const char* decimals6compact;  // [{decimals,6},compact]
};
const FloatRow kFloats[] = {
    {"0.0", "0.00000000000000000000e+00", "0.0000", "0.0"},
    {"-0.0", "-0.00000000000000000000e+00", "-0.0000", "-0.0"},
    {"1.0", "1.00000000000000000000e+00", "1.0000", "1.0"},
    {"0.1", "1.00000000000000005551e-01", "0.1000", "0.1"},
    {"100.0", "1.00000000000000000000e+02", "100.0000", "100.0"},
    {"1.0e5", "1.00000000000000000000e+05", "100000.0000", "100000.0"},
    {"123456.0", "1.23456000000000000000e+05", "123456.0000", "123456.0"},
    {"1234567.0", "1.23456700000000000000e+06", "1234567.0000", "1234567.0"},
    {"1.0e15", "1.00000000000000000000e+15", "1000000000000000.0000", "1000000000000000.0"},
    {"1.0e16", "1.00000000000000000000e+16", "10000000000000000.0000", "10000000000000000.0"},
    {"1.0e17", "1.00000000000000000000e+17", "100000000000000000.0000", "100000000000000000.0"},
    {"1.0e18", "1.00000000000000000000e+18", "1000000000000000000.0000", "1000000000000000000.0"},
    {"1.0e19", "1.00000000000000000000e+19", "10000000000000000000.0000", "10000000000000000000.0"},
    {"1.0e20", "1.00000000000000000000e+20", "100000000000000000000.0000",
     "100000000000000000000.0"},
    {"1.0e21", "1.00000000000000000000e+21", "1000000000000000000000.0000",
     "1000000000000000000000.0"},
    {"1.0e22", "1.00000000000000000000e+22", "10000000000000000000000.0000",
     "10000000000000000000000.0"},
    {"9007199254740991.0", "9.00719925474099100000e+15", "9007199254740991.0000",
     "9007199254740991.0"},
    {"9.007199254740992e15", "9.00719925474099200000e+15", "9007199254740992.0000",
     "9007199254740992.0"},
    {"9.007199254740994e15", "9.00719925474099400000e+15", "9007199254740994.0000",
     "9007199254740994.0"},
    {"1.2345678901234567e19", "1.23456789012345671680e+19", "12345678901234567168.0000",
     "12345678901234567168.0"},
    {"0.01", "1.00000000000000002082e-02", "0.0100", "0.01"},
    {"0.001", "1.00000000000000002082e-03", "0.0010", "0.001"},
    {"0.0001", "1.00000000000000004792e-04", "0.0001", "0.0001"},
    {"1.2345e-4", "1.23449999999999992031e-04", "0.0001", "0.000123"},
    {"1.0e-5", "1.00000000000000008180e-05", "0.0000", "0.00001"},
    {"1.5e-5", "1.50000000000000003800e-05", "0.0000", "0.000015"},
    {"1.0e-10", "1.00000000000000003643e-10", "0.0000", "0.0"},
    {"5.0e-324", "4.94065645841246544177e-324", "0.0000", "0.0"},
    {"1.7976931348623157e308", "1.79769313486231570815e+308", "badarg", "badarg"},
    {"2.5e10", "2.50000000000000000000e+10", "25000000000.0000", "25000000000.0"},
    {"1.0e3", "1.00000000000000000000e+03", "1000.0000", "1000.0"},
    {"4.5e15", "4.50000000000000000000e+15", "4500000000000000.0000", "4500000000000000.0"},
    {"1.2345678901234568e17", "1.23456789012345680000e+17", "123456789012345680.0000",
     "123456789012345680.0"},
    {"1.0e23", "9.99999999999999916114e+22", "99999999999999991611392.0000",
     "99999999999999991611392.0"},
    {"0.30000000000000004", "3.00000000000000044409e-01", "0.3000", "0.3"},
    {"-1.5e-7", "-1.49999999999999993212e-07", "-0.0000", "-0.0"},
    {"3.0e-6", "3.00000000000000007600e-06", "0.0000", "0.000003"},
    {"2.0e5", "2.00000000000000000000e+05", "200000.0000", "200000.0"},
    {"1.2345e22", "1.23449999999999997379e+22", "12344999999999999737856.0000",
     "12344999999999999737856.0"},
    {"99999.9", "9.99998999999999941792e+04", "99999.9000", "99999.9"},
};

struct DecimalsRow {
  uint64_t bits;
  int decimals;
  bool compact;
  const char* text;
};
const DecimalsRow kDecimals[] = {
    {0xc1b9a84872787cf8, 16, false, "-430458994.4706568717956543"},
    {0xc1b9a84872787cf8, 16, true, "-430458994.4706568717956543"},
    {0xc1e935e320f6a71b, 16, false, "-3383695623.7078986167907715"},
    {0xc1e935e320f6a71b, 16, true, "-3383695623.7078986167907715"},
    {0xbfb3309fdafc3a79, 17, false, "-0.07496070000000001"},
    {0xbfb3309fdafc3a79, 17, true, "-0.07496070000000001"},
    {0xbf80f08b17f696cb, 18, false, "-0.008271300000000001"},
    {0xbf80f08b17f696cb, 18, true, "-0.008271300000000001"},
    {0xc09f1556d601e80e, 5, true, "-1989.3348"},
    {0xc0d0dd365ac14b8d, 5, true, "-17268.84929"},
    {0x3f74527073a43804, 4, true, "0.005"},
    {0xc11b1fe400000000, 18, true, "-444409.0"},
    {0x401eaa0902de00d2, 7, false, "7.6660500"},
    {0xc288156d706659f7, 8, true, "-3310038682827.24560547"},
    {0x1a5e5b07379e33fa, 3, false, "0.000"},
    {0x9b5a3d42d5cee674, 5, false, "-0.00000"},
    {0x41406b419a915f2c, 3, false, "2152067.208"},
    {0xc0c07f67ae147ae1, 16, false, "-8446.8099999999994907"},
    {0x43180a1c1559d41e, 18, true, "1691628793656583.5"},
    {0xc0e29e7969790aa4, 8, true, "-38131.7941251"},
    {0x1ac2a551b6be519d, 15, false, "0.000000000000000"},
    {0x411cd1ec22434e5d, 8, true, "472187.03345988"},
    {0x4390000000000000, 4, false, "288230376151711744.0000"},
    {0x432df5ebc9ad8842, 1, false, "4216583687160865.0"},
    {0xc07f58e147ae147b, 13, true, "-501.555"},
    {0x400316fc5e1e9bc1, 5, true, "2.38622"},
    {0x434c992d2fc3e96c, 15, false, "16099437403689688.000000000000000"},
    {0xc0de63e6867086f3, 12, false, "-31119.601955539500"},
    {0xc398b2cfe450b145, 17, true, "-444928345569513792.0"},
    {0x427f93ed15c07bb3, 9, false, "2170012392455.731201172"},
    {0x082c123d80d1fd7d, 7, false, "0.0000000"},
    {0x429b4a8efdc4a195, 8, true, "7501760131368.39550781"},
    {0xc28d0eda5f7e2e4e, 19, true, "-3993703804869.7880859375"},
    {0xbf0560a17100080a, 11, true, "-0.00004077428"},
    {0x3f21c00335018102, 4, true, "0.0001"},
    {0xbfb3f2a4cdaa425e, 6, false, "-0.077921"},
    {0x3fd466c270c58704, 17, true, "0.31877194416857456"},
    {0xc0f3119333333333, 7, true, "-78105.2"},
};

std::string decimals(double d, int n, bool compact = false) {
  std::string text;
  return float_text_decimals(d, n, compact, &text) ? text : "badarg";
}

/// What list_to_float gives, as shortest text.
std::string reread(std::string_view text) {
  double d;
  return parse_float(text, &d) ? float_text_short(d) : "badarg";
}

}  // namespace

TEST_CASE("floats.tsv") {
  for (const FloatRow& row : kFloats) {
    double d = 0;
    CHECK(parse_float(row.shortest, &d));
    CHECK(float_text_short(d) == row.shortest);
    CHECK(float_text_scientific(d, 20) == row.scientific);
    CHECK(decimals(d, 4) == row.decimals4);
    CHECK(decimals(d, 6, true) == row.decimals6compact);
  }
}

TEST_CASE("decimals round as OTP 25 does") {
  for (const DecimalsRow& row : kDecimals) {
    CHECK(decimals(std::bit_cast<double>(row.bits), row.decimals, row.compact) == row.text);
  }
  CHECK(decimals(0.125, 2) == "0.13");
  CHECK(decimals(2.5, 0) == "3");
  CHECK(decimals(0.999, 2) == "1.00");
  CHECK(decimals(1.005, 2) == "1.00");
  CHECK(decimals(-0.001, 2) == "-0.00");
  CHECK(decimals(0.1, 18) == "0.100000000000000000");
  CHECK(decimals(0.1, 19) == "0.1000000000000000056");
  CHECK(decimals(1.5, 0, true) == "2");
  CHECK(decimals(100.0, 0, true) == "100");
  CHECK(decimals(1e22, 0, true) == "1");  // sic
  CHECK(decimals(1.25, 253, true) == "1.25");
}

TEST_CASE("texts of 256 characters do not fit") {
  CHECK(decimals(1.0, 253).size() == 255);
  CHECK(decimals(10.0, 253) == "badarg");
  CHECK(decimals(-1.0, 253) == "badarg");
  CHECK(decimals(1e100, 153).size() == 255);
  CHECK(decimals(1e100, 154) == "badarg");
  CHECK(decimals(1e255, 0).size() == 255);
  CHECK(decimals(1e256, 0) == "badarg");
  CHECK(decimals(1.0, -1) == "badarg");
  CHECK(decimals(1.0, 1000000) == "badarg");
  CHECK(float_text_scientific(1.5, 249).size() == 255);
}

TEST_CASE("reading floats") {
  CHECK(reread("1.0E+5") == "1.0e5");
  CHECK(reread("+1.0") == "1.0");
  CHECK(reread("-0.0") == "-0.0");
  CHECK(reread("00001.5") == "1.5");
  CHECK(reread("1,5") == "1.5");
  CHECK(reread("1.0e-320") == "1.0e-320");
  CHECK(reread("1.0e-400") == "0.0");
  CHECK(reread("-1.0e-400") == "-0.0");
  CHECK(reread("1.0e-99999999999999999999999") == "0.0");
  CHECK(reread("0." + std::string(500, '0') + "1") == "0.0");
  CHECK(reread("0." + std::string(500, '0') + "1e501") == "1.0");
  CHECK(reread("0.0e999") == "0.0");
  CHECK(reread("1" + std::string(500, '0') + ".0e-500") == "1.0");
  for (const char* wrong :
       {"",        "1",      "1.",      ".1",       "1.0e",
        "1.0e+",   "1e5",    " 1.0",    "1.0 ",     "+-1.0",
        "inf",     "nan",    "0x1.0",   "1_0.0",    "1.5.5",
        "1.0e0.5", "1.0e5e", "1.0e400", "-1.0e400", "1.0e99999999999999999999999",
        "\t1.5"}) {
    CHECK(reread(wrong) == "badarg");
  }
  CHECK(reread("1" + std::string(500, '0') + ".0") == "badarg");
}

TEST_CASE("shortest text reads back to the same bits") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    double d = std::bit_cast<double>(random()), back = 0;
    if (!std::isfinite(d)) continue;
    bool read = parse_float(float_text_short(d), &back);
    CHECK((read && std::bit_cast<uint64_t>(d) == std::bit_cast<uint64_t>(back)));
  }
}

TEST_CASE("the shortest decimal is that of the library") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t fraction = i % 3 ? random() : random() % 3 - 1;
    const auto d = std::bit_cast<double>((random() % 2047) << 52 | (fraction & 0xfffffffffffff));
    if (d == 0) continue;
    char text[32];
    const Decimal s = shortest_decimal(d);
    double back = 0;
    CHECK(s.digits % 10 != 0);
    CHECK(parse_float(std::to_string(s.digits) + ".0e" + std::to_string(s.exponent), &back));
    CHECK(back == d);
    char* end = std::to_chars(text, text + sizeof text, d, std::chars_format::scientific).ptr;
    std::string digits(text, std::find(text, end, 'e'));
    std::erase(digits, '.');
    CHECK(std::to_string(s.digits) == digits);
  }
}

TEST_CASE("integers in every base") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    TestHeap h;
    uint64_t limbs[12];
    for (uint64_t& limb : limbs) limb = random() >> (random() % 64);
    Term t = make_integer(h, random() % 2, limbs, random() % 13);
    int base = static_cast<int>(random() % 35) + 2;
    std::string text = integer_text(t, base);
    mpz_t z;
    CHECK(mpz_init_set_str(z, text.c_str(), base) == 0);
    char* upper = mpz_get_str(nullptr, -base, z);
    CHECK(text == upper);
    free(upper);
    mpz_clear(z);
    CHECK(compare_numbers(parse_integer(h, text, base), t) == 0);
  }
}

TEST_CASE("reading integers") {
  TestHeap h;
  CHECK(parse_integer(h, "+5") == make_small(5));
  CHECK(parse_integer(h, "-0") == make_small(0));
  CHECK(parse_integer(h, "zZ", 36) == make_small(1295));
  CHECK(parse_integer(h, std::string(100000, '0') + "7") == make_small(7));
  CHECK(integer_text(parse_integer(h, "-576460752303423488")) == "-576460752303423488");
  CHECK(parse_integer(h, "-576460752303423488") == make_small(kSmallMin));
  CHECK(integer_text(parse_integer(h, "-00018446744073709551616")) == "-18446744073709551616");
  for (const char* wrong : {"", "+", "-", "--1", "+-1", " 5", "5 ", "12a", "1.0", "1_0"}) {
    CHECK(parse_integer(h, wrong) == kBadarg);
  }
  CHECK(parse_integer(h, "2", 2) == kBadarg);
  CHECK(parse_integer(h, std::string(20000000, '1'), 16) == kSystemLimit);
}
