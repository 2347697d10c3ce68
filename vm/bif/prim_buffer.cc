// prim_buffer: a queue of bytes for read-ahead, changed in place. One process uses it at a time;
// the mutex is for those who do not keep to that.
#include <mutex>
#include <string>

#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"

namespace wb {
namespace {

struct Buffer : OffHeapObject {
  std::mutex mutex;
  std::string bytes;
  size_t start = 0;  ///< what is before it has been read
  bool locked = false;
  size_t size() const { return bytes.size() - start; }
  const char* data() const { return bytes.data() + start; }
  void skip(size_t n) {
    start += n;
    if (start == bytes.size()) bytes.clear(), start = 0;
    if (start > 65536 && start > bytes.size() / 2) bytes.erase(0, start), start = 0;
  }
};
void destroy_buffer(OffHeapObject* o) { delete static_cast<Buffer*>(o); }
Buffer* buffer_of(Term t) {
  if (!is_kind(t, Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(t);
  return o->destroy == destroy_buffer ? static_cast<Buffer*>(o) : nullptr;
}
#define WB_BUFFER(b, term)     \
  Buffer* b = buffer_of(term); \
  if (!b) return kBadarg;      \
  std::lock_guard guard(b->mutex)

}  // namespace

BIF(prim_buffer, make_new, 0)
{
  auto* b = new Buffer;
  b->destroy = destroy_buffer;
  return p.vm().new_magic_ref(p.heap, b, sizeof *b);
}
BIF(prim_buffer, size, 1)
{
  WB_BUFFER(b, a[0]);
  return make_unsigned(p.heap, b->size());
}
BIF(prim_buffer, peek_head, 1)
{
  WB_BUFFER(b, a[0]);
  return make_binary(p.heap, b->data(), b->size());
}
BIF(prim_buffer, copying_read, 2)
{
  WB_BUFFER(b, a[0]);
  uint64_t n;
  if (!to_uint64(a[1], &n) || n > b->size()) return kBadarg;
  Term r = make_binary(p.heap, b->data(), n);
  b->skip(n);
  return r;
}
BIF(prim_buffer, skip, 2)
{
  WB_BUFFER(b, a[0]);
  uint64_t n;
  if (!to_uint64(a[1], &n) || n > b->size()) return kBadarg;
  b->skip(n);
  return am::ok;
}
BIF(prim_buffer, write, 2)
{
  WB_BUFFER(b, a[0]);
  Term list = a[1];
  for (; is_cons(list); list = tail(list)) {
    if (!is_binary(head(list))) return kBadarg;
    ByteView v(head(list));
    b->bytes.append(reinterpret_cast<const char*>(v.data()), v.size());
  }
  return is_nil(list) ? am::ok : kBadarg;
}
BIF(prim_buffer, find_byte_index, 2)
{
  WB_BUFFER(b, a[0]);
  if (!is_small(a[1]) || small_value(a[1]) < 0 || small_value(a[1]) > 255) return kBadarg;
  const void* at = memchr(b->data(), static_cast<int>(small_value(a[1])), b->size());
  if (!at) return am::not_found;
  return tuple(p.heap, am::ok, make_small(static_cast<const char*>(at) - b->data()));
}
BIF(prim_buffer, try_lock, 1)
{
  WB_BUFFER(b, a[0]);
  if (b->locked) return am::busy;
  b->locked = true;
  return am::acquired;
}
BIF(prim_buffer, unlock, 1)
{
  WB_BUFFER(b, a[0]);
  if (!b->locked) return kBadarg;
  b->locked = false;
  return am::ok;
}

}  // namespace wb
