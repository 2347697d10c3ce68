// Words of a text counted in a hash table, then sorted.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "tests/bench/native/bench.h"

namespace {

std::string run() {
  std::vector<std::string> words;
  long x = 7;
  for (int i = 0; i < 40'000; ++i) {
    x = bench::next_random(x);
    words.push_back("w" + std::to_string((x >> 8) % 3000) + " ");
  }
  std::string all;
  for (auto word = words.rbegin(); word != words.rend(); ++word) all += *word;

  std::unordered_map<std::string, long> counts;
  std::string word;
  for (char c : all) {
    if (c != ' ') {
      word += c;
    } else {
      ++counts[word];
      word.clear();
    }
  }
  std::vector<std::pair<std::string, long>> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.second, std::string_view(a.first)) <
           std::pair(-b.second, std::string_view(b.first));
  });
  std::vector<std::string> first;
  for (size_t i = 0; i < 5; ++i)
    first.push_back(bench::tuple(bench::binary(sorted[i].first), sorted[i].second));
  return bench::tuple(static_cast<long>(counts.size()), bench::list(first));
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
