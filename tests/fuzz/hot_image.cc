// libFuzzer: what is kept of hot functions (vm/orc/hot_image.h), as a file and as one function of it;
// what is sound is placed, too, and nothing is written beside it.
#include <cstdlib>
#include <memory>
#include <span>

#include "base/base.h"
#include "bytecode/instructions.h"
#include "vm/orc/hot_image.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::unique_ptr<uint64_t[]> aligned(new uint64_t[size / 8 + 1]);
  memcpy(aligned.get(), data, size);
  const std::span input(reinterpret_cast<const uint8_t*>(aligned.get()), size);
  HotFunctions all;
  if (all.read(input)) {
    HotFunctions again;
    WB_CHECK(again.read(all.write()));
    WB_CHECK(again.write() == all.write());
  }
  const auto f = read_hot_function(input);
  if (!f) return 0;
  WB_CHECK(read_hot_function(write_hot_function(*f)));
  if (!f->code.is_sound(64)) return 0;
  static const std::vector<Word> handlers(kHandlerCount, 4096);
  const std::vector<Word> values(f->code.symbols.size(), 12345);
  const auto there = std::make_unique<uint8_t[]>(f->code.bytes.size());
  f->code.place(there.get(), there.get(), values, handlers.data());
  return 0;
}
