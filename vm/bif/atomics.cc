// atomics: arrays of 64-bit integers that processes share, behind a magic reference. counters with
// write_concurrency: the same, one row of cache lines a scheduler, added when read.
#include <thread>

#include "term/map.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"

namespace wb {
namespace {

struct SharedArray : OffHeapObject {
  uint64_t size;    // elements programs see
  uint64_t rows;    // copies of each, to be added
  uint64_t stride;  // elements from row to row
  bool is_signed;
  std::atomic<uint64_t>* values;

  uint64_t bytes() const { return sizeof(SharedArray) + rows * stride * sizeof(uint64_t); }
};

void destroy_atomics(OffHeapObject* o) {
  auto* array = static_cast<SharedArray*>(o);
  free(array->values);
  delete array;
}
/// Another address, so that a counter is no atomics array.
void destroy_counters(OffHeapObject* o) {
  destroy_atomics(o);
  asm volatile("" ::: "memory");
}

/// Error as OTP's: badarg for no positive integer, system_limit for too many elements.
Term new_array(Process& p, Term size, uint64_t rows, bool is_signed,
               void (*destroy)(OffHeapObject*)) {
  constexpr uint64_t kMaxElements = uint64_t{1} << 32;
  uint64_t n;
  if (!is_integer(size)) return kBadarg;
  if (!to_uint64(size, &n)) return is_big(size) && !big_negative(size) ? kSystemLimit : kBadarg;
  if (n == 0) return kBadarg;
  if (n > kMaxElements) return kSystemLimit;
  const uint64_t stride = rows == 1 ? n : (n + 7) & ~uint64_t{7};
  const uint64_t bytes = rows * stride * sizeof(uint64_t);
  void* memory = nullptr;
  if (rows == 1)
    memory = calloc(n, sizeof(uint64_t));  // large ones cost only what is touched
  else if (posix_memalign(&memory, 64, bytes) == 0)
    memset(memory, 0, bytes);
  else
    memory = nullptr;
  if (!memory) return kSystemLimit;
  auto* array = new SharedArray;
  array->destroy = destroy;
  array->size = n;
  array->rows = rows;
  array->stride = stride;
  array->is_signed = is_signed;
  array->values = static_cast<std::atomic<uint64_t>*>(memory);
  return p.vm().new_magic_ref(p.heap, array, array->bytes());
}

SharedArray* array_of(Term ref, void (*destroy)(OffHeapObject*)) {
  if (!is_kind(ref, Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(ref);
  return o->destroy == destroy ? static_cast<SharedArray*>(o) : nullptr;
}

/// The element that `ref` and `index` (from 1) name, in row 0; nullptr if there is none.
std::atomic<uint64_t>* element_of(SharedArray* array, Term index) {
  if (!array || !is_small(index)) return nullptr;
  const int64_t i = small_value(index);
  if (i < 1 || static_cast<uint64_t>(i) > array->size) return nullptr;
  return &array->values[i - 1];
}

/// A value of the array's own range.
bool to_value(const SharedArray& array, Term t, uint64_t* out) {
  if (!array.is_signed) return to_uint64(t, out);
  int64_t v;
  if (!to_int64(t, &v)) return false;
  *out = static_cast<uint64_t>(v);
  return true;
}

/// An increment: anything of 64 bits, signed or not.
bool to_increment(Term t, uint64_t* out) {
  int64_t v;
  if (!to_int64(t, &v)) return to_uint64(t, out);
  *out = static_cast<uint64_t>(v);
  return true;
}

Term from_value(Heap& h, const SharedArray& array, uint64_t v) {
  return array.is_signed ? make_integer(h, static_cast<int64_t>(v)) : make_unsigned(h, v);
}

constexpr auto kOrder = std::memory_order_seq_cst;

struct ElementRef {
  ElementRef(const Term* a)
      : array(array_of(a[0], destroy_atomics)), element(element_of(array, a[1])) {}
  explicit operator bool() const { return element != nullptr; }
  SharedArray* array;
  std::atomic<uint64_t>* element;
};

}  // namespace

BIF(erts_internal, atomics_new, 2)
{
  uint64_t flags;
  if (!to_uint64(a[1], &flags)) return kBadarg;
  return new_array(p, a[0], 1, flags & 1, destroy_atomics);
}

BIF(atomics, put, 3)
{
  ElementRef at(a);
  uint64_t v;
  if (!at || !to_value(*at.array, a[2], &v)) return kBadarg;
  at.element->store(v, kOrder);
  return am::ok;
}

BIF(atomics, get, 2)
{
  ElementRef at(a);
  return at ? from_value(p.heap, *at.array, at.element->load(kOrder)) : kBadarg;
}

BIF(atomics, add, 3)
{
  ElementRef at(a);
  uint64_t v;
  if (!at || !to_increment(a[2], &v)) return kBadarg;
  at.element->fetch_add(v, kOrder);
  return am::ok;
}

BIF(atomics, add_get, 3)
{
  ElementRef at(a);
  uint64_t v;
  if (!at || !to_increment(a[2], &v)) return kBadarg;
  return from_value(p.heap, *at.array, at.element->fetch_add(v, kOrder) + v);
}

BIF(atomics, exchange, 3)
{
  ElementRef at(a);
  uint64_t v;
  if (!at || !to_value(*at.array, a[2], &v)) return kBadarg;
  return from_value(p.heap, *at.array, at.element->exchange(v, kOrder));
}

BIF(atomics, compare_exchange, 4)
{
  ElementRef at(a);
  uint64_t expected, desired;
  if (!at || !to_value(*at.array, a[2], &expected) || !to_value(*at.array, a[3], &desired))
    return kBadarg;
  if (at.element->compare_exchange_strong(expected, desired, kOrder)) return am::ok;
  return from_value(p.heap, *at.array, expected);
}

BIF(atomics, info, 1)
{
  SharedArray* array = array_of(a[0], destroy_atomics);
  if (!array) return kBadarg;
  Heap& h = p.heap;
  Term min = array->is_signed ? make_integer(h, INT64_MIN) : make_small(0);
  Term max = array->is_signed ? make_integer(h, INT64_MAX) : make_unsigned(h, UINT64_MAX);
  Term pairs[] = {am::size,   make_unsigned(h, array->size),         am::max, max, am::min, min,
                  am::memory, make_unsigned(h, 40 + array->size * 8)};
  return map_from_pairs(h, pairs, 4);
}

// --- counters ---------------------------------------------------------------------------------
BIF(erts_internal, counters_new, 1)
{
  const uint64_t cores = std::thread::hardware_concurrency();
  return new_array(p, a[0], cores < 1 ? 1 : cores > 64 ? 64 : cores, true, destroy_counters);
}

BIF(erts_internal, counters_get, 2)
{
  SharedArray* array = array_of(a[0], destroy_counters);
  std::atomic<uint64_t>* e = element_of(array, a[1]);
  if (!e) return kBadarg;
  uint64_t sum = 0;
  for (uint64_t row = 0; row < array->rows; ++row)
    sum += e[row * array->stride].load(std::memory_order_relaxed);
  return from_value(p.heap, *array, sum);
}

BIF(erts_internal, counters_add, 3)
{
  SharedArray* array = array_of(a[0], destroy_counters);
  std::atomic<uint64_t>* e = element_of(array, a[1]);
  uint64_t v;
  if (!e || !to_increment(a[2], &v)) return kBadarg;
  e[p.home % array->rows * array->stride].fetch_add(v, std::memory_order_relaxed);
  return am::ok;
}

BIF(erts_internal, counters_put, 3)
{
  SharedArray* array = array_of(a[0], destroy_counters);
  std::atomic<uint64_t>* e = element_of(array, a[1]);
  uint64_t v;
  if (!e || !to_value(*array, a[2], &v)) return kBadarg;
  for (uint64_t row = 0; row < array->rows; ++row)
    e[row * array->stride].store(row == 0 ? v : 0, std::memory_order_relaxed);
  return am::ok;
}

BIF(erts_internal, counters_info, 1)
{
  SharedArray* array = array_of(a[0], destroy_counters);
  if (!array) return kBadarg;
  Term pairs[] = {am::size, make_unsigned(p.heap, array->size), am::memory,
                  make_unsigned(p.heap, array->bytes())};
  return map_from_pairs(p.heap, pairs, 2);
}

}  // namespace wb
