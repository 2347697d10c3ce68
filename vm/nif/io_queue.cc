// I/O vectors and queues of binaries.
//
// A vector's pieces point into binaries of terms, or (bytes of lists, small binaries) into one
// binary that is made for it. With an environment they live as long as that; without one the vector
// has shares of all of them, until enif_free_iovec. A queue always has shares.
#include <algorithm>
#include <cstring>
#include <deque>

#include "term/binary.h"
#include "term/bits.h"
#include "term/lists.h"
#include "vm/nif/environment.h"

using namespace wb;

// --- vectors -------------------------------------------------------------------------------------
namespace {

constexpr int kOwned = 1;  ///< ErlNifIOVec::flags: of no environment
constexpr int kMade = 2;   ///< the structure was allocated here

/// The shared bytes that a piece lies in, or nullptr: it is in a heap.
Binary* shared_bytes(Term t) {
  const Term base = extent_of(t).base;
  const Term* p = boxed_ptr(base);
  return header_kind(p[0]) == Kind::refc_bin ? refc_bin::object(p) : nullptr;
}
Binary* copy_of(const uint8_t* bytes, size_t n) {
  Binary* b = new_binary(n);
  if (b) memcpy(b->data, bytes, n);
  return b;
}

struct Piece {
  SysIOVec bytes;
  Binary* share;
};
SysIOVec span_of(const uint8_t* bytes, size_t n) {
  return {const_cast<char*>(reinterpret_cast<const char*>(bytes)), n};
}

/// One of a vector, with a share of what it lies in; false: the term is no bitstring. Bits beyond whole bytes do not
/// count.
bool take_piece(Term t, Piece* piece) {
  if (!is_bitstring(t)) return false;
  const Bits bits = bits_in(t);
  Binary* b = bits.aligned() ? shared_bytes(t) : nullptr;
  if (b) {
    b->retain();
    piece->bytes = span_of(bits.bytes, bits.size / 8);
  } else {
    ByteView view(t);
    b = copy_of(view.data(), view.size());
    if (!b) return false;
    piece->bytes = span_of(b->data, view.size());
  }
  piece->share = b;
  return true;
}

void release_pieces(std::vector<Piece>& all) {
  for (Piece& p : all) p.share->release();
}

}  // namespace

/// An environment's vector keeps its shares by terms of the environment.
static void keep_by_terms(ErlNifEnv* env, const std::vector<Piece>& all) {
  for (const Piece& p : all) wrap_binary(*env->heap, p.share);
}

int enif_inspect_iovec(ErlNifEnv* env, size_t most, ERL_NIF_TERM list, ERL_NIF_TERM* rest,
                       ErlNifIOVec** vector) {
  if (!this_instance) vm_of_thread();
  std::vector<Piece> all;
  size_t bytes = 0;
  most = std::max<size_t>(most, 1);
  for (; is_cons(list) && all.size() < most; list = tail(list)) {
    Piece piece;
    if (!take_piece(head(list), &piece)) {
      release_pieces(all);
      return 0;
    }
    bytes += piece.bytes.iov_len;
    all.push_back(piece);
  }
  if (!is_list(list)) {
    release_pieces(all);
    return 0;
  }
  const bool fits = all.size() <= ERL_NIF_IOVEC_SIZE;
  ErlNifIOVec* to = *vector;
  int flags = env ? 0 : kOwned;
  if (!to || !fits) {
    const size_t n = all.size();
    const size_t size = sizeof(ErlNifIOVec) + n * (sizeof(SysIOVec) + sizeof(void*));
    if (env) {
      uint8_t* memory;
      new_bytes(*env->heap, std::max<size_t>(size, kMaxHeapBinBytes + 1), &memory);
      to = reinterpret_cast<ErlNifIOVec*>(memory);
    } else {
      to = static_cast<ErlNifIOVec*>(malloc(size));
      flags |= kMade;
    }
    to->iov = fits ? to->small_iov : reinterpret_cast<SysIOVec*>(to + 1);
    to->ref_bins = fits ? to->small_ref_bin : reinterpret_cast<void**>(to->iov + n);
    *vector = to;
  } else {
    to->iov = to->small_iov;
    to->ref_bins = to->small_ref_bin;
  }
  to->iovcnt = static_cast<int>(all.size());
  to->size = bytes;
  to->flags = flags;
  for (size_t k = 0; k < all.size(); ++k) {
    to->iov[k] = all[k].bytes;
    to->ref_bins[k] = all[k].share;
  }
  if (env) keep_by_terms(env, all);
  *rest = list;
  return 1;
}

void enif_free_iovec(ErlNifIOVec* v) {
  if (!v || !(v->flags & kOwned)) return;
  for (int k = 0; k < v->iovcnt; ++k) static_cast<Binary*>(v->ref_bins[k])->release();
  v->iovcnt = 0;
  if (v->flags & kMade) free(v);
}

// --- queues --------------------------------------------------------------------------------------
struct erts_io_queue {
  std::deque<Piece> pieces;
  std::vector<SysIOVec> shown;  ///< what enif_ioq_peek has given
  size_t size = 0;
};

ErlNifIOQueue* enif_ioq_create(ErlNifIOQueueOpts opts) {
  return opts == ERL_NIF_IOQ_NORMAL ? new ErlNifIOQueue : nullptr;
}
void enif_ioq_destroy(ErlNifIOQueue* q) {
  if (!this_instance) vm_of_thread();
  for (Piece& p : q->pieces) p.share->release();
  delete q;
}
size_t enif_ioq_size(ErlNifIOQueue* q) { return q->size; }

/// What is left of it behind `*skip` bytes; takes over the share.
static void enqueue(ErlNifIOQueue* q, Piece p, size_t* skip) {
  const size_t less = std::min(*skip, p.bytes.iov_len);
  *skip -= less;
  p.bytes.iov_base += less;
  p.bytes.iov_len -= less;
  if (!p.bytes.iov_len) return p.share->release();
  q->size += p.bytes.iov_len;
  q->pieces.push_back(p);
}
int enif_ioq_enq_binary(ErlNifIOQueue* q, ErlNifBinary* bin, size_t skip) {
  if (skip > bin->size) return 0;
  if (!this_instance) vm_of_thread();
  auto* b = static_cast<Binary*>(bin->ref_bin);
  if (!b) b = copy_of(bin->data, bin->size);
  if (!b) return 0;
  enqueue(q, {span_of(b->data, bin->size), b}, &skip);
  bin->ref_bin = nullptr;
  return 1;
}
int enif_ioq_enqv(ErlNifIOQueue* q, ErlNifIOVec* v, size_t skip) {
  if (skip > v->size) return 0;
  if (!this_instance) vm_of_thread();
  for (int k = 0; k < v->iovcnt; ++k) {
    auto* b = static_cast<Binary*>(v->ref_bins[k]);
    b->retain();
    enqueue(q, {v->iov[k], b}, &skip);
  }
  return 1;
}
int enif_ioq_deq(ErlNifIOQueue* q, size_t count, size_t* left) {
  if (count > q->size) return 0;
  if (!this_instance) vm_of_thread();
  q->size -= count;
  while (count) {
    Piece& p = q->pieces.front();
    const size_t less = std::min(count, p.bytes.iov_len);
    p.bytes.iov_base += less;
    p.bytes.iov_len -= less;
    count -= less;
    if (p.bytes.iov_len) break;
    p.share->release();
    q->pieces.pop_front();
  }
  if (left) *left = q->size;
  return 1;
}
SysIOVec* enif_ioq_peek(ErlNifIOQueue* q, int* n) {
  q->shown.clear();
  for (const Piece& p : q->pieces) q->shown.push_back(p.bytes);
  *n = static_cast<int>(q->shown.size());
  return q->shown.empty() ? nullptr : q->shown.data();
}
int enif_ioq_peek_head(ErlNifEnv* env, ErlNifIOQueue* q, size_t* size, ERL_NIF_TERM* binary) {
  if (q->pieces.empty()) return 0;
  const Piece& p = q->pieces.front();
  p.share->retain();
  const Term whole = wrap_binary(*env->heap, p.share);
  const auto at = static_cast<size_t>(p.bytes.iov_base - reinterpret_cast<char*>(p.share->data));
  *binary = sub_bitstring(*env->heap, whole, at * 8, p.bytes.iov_len * 8);
  if (size) *size = p.bytes.iov_len;
  return 1;
}
