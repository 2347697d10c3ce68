#include "vm/process/report.h"

#include <cstdio>
#include <ctime>

#include "term/print.h"
#include "vm/process/send.h"
#include "vm/process/table.h"
#include "vm/vm.h"

namespace wb {

static std::string report_time(uint64_t ns) {
  time_t seconds = static_cast<time_t>(ns / 1'000'000'000);
  tm t;
  localtime_r(&seconds, &t);
  char text[64];
  size_t n = strftime(text, sizeof text, "%e-%b-%Y::%H:%M:%S", &t);
  snprintf(text + n, sizeof text - n, ".%06u", static_cast<unsigned>(ns / 1000 % 1'000'000));
  return text[0] == ' ' ? text + 1 : text;
}

void report_crash(Process& p, Term exit_value) {
  PrintOptions options;
  options.strings = true;
  std::string text = "=ERROR REPORT==== " + report_time(p.vm().oracle->system_ns()) +
                     " ===\nError in process " + to_text(p.id) + " with exit value:\n" +
                     to_text(exit_value, options) + "\n\n";
  fwrite(text.data(), 1, text.size(), stderr);
}

void Vm::main_ended(Process&, Term reason) { halt(reason == am::normal ? 0 : 1); }

}  // namespace wb
