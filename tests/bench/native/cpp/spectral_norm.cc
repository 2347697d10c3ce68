// Spectral norm of an infinite matrix.
#include <cmath>

#include "tests/bench/native/bench.h"

namespace {

using Vector = std::vector<double>;
constexpr long kN = 130;

double a(long i, long j) { return 1.0 / static_cast<double>((i + j) * (i + j + 1) / 2 + i + 1); }

template <class A>
Vector times(A matrix, const Vector& v) {
  Vector product;
  for (long i = 0; i < kN; ++i) {
    double sum = 0;
    for (long j = 0; j < kN; ++j) sum += matrix(i, j) * v[static_cast<size_t>(j)];
    product.push_back(sum);
  }
  return product;
}
Vector at_a_times(const Vector& v) {
  return times([](long i, long j) { return a(j, i); }, times(a, v));
}
double dot(const Vector& v, const Vector& w) {
  double sum = 0;
  for (size_t i = 0; i < v.size(); ++i) sum += v[i] * w[i];
  return sum;
}

std::string run() {
  Vector u(kN, 1.0), v;
  for (int i = 0; i < 10; ++i) {
    v = at_a_times(u);
    u = at_a_times(v);
  }
  return bench::text(std::sqrt(dot(u, v) / dot(v, v)));
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
