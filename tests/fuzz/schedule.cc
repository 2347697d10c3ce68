// libFuzzer: any bytes, taken for the file of a schedule (`whitebeam run --schedule`). What is read
// of it is written so that it is read again.
#include "vm/explore/schedule.h"
#include "base/base.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto schedule = schedule_of_file(text);
  if (!schedule) return 0;
  const std::string written = to_file(*schedule);
  const auto again = schedule_of_file(written);
  WB_CHECK(again && to_file(*again) == written);
  WB_CHECK(again->switches.size() == schedule->switches.size() && again->args == schedule->args &&
           again->ending == schedule->ending);
  return 0;
}
