// Addresses as prim_inet writes them: a byte for the family, then a port and the address' bytes, or
// the length and bytes of a path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vm/io/socket_address.h"

namespace wb {

/// prim_inet's numbers for families, ORDER of inet_int.hrl.
enum class Family : uint8_t { unspec, inet, inet6, any, loopback, local, undefined };

/// AF_INET ...; -1: none of ours.
int system_family(uint8_t family);
uint8_t family_code(int system_family);

/// Takes an address off the front of `in`; `any` and `loopback` become those of `family`. False:
/// malformed, or of another family.
bool take_address(std::string_view* in, int family, SocketAddress* out);
/// Appends it, to be read by prim_inet's get_addr.
void put_address(const SocketAddress& address, std::string* out);

// --- numbers, big endian
bool take_byte(std::string_view* in, uint8_t* n);
bool take_int(std::string_view* in, int32_t* n);
bool take_bytes(std::string_view* in, size_t n, std::string_view* out);
void put_int(std::string* out, uint32_t n);
void put_short(std::string* out, uint32_t n);

}  // namespace wb
