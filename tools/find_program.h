// What a user calls a program becomes a file that can be loaded.
#pragma once

#include <string>

#include "vm/machine/embed.h"

namespace wb {

/// Finds OTP, and puts the code paths into the order in which they are searched. What is wrong, or
/// empty.
std::string find_otp(RunOptions* options);
/// Finds OTP, the program that `options` names, compiles it if it is a source, and puts its
/// directory into the code path. What is wrong, or empty; with no program if its compiler has said
/// it.
std::string find_program(RunOptions* options);

}  // namespace wb
