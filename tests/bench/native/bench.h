// Runs a program of cpp/ or caf/ as bench_driver.erl runs its equivalent: `PROGRAM NAME TIMES`,
// once to warm up and then TIMES times, with the same lines as output. Results are texts, written
// as Erlang writes them.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline std::string text(const std::string& s) { return s; }
inline std::string text(long n) { return std::to_string(n); }
inline std::string text(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}

template <class... T>
std::string tuple(const T&... parts) {
  std::string all;
  ((all += (all.empty() ? "{" : ",") + text(parts)), ...);
  return all + "}";
}

template <class List>
std::string list(const List& parts) {
  std::string all;
  for (const auto& part : parts) all += (all.empty() ? "" : ",") + text(part);
  return "[" + all + "]";
}

/// The bytes of `s` as a binary.
template <class Bytes>
std::string binary(const Bytes& s) {
  std::string all;
  for (unsigned char c : s) all += (all.empty() ? "" : ",") + text(long{c});
  return "<<" + all + ">>";
}

/// `x`, of which the compiler knows nothing: what is made of it is computed, each time.
template <class T>
T opaque(T x) {
  asm volatile("" : "+r"(x) : : "memory");
  return x;
}

/// The generator of most programs.
inline long next_random(long x) { return (x * 1103515245 + 12345) & 0x7fffffff; }

/// Milliseconds, or nanoseconds of each of so many operations.
struct Unit {
  const char* name = "ms";
  double operations = 1e6;
};

inline double seconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

[[gnu::noipa]] inline int main(char** argv, const std::function<std::string()>& run,
                               Unit unit = {}) {
  const std::string result = run();
  for (int left = atoi(argv[2]); left > 0; --left) {
    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), start = seconds_of(CLOCK_MONOTONIC);
    std::string again = run();
    double time = seconds_of(CLOCK_MONOTONIC) - start;
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (again != result) return fprintf(stderr, "results differ\n"), 1;
    printf("%s %s %.3f %.3f\n", argv[1], unit.name, time * 1e9 / unit.operations, cpu * 1e3);
  }
  printf("result %s\n", result.c_str());
  return 0;
}

/// N of a name such as thread_ring_N.
inline int number_in_name(char** argv) {
  std::string name = argv[1];
  return atoi(name.substr(name.rfind('_') + 1).c_str());
}

}  // namespace bench
