// libFuzzer: any bytes, taken for a native library: what is looked at before dlopen may open it.
// (What dlopen does with those that are let through is tested in processes of their own,
// vm/nif/library_file_test.cc.)
#include "vm/nif/library_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)wb::damage_of_library({data, size});
  return 0;
}
