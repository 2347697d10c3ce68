// libFuzzer: any bytes, taken for an erl_crash.dump (`whitebeam observe erl_crash.dump`). Every
// view of it is asked for, and each of its first processes; answers are JSON that can be read.
#include <sys/mman.h>

#include <fmt/format.h>

#include "base/base.h"
#include "base/own_files.h"
#include "tools/observer/dump_answers.h"

using namespace wb;

namespace {
constexpr const char* kViews[] = {
    "hello",      "home",        "columns",          "processes",  "children",
    "schedulers", "tables",      "modules",          "ports",      "nodes",
    "timers",     "atoms",       "persistent_terms", "allocators", "calls",
    "exits",      "collections", "events",           "profile",    "jit",
    "warnings",   "none_such"};

/// A file in memory with these bytes.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : fd_(memfd_create("dump", MFD_CLOEXEC)) {
    WB_CHECK(fd_ >= 0 && !write_all(fd_, data, size));
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", int(fd_)); }

 private:
  FileDescriptor fd_;
};

std::string ask(DumpAnswers& dump, const std::string& request) {
  std::string answer = dump.answer(request);
  WB_CHECK(answer.starts_with("{\"id\":"));
  return answer;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  std::string error;
  const auto dump = DumpAnswers::open(file.path(), &error);
  WB_CHECK(!dump == !error.empty());
  if (!dump) return 0;
  for (const char* view : kViews) ask(*dump, fmt::format("{{\"do\":\"{}\"}}", view));
  ask(*dump, R"({"do":"processes","by":"memory","filter":"memory>1k"})");
  ask(*dump, R"({"do":"processes","by":"mailbox","limit":1,"from":1})");
  for (const char* pid : {"<0.0.0>", "<0.1.0>", "init"})
    ask(*dump, fmt::format("{{\"do\":\"process\",\"pid\":\"{}\"}}", pid));
  return 0;
}
