// A value, or why there is none.
//
// For work that fails on account of a file or of the outside world: the caller must look before it
// takes the value. (Functions that compute terms use the cheaper term/fault.h.)
#pragma once

#include <utility>
#include <variant>

#include "base/base.h"

namespace wb {

struct LoadError;  // bytecode/load_error.h

template <class T, class E = LoadError>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    WB_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    WB_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    WB_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const E& error() const {
    WB_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, E> state_;
};

}  // namespace wb
