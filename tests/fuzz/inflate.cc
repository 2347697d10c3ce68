// libFuzzer: any bytes, taken for compressed ones, inflated in pieces as zlib.erl does. The first
// two say how the stream is framed and how large the pieces are.
#include "base/base.h"
#include "vm/bif/zlib_stream.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static constexpr int kWindowBits[] = {15, -15, 31, 47, 8, -9};
  constexpr size_t kMost = size_t{1} << 20;
  if (size < 2) return 0;
  ZlibStream stream;
  if (stream.start_inflate(kWindowBits[data[0] % std::size(kWindowBits)],
                           static_cast<ZlibStream::AtEnd>(data[0] / 8 % 3)) != Z_OK)
    return 0;
  size_t piece = 1 + data[1] * 16;
  stream.enqueue(data + 2, size - 2);
  std::string out;
  int error = Z_OK;
  for (int steps = 0; steps < 10'000 && out.size() < kMost; ++steps) {
    size_t before = out.size();
    ZlibStream::Step step = stream.inflate(piece, piece, &out, &error);
    WB_CHECK(out.size() <= before + piece);
    if (step == ZlibStream::Step::need_dictionary && stream.set_dictionary(data, size) != Z_OK)
      break;
    if (step == ZlibStream::Step::failed || step == ZlibStream::Step::finished) break;
  }
  (void)stream.end();
  return 0;
}
