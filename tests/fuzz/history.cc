// libFuzzer: any bytes, taken for a history of a machine (`whitebeam observe FILE`). What is read
// of it lies within it.
#include "base/base.h"
#include "vm/observe/history_file.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  History history;
  const std::string error = parse_history(bytes, &history);
  WB_CHECK(error.empty() != history.looks.empty());
  size_t all = history.hello.size();
  for (const HistoryLook& look : history.looks) all += look.json.size();
  WB_CHECK(all <= size);
  return 0;
}
