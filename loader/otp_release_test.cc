#include "loader/otp_release.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace wb {
namespace {

class Root {
 public:
  explicit Root(const std::string& data) {
    std::filesystem::create_directories(path_ / "releases");
    std::ofstream(path_ / "releases/start_erl.data") << data;
  }
  ~Root() { std::filesystem::remove_all(path_); }
  OtpRelease read() const { return read_otp_release(path_); }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() / "wb_otp_release_test";
};

}  // namespace

TEST_CASE("the release of a root is what its start_erl.data says", "[otp_release]") {
  const OtpRelease r = Root("15.2.7 27\n").read();
  CHECK(r.number == 27);
  CHECK(r.name == "27");
  CHECK(r.erts == "15.2.7");
}

TEST_CASE("a release that is not known is followed as the nearest", "[otp_release]") {
  CHECK(Root("12.0 24").read().number == 25);
  CHECK(Root("19.0 31").read().number == 29);
  CHECK(Root("19.0 31").read().name == "31");
}

TEST_CASE("erts tells the release of OTP where start_erl.data has that of an application",
          "[otp_release]") {
  for (const char* data : {"15.2.7 0.1.0", "15.2.7 x", "15.2.7 1", "15 9999"}) {
    const OtpRelease r = Root(data).read();
    CHECK(r.number == 27);
    CHECK(r.name == "27");
  }
}

TEST_CASE("a root that does not say it is of the oldest release", "[otp_release]") {
  for (const char* data : {"", "15.2.7", "x 27", "15x 27", "-3 27", "99999999999999 27"}) {
    const OtpRelease r = Root(data).read();
    CHECK(r.number == 25);
    CHECK(r.name == "25");
  }
  CHECK(read_otp_release("/nowhere").number == 25);
}

}  // namespace wb
