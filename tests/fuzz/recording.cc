// libFuzzer: any questions, answered from any entries, as a replay asks them of a recording whose
// checksums are right (base/recording.h); and any text, taken for how a program was started. It is
// refused, or what comes lies within what there is.
#include "base/recording.h"

#include <algorithm>
#include <csetjmp>

#include "base/base.h"
#include "vm/machine/recorded_command.h"

using namespace wb;

namespace {

struct TestInstance : Instance {};
jmp_buf refused;

/// What a replay asks, a byte a question.
void ask(Recording& r, uint8_t question) {
  char bytes[64] = {};
  const size_t room = question >> 3;
  std::vector<Recording::Report> reports;
  std::optional<std::vector<uint8_t>> code;
  uint64_t number;
  Recording::Answers answers;
  const auto never = [] { return 0; };
  switch (question & 7) {
    case 0:
      r.call(never, {{bytes, room}, {&number, sizeof number}});
      break;
    case 1:
      WB_CHECK(r.call_reading(never, bytes, room) <= static_cast<ssize_t>(room));
      break;
    case 2:
      r.text(static_cast<Input>(room % 8), "live");
      break;
    case 3:
      r.read_clock();
      break;
    case 4:
      r.time(0);
      r.handle_signals();
      break;
    case 5:
      r.reports(&reports);
      break;
    case 6:
      if (r.take_job(&number, &answers)) {
        Recording::JobScope scope(answers);
        r.call_reading(never, bytes, room);
      } else {
        r.code("file", &code);
      }
      break;
    case 7:
      r.slice_ended();
      break;
  }
}

}  // namespace

// What a refused question held is lost with the jump; a replay ends there.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  RunOptions options;
  std::string directory;
  (void)read_recorded_command({reinterpret_cast<const char*>(data), size}, &options, &directory);
  TestInstance instance;
  instance.on_fatal = [](void*, int, const char*) { longjmp(refused, 1); };
  InstanceScope scope(instance);
  const size_t questions = std::min<size_t>(data[0], size - 1);
  const auto r = Recording::of_entries({data + 1 + questions, data + size});
  if (setjmp(refused) == 0) {
    for (size_t k = 0; k < questions; ++k) ask(*r, data[1 + k]);
  } else {
    Recording::Answers none;
    Recording::JobScope ends_what_was_left(none);
  }
  return 0;
}
