// The outside of a .beam file: gzip, and an IFF form of chunks.
#pragma once

#include <string_view>
#include <vector>

#include "bytecode/byte_reader.h"
#include "bytecode/load_error.h"

namespace wb {

constexpr size_t kMaxModuleBytes = size_t{256} << 20;  // also of inflated literals

struct BeamChunk {
  char id[5];
  Bytes data;
  std::string_view name() const { return {id, 4}; }
};

/// The file as it is, or gunzipped.
Result<std::vector<uint8_t>> gunzip_if_needed(std::vector<uint8_t> bytes, std::string_view file);

/// Inflates a zlib stream that must give exactly `size` bytes; false if it does not.
bool inflate_exactly(Bytes compressed, size_t size, std::vector<uint8_t>* out);

/// All chunks, in file order.
Result<std::vector<BeamChunk>> split_chunks(Bytes container, std::string_view file);

}  // namespace wb
