// A number (or pointer) that one thread writes in the course of its work and others look at.
//
// Loads and stores are relaxed, so it costs what a plain variable costs; who looks gets a value
// that was there, of no particular moment. Only the owner adds to it.
#pragma once

#include <atomic>

namespace wb {

template <class T>
class Watched {
 public:
  constexpr Watched(T value = {}) : value_(value) {}
  Watched(const Watched&) = delete;
  operator T() const { return get(); }
  T get() const { return value_.load(std::memory_order_relaxed); }
  T operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return value;
  }
  T operator+=(T n) { return *this = *this + n; }
  T operator++() { return *this += 1; }
  T operator--() { return *this = *this - 1; }

 private:
  std::atomic<T> value_;
};

}  // namespace wb
