#include "bytecode/container.h"

#include <zlib.h>

#include <algorithm>

namespace wb {
namespace {

constexpr size_t kInflateStep = size_t{1} << 16;

/// Inflates all of `in` into `out`, at most `limit` bytes. Memory grows with what really comes out.
bool inflate_all(Bytes in, int window_bits, size_t limit, std::vector<uint8_t>* out) {
  z_stream z{};
  if (inflateInit2(&z, window_bits) != Z_OK) return false;
  z.next_in = const_cast<uint8_t*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  out->clear();
  int rc = Z_OK;
  while (rc == Z_OK && out->size() < limit) {
    size_t had = out->size();
    size_t step = std::min(std::max(kInflateStep, had), limit - had);
    out->resize(had + step);
    z.next_out = out->data() + had;
    z.avail_out = static_cast<uInt>(step);
    rc = inflate(&z, Z_NO_FLUSH);
    out->resize(had + step - z.avail_out);
    if (rc == Z_OK && z.avail_in == 0 && z.avail_out != 0) break;  // input ends in mid-stream
  }
  if (rc == Z_OK && out->size() == limit) {  // full: only the end of the stream may be left
    uint8_t probe;
    z.next_out = &probe;
    z.avail_out = 1;
    rc = inflate(&z, Z_NO_FLUSH);
    if (z.avail_out == 0) rc = Z_BUF_ERROR;
  }
  inflateEnd(&z);
  return rc == Z_STREAM_END;
}

LoadError container_error(Rule rule, std::string_view file, size_t offset, std::string text = {}) {
  return {rule, std::string(file), "", offset, std::move(text)};
}

std::string printable(Bytes id) {
  std::string s;
  for (uint8_t c : id) s += c >= 32 && c < 127 ? static_cast<char>(c) : '?';
  return s;
}

}  // namespace

Result<std::vector<uint8_t>> gunzip_if_needed(std::vector<uint8_t> bytes, std::string_view file) {
  if (bytes.size() > kMaxModuleBytes) return container_error(Rule::too_big, file, 0);
  if (bytes.size() < 2 || bytes[0] != 0x1f || bytes[1] != 0x8b) return bytes;
  std::vector<uint8_t> plain;
  if (!inflate_all(bytes, 15 + 16, kMaxModuleBytes, &plain))
    return container_error(plain.size() == kMaxModuleBytes ? Rule::too_big : Rule::bad_gzip, file,
                           0);
  return plain;
}

bool inflate_exactly(Bytes compressed, size_t size, std::vector<uint8_t>* out) {
  if (size > kMaxModuleBytes) return false;
  return inflate_all(compressed, 15, size, out) && out->size() == size;
}

Result<std::vector<BeamChunk>> split_chunks(Bytes container, std::string_view file) {
  ByteReader in(container);
  Bytes form = in.bytes(4);
  uint32_t form_size = in.u32();
  Bytes kind = in.bytes(4);
  if (!in.ok() || memcmp(form.data(), "FOR1", 4) != 0 || memcmp(kind.data(), "BEAM", 4) != 0)
    return container_error(Rule::not_beam, file, 0);
  if (form_size > container.size() - 8)
    return container_error(Rule::truncated, file, container.size(),
                           "the header promises " + std::to_string(form_size + uint64_t{8}) +
                               " bytes, there are " + std::to_string(container.size()));
  if (form_size < 4) return container_error(Rule::bad_chunk_size, file, 4);

  ByteReader body(container.subspan(12, form_size - 4));
  std::vector<BeamChunk> chunks;
  while (!body.at_end()) {
    size_t at = body.offset() + 12;
    Bytes id = body.bytes(4);
    uint32_t size = body.u32();
    if (!body.ok() || size > body.left())
      return container_error(Rule::bad_chunk_size, file, at, printable(id));
    BeamChunk chunk{{}, body.bytes(size)};
    memcpy(chunk.id, id.data(), 4);
    body.bytes(std::min<size_t>(-size & 3, body.left()));  // padding; the last may lack it
    chunks.push_back(chunk);
  }
  return chunks;
}

}  // namespace wb
