#include "vm/driver/binaries.h"

#include <algorithm>
#include <cstring>

#include "term/bits.h"
#include "vm/io/iolist.h"
#include "vm/nif/environment.h"

namespace wb {

static SysIOVec span_of(void* bytes, size_t n) { return {static_cast<char*>(bytes), n}; }

Term term_of_binary(Heap& h, ErlDrvBinary* b, size_t offset, size_t n) {
  Binary* whole = binary_of(b);
  if (offset > whole->size || n > whole->size - offset) return kNone;
  if (n <= kMaxHeapBinBytes) return make_binary(h, whole->data + offset, n);
  whole->retain();
  const Term term = wrap_binary(h, whole);
  return n == whole->size ? term : sub_bitstring(h, term, offset * 8, n * 8);
}

// --- vectors -------------------------------------------------------------------------------------
IoVectors::~IoVectors() {
  for (ErlDrvBinary* b : binaries) {
    if (b) binary_of(b)->release();
  }
}

bool IoVectors::add_copy(const std::vector<uint8_t>& few) {
  if (few.empty()) return true;
  Binary* b = new_binary(few.size());
  if (!b) return false;
  std::ranges::copy(few, b->data);
  bytes.push_back(span_of(b->data, few.size()));
  binaries.push_back(driver_view(b));
  return true;
}

/// Bytes and small binaries that stand together share a binary; large ones are given as they are.
bool IoVectors::read(Term iolist) {
  bytes.push_back({nullptr, 0});
  binaries.push_back(nullptr);
  std::vector<uint8_t> few;
  UnlimitedBudget budget;
  const auto add_binary = [&](Term t) {
    const Bits bits = bits_in(t);
    const Term* base = boxed_ptr(extent_of(t).base);
    const size_t n = bits.size / 8;
    size += n;
    if (header_kind(base[0]) != Kind::refc_bin || !bits.aligned() || n <= kMaxHeapBinBytes) {
      const ByteView view(t);
      few.insert(few.end(), view.data(), view.data() + n);
      return true;
    }
    if (!add_copy(few)) return false;
    few.clear();
    Binary* b = refc_bin::object(base);
    b->retain();
    bytes.push_back(span_of(const_cast<uint8_t*>(bits.bytes), n));
    binaries.push_back(driver_view(b));
    return true;
  };
  const auto add_byte = [&](uint8_t byte) {
    few.push_back(byte);
    ++size;
  };
  return walk_iolist(iolist, budget, add_byte, add_binary) && add_copy(few);
}
ErlIOVec IoVectors::view() {
  return {static_cast<int>(bytes.size()), size, bytes.data(), binaries.data()};
}

// --- the queue -----------------------------------------------------------------------------------
void DriverQueue::insert(bool in_front, const std::vector<SysIOVec>& bytes,
                         const std::vector<ErlDrvBinary*>& binaries) {
  for (const SysIOVec& v : bytes) size_ += v.iov_len;
  const auto at = static_cast<ptrdiff_t>(in_front ? first_ : bytes_.size());
  if (in_front && first_ >= bytes.size()) {
    first_ -= bytes.size();
    std::ranges::copy(bytes, bytes_.begin() + static_cast<ptrdiff_t>(first_));
    std::ranges::copy(binaries, binaries_.begin() + static_cast<ptrdiff_t>(first_));
    return;
  }
  bytes_.insert(bytes_.begin() + at, bytes.begin(), bytes.end());
  binaries_.insert(binaries_.begin() + at, binaries.begin(), binaries.end());
}

bool DriverQueue::add_copy(const char* from, size_t n, bool in_front) {
  if (n == 0) return true;
  Binary* b = new_binary(n);
  if (!b) return false;
  memcpy(b->data, from, n);
  insert(in_front, {span_of(b->data, n)}, {driver_view(b)});
  return true;
}

bool DriverQueue::add(const ErlIOVec& v, size_t skip, bool in_front) {
  if (v.size < skip) return false;
  std::vector<SysIOVec> bytes;
  std::vector<ErlDrvBinary*> binaries;
  for (int k = 0; k < v.vsize; ++k) {
    SysIOVec piece = v.iov[k];
    const size_t skipped = std::min<size_t>(skip, piece.iov_len);
    skip -= skipped;
    piece = span_of(static_cast<char*>(piece.iov_base) + skipped, piece.iov_len - skipped);
    if (piece.iov_len == 0) continue;
    ErlDrvBinary* in = v.binv ? v.binv[k] : nullptr;
    if (in) {
      binary_of(in)->retain();
    } else {
      Binary* copy = new_binary(piece.iov_len);
      if (!copy) {
        for (ErlDrvBinary* b : binaries) binary_of(b)->release();
        return false;
      }
      memcpy(copy->data, piece.iov_base, piece.iov_len);
      piece = span_of(copy->data, piece.iov_len);
      in = driver_view(copy);
    }
    bytes.push_back(piece);
    binaries.push_back(in);
  }
  insert(in_front, bytes, binaries);
  return true;
}

bool DriverQueue::drop(size_t n) {
  if (n > size_) return false;
  size_ -= n;
  while (first_ < bytes_.size() && (n > 0 || bytes_[first_].iov_len == 0)) {
    SysIOVec& v = bytes_[first_];
    const size_t taken = std::min<size_t>(n, v.iov_len);
    n -= taken;
    v = span_of(static_cast<char*>(v.iov_base) + taken, v.iov_len - taken);
    if (v.iov_len == 0) binary_of(binaries_[first_++])->release();
  }
  if (first_ == bytes_.size()) bytes_.clear(), binaries_.clear(), first_ = 0;
  return true;
}

SysIOVec* DriverQueue::vectors(int* count) {
  *count = static_cast<int>(bytes_.size() - first_);
  return *count ? bytes_.data() + first_ : nullptr;
}
ErlIOVec DriverQueue::view() {
  int count;
  SysIOVec* v = vectors(&count);
  return {count, size_, v, count ? binaries_.data() + first_ : nullptr};
}

}  // namespace wb

using namespace wb;

// --- for drivers ---------------------------------------------------------------------------------
// Any thread may call these.
ErlDrvBinary* driver_alloc_binary(ErlDrvSizeT size) {
  vm_of_thread();
  Binary* b = new_binary(size);
  return b ? driver_view(b) : nullptr;
}
ErlDrvBinary* driver_realloc_binary(ErlDrvBinary* b, ErlDrvSizeT size) {
  if (!b) return driver_alloc_binary(size);
  ErlDrvBinary* made = driver_alloc_binary(size);
  if (!made) return nullptr;
  Binary* old = binary_of(b);
  memcpy(binary_of(made)->data, old->data, std::min<size_t>(old->size, size));
  old->release();
  return made;
}
void driver_free_binary(ErlDrvBinary* b) {
  vm_of_thread();
  if (b) binary_of(b)->release();
}
ErlDrvSInt driver_binary_get_refc(ErlDrvBinary* b) { return binary_of(b)->refs.load(); }
ErlDrvSInt driver_binary_inc_refc(ErlDrvBinary* b) { return binary_of(b)->refs.fetch_add(1) + 1; }
ErlDrvSInt driver_binary_dec_refc(ErlDrvBinary* b) {
  vm_of_thread();
  const ErlDrvSInt left = binary_of(b)->refs.load() - 1;
  binary_of(b)->release();
  return left;
}

ErlDrvSizeT driver_vec_to_buf(ErlIOVec* v, char* to, ErlDrvSizeT room) {
  size_t done = 0;
  for (int k = 0; k < v->vsize && done < room; ++k) {
    const size_t n = std::min<size_t>(room - done, v->iov[k].iov_len);
    if (n) memcpy(to + done, v->iov[k].iov_base, n);
    done += n;
  }
  return done;
}
