// Which release of OTP lies below a directory. One machine runs the library of any release from 25
// to 29, and where releases differ in what a program sees (docs/releases.md), it answers as
// that one does.
#pragma once

#include <string>

#include "term/instance.h"

namespace wb {

struct OtpRelease {
  int number = kOldestRelease;  ///< the behaviour to follow: the nearest that is known
  std::string name = "25";      ///< system_info(otp_release)
  std::string erts = "13.1.5";  ///< system_info(version)
};

/// From releases/start_erl.data ("15.2.7 27"); where that is missing or strange, 25.
OtpRelease read_otp_release(const std::string& root);

}  // namespace wb
