#include "vm/process/long_arithmetic.h"

#include <algorithm>
#include <cmath>

#include "vm/process/native_yield.h"

namespace wb {
namespace {

/// About four to a nanosecond: what GMP needs to multiply or divide.
double work_of(Term name, Term a, Term b) {
  const auto n = static_cast<double>(big_size(a)), m = static_cast<double>(big_size(b));
  if (name == am::times) return std::max(n, m) * std::sqrt(std::min(n, m));
  if ((name != am::div && name != am::rem) || n < m) return 0;
  const double quotient = n - m + 1;
  return 2 * std::max(quotient, m) * std::sqrt(std::min(quotient, m));
}

}  // namespace

Term long_operation(Process& p, NumberOp op, Term name, Term a, Term b) {
  constexpr double kMillisecond = 250'000, kReduction = 60;
  const double work = work_of(name, a, b);
  p.charge(static_cast<int64_t>(work / kReduction));
  if (work < kMillisecond) return op(p.heap, a, b);
  return compute_off_scheduler(p, [=](Heap& h) { return op(h, a, b); });
}

}  // namespace wb
