// Modules of our own (lib/*.erl), compiled when the VM is built and part of its binary, so that
// they are found wherever it stands.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wb {

/// The bytes of MODULE.beam; empty if there is no such module.
std::span<const uint8_t> embedded_module(std::string_view module);

}  // namespace wb
