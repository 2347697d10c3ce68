// Clocks, time stamps and unique integers. Calendar conversions: calendar.cc.
#include <algorithm>

#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"

namespace wb {

constexpr int64_t kNanosecond = 1'000'000'000;

// --- units ---------------------------------------------------------------------------------------
/// Parts of a second of a named unit; 0: no such unit.
static int64_t parts_of(Term unit) {
  switch (unit) {
    case am::second:
    case am::seconds:
      return 1;
    case am::millisecond:
    case am::milli_seconds:
      return 1'000;
    case am::microsecond:
    case am::micro_seconds:
      return 1'000'000;
    case am::nanosecond:
    case am::nano_seconds:
    case am::native:
    case am::perf_counter:
      return kNanosecond;
    default:
      return 0;
  }
}
static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// `ns` in `unit`, an atom or a positive number of parts of a second.
static Term in_unit(Heap& h, int64_t ns, Term unit) {
  if (is_atom(unit)) {
    int64_t parts = parts_of(unit);
    return parts ? make_integer(h, floor_divide(ns, kNanosecond / parts)) : kBadarg;
  }
  if (!is_integer(unit) || compare_numbers(unit, make_small(0)) <= 0) return kBadarg;
  Term product = num_mul(h, make_integer(h, ns), unit);
  if (ns < 0) product = num_sub(h, product, make_small(kNanosecond - 1));  // div truncates
  return is_fault(product) ? product : num_div(h, product, make_small(kNanosecond));
}
BIF(erts_internal, time_unit, 0)
{
  return make_small(kNanosecond);
}
BIF(erts_internal, perf_counter_unit, 0)
{
  return make_small(kNanosecond);
}

// --- clocks --------------------------------------------------------------------------------------
BIF(erlang, monotonic_time, 0)
{
  return make_integer(p.heap, p.vm().clock->monotonic_ns());
}
BIF(erlang, monotonic_time, 1)
{
  return in_unit(p.heap, p.vm().clock->monotonic_ns(), a[0]);
}
BIF(erlang, system_time, 0)
{
  return make_integer(p.heap, p.vm().clock->system_ns());
}
BIF(erlang, system_time, 1)
{
  return in_unit(p.heap, p.vm().clock->system_ns(), a[0]);
}
BIF(erlang, time_offset, 0)
{
  return make_integer(p.heap, p.vm().clock->offset_ns());
}
BIF(erlang, time_offset, 1)
{
  return in_unit(p.heap, p.vm().clock->offset_ns(), a[0]);
}
BIF(os, system_time, 0)
{
  return make_integer(p.heap, p.vm().clock->os_system_ns());
}
BIF(os, system_time, 1)
{
  return in_unit(p.heap, p.vm().clock->os_system_ns(), a[0]);
}
BIF(os, perf_counter, 0)
{
  return make_unsigned(p.heap, p.vm().clock->os_monotonic_ns());
}

static Term time_stamp(Heap& h, int64_t microseconds) {
  int64_t seconds = floor_divide(microseconds, 1'000'000);
  return tuple(h, make_small(floor_divide(seconds, 1'000'000)), make_small(seconds % 1'000'000),
               make_small(microseconds - seconds * 1'000'000));
}
BIF(erlang, timestamp, 0)
{
  return time_stamp(p.heap, p.vm().clock->system_ns() / 1000);
}
BIF(os, timestamp, 0)
{
  return time_stamp(p.heap, p.vm().clock->os_system_ns() / 1000);
}
/// Never the same value twice.
BIF(erlang, now, 0)
{
  return time_stamp(p.heap, p.vm().now_us());
}

// --- unique integers -----------------------------------------------------------------------------
BIF(erlang, unique_integer, 0)
{
  const uint64_t n = p.vm().unique.take(p.exec->unique);
  return make_integer(p.heap, kSmallMin + static_cast<int64_t>(n));
}
BIF(erlang, unique_integer, 1)
{
  bool positive = false, monotonic = false;
  Term options = a[0];
  for (; is_cons(options); options = tail(options)) {
    if (head(options) == am::positive)
      positive = true;
    else if (head(options) == am::monotonic)
      monotonic = true;
    else
      return kBadarg;
  }
  if (!is_nil(options)) return kBadarg;
  int64_t n = monotonic ? p.vm().unique_monotonic.fetch_add(1)
                        : static_cast<int64_t>(p.vm().unique.take(p.exec->unique));
  // Counters run through all 64 bits, so that the numbers end at kSmallMin + 2^64 - 1.
  if (positive) return make_unsigned(p.heap, static_cast<uint64_t>(n) + 1);
  if (n >= 0) return make_integer(p.heap, kSmallMin + n);
  return make_unsigned(p.heap, static_cast<uint64_t>(n) + static_cast<uint64_t>(kSmallMin));
}

}  // namespace wb
