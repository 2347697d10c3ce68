// libFuzzer: any bytes, taken for options, a pattern and a subject of re:run/3. Both limits are
// low: how long a match may take is a matter of its own.
#include "term/binary.h"
#include "tests/fuzz/native_call.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const char* const kOptions[] = {
      "anchored",  "caseless",        "dollar_endonly",    "dotall",   "extended", "firstline",
      "multiline", "no_auto_capture", "dupnames",          "ungreedy", "unicode",  "bsr_anycrlf",
      "notbol",    "notempty",        "no_start_optimize", "ucp"};
  if (size < 4) return 0;
  NativeCaller caller;
  Heap& h = caller.process.heap;
  Term options = kNil;
  unsigned chosen = data[0] | data[1] << 8;
  for (size_t k = 0; k < std::size(kOptions); ++k)
    if (chosen >> k & 1) options = cons(h, intern(kOptions[k]), options);
  options = cons(h, tuple(h, intern("match_limit"), make_small(2000)), options);
  options = cons(h, tuple(h, intern("match_limit_recursion"), make_small(500)), options);
  options = cons(h, tuple(h, intern("offset"), make_small(data[2] % 8)), options);
  size_t pattern_size = std::min<size_t>(data[3], size - 4);
  Term pattern = make_binary(h, data + 4, pattern_size);
  Term subject = make_binary(h, data + 4 + pattern_size, size - 4 - pattern_size);
  (void)caller.call("re", "run", {subject, pattern, options});
  Term compiled = caller.call("re", "compile", {pattern});
  if (is_value(compiled) && is_tuple_of(compiled, 2) && tuple_elements(compiled)[0] == am::ok)
    (void)caller.call("re", "inspect", {tuple_elements(compiled)[1], intern("namelist")});
  return 0;
}
