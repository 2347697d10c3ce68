// Matrix product of integers.
#include "tests/bench/native/bench.h"

namespace {

using Matrix = std::vector<std::vector<long>>;
constexpr size_t kSize = 90;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result(kSize, std::vector<long>(kSize)), columns = result;
  for (size_t r = 0; r < kSize; ++r) {
    for (size_t c = 0; c < kSize; ++c) columns[c][r] = b[r][c];
  }
  for (size_t r = 0; r < kSize; ++r) {
    for (size_t c = 0; c < kSize; ++c) {
      for (size_t k = 0; k < kSize; ++k) result[r][c] += a[r][k] * columns[c][k];
    }
  }
  return result;
}

std::string run() {
  Matrix a;
  for (size_t r = 1; r <= kSize; ++r) {
    a.emplace_back();
    for (size_t c = 1; c <= kSize; ++c) a.back().push_back(static_cast<long>((r * 3 + c) % 11));
  }
  long sum = 0;
  for (const auto& row : product(a, product(a, product(a, a)))) {
    for (long x : row) sum += x;
  }
  return bench::text(sum);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
