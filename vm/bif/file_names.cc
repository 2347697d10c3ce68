// prim_file: names; file:native_name_encoding/0.
#include "vm/io/file_names.h"

#include "term/binary.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"

namespace wb {

BIF(file, native_name_encoding, 0)
{
  return p.vm().settings->file_names.latin1 ? am::latin1 : am::utf8;
}

BIF(prim_file, internal_name2native, 1)
{
  std::string bytes;
  if (is_binary(a[0])) {
    ByteView v(a[0]);
    bytes.assign(reinterpret_cast<const char*>(v.data()), v.size());
    if (bytes.find('\0') != std::string::npos) return kBadarg;
  } else if (!name_bytes(a[0], &bytes, p.vm().settings->file_names.latin1)) {
    return kBadarg;
  }
  return make_binary(p.heap, bytes.c_str(), bytes.size() + 1);
}
BIF(prim_file, internal_native2name, 1)
{
  if (!is_binary(a[0])) return kBadarg;
  ByteView v(a[0]);
  std::string_view bytes(reinterpret_cast<const char*>(v.data()), v.size());
  while (!bytes.empty() && bytes.back() == 0) bytes.remove_suffix(1);
  const FileNames& names = p.vm().settings->file_names;
  if (names.latin1) {
    return bytes_to_list(p.heap, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  Term list = list_of_utf8(p.heap, bytes);
  return is_value(list) ? list : tuple(p.heap, am::error, names.untranslated);
}
BIF(prim_file, is_translatable, 1)
{
  if (!is_binary(a[0])) return kBadarg;
  if (p.vm().settings->file_names.latin1) return am::true_;
  ByteView v(a[0]);
  uint32_t c;
  for (size_t at = 0; at < v.size();) {
    int n = utf8_decode(v.data() + at, v.size() - at, &c);
    if (n <= 0) return am::false_;
    at += static_cast<size_t>(n);
  }
  return am::true_;
}

}  // namespace wb
