// Is a file one that the loader of the operating system survives?
//
// dlopen trusts what it opens: in a file that was cut short or damaged it reads and writes where an
// offset leads it, asserts, or follows a list in a circle, and the machine ends with it. So the
// headers, and the tables that linking goes through (dynamic section, symbols and their hash table,
// versions, relocations), are looked at before: each must lie in the file, and lead to where it
// may. What the code does that is in the file nobody can tell; a library is trusted in that.
//
// What dlopen finds wrong by itself is left to it, as its words are those that BEAM passes on. A
// table that is of no use to it is not looked at.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace wb {

/// What is wrong, for people; "": nothing that dlopen would not say.
std::string damage_of_library(std::span<const uint8_t> file);
std::string damage_of_library_file(const std::string& path);

}  // namespace wb
