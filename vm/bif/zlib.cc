// The native functions of module zlib. A stream is a magic reference; only its controlling process
// may use it.
#include <vector>

#include "term/binary.h"
#include "term/external.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/zlib_stream.h"
#include "vm/core/vm.h"
#include "vm/io/iolist.h"

namespace wb {

namespace {
using State = ZlibStream::State;
constexpr size_t kStreamBytes = 1 << 18;  // what zlib allocates for one, about
constexpr int kMaxChunk = 1 << 24;

struct ZlibObject final : OffHeapObject {
  ZlibStream stream;
  Term owner = kNone;          // a pid
  std::vector<uint8_t> stash;  // what zlib.erl keeps between calls, encoded
  int buffer_size = 4000;
};

void destroy_zlib(OffHeapObject* o) { delete static_cast<ZlibObject*>(o); }

ZlibObject* zlib_of(Term t) {
  if (!is_kind(t, Kind::magic_ref) || magic_object(t)->destroy != destroy_zlib) return nullptr;
  return static_cast<ZlibObject*>(magic_object(t));
}

/// nullptr and *why: no stream, or another process' one.
ZlibObject* own(Process& p, Term t, Term* why) {
  ZlibObject* z = zlib_of(t);
  *why = kBadarg;
  if (!z) return nullptr;
  if (z->owner == p.id) return z;
  *why = p.error(am::not_on_controlling_process);
  return nullptr;
}
ZlibObject* own(Process& p, Term t, State wanted, Term* why) {
  ZlibObject* z = own(p, t, why);
  if (!z || z->stream.state() == wanted) return z;
  *why = p.error(am::not_initialized);
  return nullptr;
}

Term outcome(Process& p, int code) {
  switch (code) {
    case Z_OK:
      return am::ok;
    case Z_DATA_ERROR:
      return p.error(am::data_error);
    case Z_BUF_ERROR:
      return p.error(am::buf_error);
    case Z_MEM_ERROR:
      return p.error(am::enomem);
    default:
      return p.error(am::stream_error);
  }
}

bool ints(const Term* a, int n, int* v) {
  for (int i = 0; i < n; ++i) {
    if (!is_small(a[i]) || small_value(a[i]) < INT32_MIN || small_value(a[i]) > INT32_MAX) {
      return false;
    }
    v[i] = static_cast<int>(small_value(a[i]));
  }
  return true;
}

Term step_result(Process& p, ZlibStream& s, ZlibStream::Step step, const std::string& out,
                 int error) {
  if (step == ZlibStream::Step::failed) return outcome(p, error);
  p.charge(static_cast<int64_t>(out.size() / 20) + 10);
  Term list = kNil;
  if (!out.empty()) {
    Term chunk = make_binary(p.heap, out.data(), out.size());
    if (is_fault(chunk)) return chunk;
    list = cons(p.heap, chunk, kNil);
  }
  if (step == ZlibStream::Step::need_dictionary) {
    return tuple(p.heap, am::need_dictionary, make_unsigned(p.heap, s.adler()), list);
  }
  return tuple(p.heap, step == ZlibStream::Step::more ? am::continue_ : am::finished, list);
}

/// Input and output sizes of one step.
bool chunk_sizes(const Term* a, int* v) {
  return ints(a, 3, v) && v[0] > 0 && v[1] > 0 && v[0] <= kMaxChunk && v[1] <= kMaxChunk;
}
}  // namespace

// --- life ----------------------------------------------------------------------------------------
BIF(zlib, open_nif, 0)
{
  auto* z = new ZlibObject;
  z->destroy = destroy_zlib;
  z->owner = p.id;
  return p.vm().new_magic_ref(p.heap, z, kStreamBytes);
}

BIF(zlib, close_nif, 1)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  if (z->stream.state() == State::closed) return p.error(am::not_initialized);
  z->stream.close();
  return am::ok;
}

BIF(zlib, set_controller_nif, 2)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  if (!is_local_pid(a[1])) return kBadarg;
  z->owner = a[1];
  return am::ok;
}

BIF(zlib, deflateInit_nif, 6)
{
  Term why;
  int v[5];
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  if (!ints(a + 1, 5, v)) return kBadarg;
  if (z->stream.state() != State::none) return p.error(am::already_initialized);
  return outcome(p, z->stream.start_deflate(v[0], v[1], v[2], v[3], v[4]));
}

BIF(zlib, inflateInit_nif, 3)
{
  Term why;
  int v[2];
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  if (!ints(a + 1, 2, v) || v[1] < 0 || v[1] > 2) return kBadarg;
  if (z->stream.state() != State::none) return p.error(am::already_initialized);
  return outcome(p, z->stream.start_inflate(v[0], static_cast<ZlibStream::AtEnd>(v[1])));
}

static Term end_stream(Process& p, Term t, State state) {
  Term why;
  ZlibObject* z = own(p, t, state, &why);
  return z ? outcome(p, z->stream.end()) : why;
}
static Term reset_stream(Process& p, Term t, State state) {
  Term why;
  ZlibObject* z = own(p, t, state, &why);
  return z ? outcome(p, z->stream.reset()) : why;
}
BIF(zlib, deflateEnd_nif, 1)
{
  return end_stream(p, a[0], State::deflating);
}
BIF(zlib, inflateEnd_nif, 1)
{
  return end_stream(p, a[0], State::inflating);
}
BIF(zlib, deflateReset_nif, 1)
{
  return reset_stream(p, a[0], State::deflating);
}
BIF(zlib, inflateReset_nif, 1)
{
  return reset_stream(p, a[0], State::inflating);
}

// --- parameters ----------------------------------------------------------------------------------
BIF(zlib, deflateParams_nif, 3)
{
  Term why;
  int v[2];
  ZlibObject* z = own(p, a[0], State::deflating, &why);
  if (!z) return why;
  return ints(a + 1, 2, v) ? outcome(p, z->stream.set_params(v[0], v[1])) : kBadarg;
}

static Term set_dictionary(Process& p, const Term* a, State state, bool checksum) {
  Term why;
  ZlibObject* z = own(p, a[0], state, &why);
  if (!z) return why;
  std::string bytes;
  if (!iolist_to_bytes(a[1], &bytes)) return kBadarg;
  int code = z->stream.set_dictionary(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return code == Z_OK && checksum ? make_unsigned(p.heap, z->stream.adler()) : outcome(p, code);
}
BIF(zlib, deflateSetDictionary_nif, 2)
{
  return set_dictionary(p, a, State::deflating, true);
}
BIF(zlib, inflateSetDictionary_nif, 2)
{
  return set_dictionary(p, a, State::inflating, false);
}

BIF(zlib, inflateGetDictionary_nif, 1)
{
  Term why;
  ZlibObject* z = own(p, a[0], State::inflating, &why);
  if (!z) return why;
  std::string bytes;
  int code = z->stream.get_dictionary(&bytes);
  return code == Z_OK ? make_binary(p.heap, bytes.data(), bytes.size()) : outcome(p, code);
}

BIF(zlib, getBufSize_nif, 1)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  return z ? make_small(z->buffer_size) : why;
}

BIF(zlib, setBufSize_nif, 2)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  if (!ints(a + 1, 1, &z->buffer_size)) return kBadarg;
  return am::ok;
}

BIF(zlib, crc32_nif, 1)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  return z ? make_small(z->stream.crc()) : why;
}

// --- data ----------------------------------------------------------------------------------------
BIF(zlib, enqueue_nif, 2)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  State s = z->stream.state();
  if (s != State::deflating && s != State::inflating) return p.error(am::not_initialized);
  for (Term l = a[1]; is_cons(l); l = tail(l)) {
    if (!is_binary(head(l))) return kBadarg;
  }
  for (Term l = a[1]; is_cons(l); l = tail(l)) {
    ByteView v(head(l));
    z->stream.enqueue(v.data(), v.size());
  }
  return am::ok;
}

BIF(zlib, deflate_nif, 4)
{
  Term why;
  int v[3], error = Z_OK;
  ZlibObject* z = own(p, a[0], State::deflating, &why);
  if (!z) return why;
  if (!chunk_sizes(a + 1, v)) return kBadarg;
  std::string out;
  auto step =
      z->stream.deflate(static_cast<size_t>(v[0]), static_cast<size_t>(v[1]), v[2], &out, &error);
  return step_result(p, z->stream, step, out, error);
}

BIF(zlib, inflate_nif, 4)
{
  Term why;
  int v[3], error = Z_OK;
  ZlibObject* z = own(p, a[0], State::inflating, &why);
  if (!z) return why;
  if (!chunk_sizes(a + 1, v)) return kBadarg;
  std::string out;
  auto step = z->stream.inflate(static_cast<size_t>(v[0]), static_cast<size_t>(v[1]), &out, &error);
  return step_result(p, z->stream, step, out, error);
}

// --- what zlib.erl sets aside --------------------------------------------------------------------
BIF(zlib, setStash_nif, 2)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  z->stash.clear();
  return encode_term(a[1], {}, &z->stash) ? am::ok : kSystemLimit;
}

BIF(zlib, getStash_nif, 1)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  if (z->stash.empty()) return am::empty_;
  Term t = decode_term(p.heap, z->stash.data(), z->stash.size());
  return is_fault(t) ? t : tuple(p.heap, am::ok, t);
}

BIF(zlib, clearStash_nif, 1)
{
  Term why;
  ZlibObject* z = own(p, a[0], &why);
  if (!z) return why;
  z->stash.clear();
  return am::ok;
}

}  // namespace wb
