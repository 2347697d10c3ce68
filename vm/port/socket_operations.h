// The operations of a socket, by number.
#pragma once

#include <cstdint>
#include <optional>

#include "term/number.h"

namespace wb {

/// What prim_inet adds to each, so that a port of another kind notices.
constexpr uint64_t kSocketOperations = 0x03f1a300;

enum class SocketOperation : uint64_t {
#define SOCKET_OPERATION(number, name) name = number,
#include "vm/port/socket_operations.def"
};

/// That of an argument of port_control/3; none: it is for another kind of port.
inline std::optional<SocketOperation> socket_operation(Term number) {
  uint64_t n;
  if (!to_uint64(number, &n) || n < kSocketOperations) return std::nullopt;
  switch (const auto o = static_cast<SocketOperation>(n - kSocketOperations)) {
#define SOCKET_OPERATION(number, name) case SocketOperation::name:
#include "vm/port/socket_operations.def"
    return o;
  }
  return std::nullopt;
}
inline const char* socket_operation_name(SocketOperation o) {
  switch (o) {
#define SOCKET_OPERATION(number, name) \
  case SocketOperation::name:          \
    return #name;
#include "vm/port/socket_operations.def"
  }
  return "";
}

/// Can another socket see it, or does it show what others have done?
inline bool reaches_others(SocketOperation o) {
  using enum SocketOperation;
  return o == connect || o == listen || o == accept || o == receive || o == receive_datagram ||
         o == shutdown || o == send_file || o == close;
}

}  // namespace wb
