// The operations of a socket, by number.
#pragma once

#include <cstdint>

namespace wb {

/// What prim_inet adds to each, so that a port of another kind notices.
constexpr uint64_t kSocketOperations = 0x03f1a300;

enum class SocketOperation : uint64_t {
#define SOCKET_OPERATION(number, name) name = number,
#include "vm/port/socket_operations.def"
};

}  // namespace wb
