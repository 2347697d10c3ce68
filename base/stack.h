// An explicit stack for walking terms without C++ recursion: the first N items live in the object,
// more are malloced. Items must be trivially copyable.
#pragma once

#include <cstdlib>
#include <type_traits>

#include "base/base.h"

namespace wb {

template <class T, size_t N = 64>
class Stack {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Stack() = default;
  ~Stack() {
    if (items_ != inline_items()) free(items_);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  void push(const T& item) {
    if (WB_UNLIKELY(size_ == capacity_)) grow();
    items_[size_++] = item;
  }
  T pop() { return items_[--size_]; }
  T& top() { return items_[size_ - 1]; }
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  void shrink(size_t size) { size_ = size; }

 private:
  T* inline_items() { return reinterpret_cast<T*>(storage_); }

  WB_COLD void grow() {
    T* bigger = static_cast<T*>(malloc(capacity_ * 2 * sizeof(T)));
    WB_CHECK(bigger != nullptr);
    memcpy(bigger, items_, size_ * sizeof(T));
    if (items_ != inline_items()) free(items_);
    items_ = bigger;
    capacity_ *= 2;
  }

  T* items_ = inline_items();
  size_t size_ = 0;
  size_t capacity_ = N;
  alignas(T) unsigned char storage_[N * sizeof(T)];
};

}  // namespace wb
