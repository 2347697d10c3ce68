// Leads a loaded library's imports elsewhere.
#pragma once

namespace wb {

/// In the library that dlopen gave, and those that were opened after it (what it needs): every word
/// that the linker has filled with the address of a function for which `other` has another one.
/// other(name): that one, or nullptr.
void redirect_imports(void* library, void* (*other)(const char* name));

}  // namespace wb
