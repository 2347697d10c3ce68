// What a file made by `whitebeam build` does when it is started.
//
// Its pack (bundle.h) has a file `start`: words, a line each, of which one that begins with `@/`
// lies in the directory that the pack was unpacked into. The first is
//   program   the others are arguments of `whitebeam`; the user's come behind them
//   release   the next is a command; the others are its arguments unless the user gives some
// Images of its modules, those that came in the pack and those that its runs leave, are in `images`
// in there (loader/module_images.h).
//
// Rejected: running the modules from the executable's own pages. Native libraries, `priv`
// directories, releases' scripts and their logs want files, and a second way to find each of them.
#pragma once

#include <optional>

namespace wb {

/// Becomes the program, or says on standard error why not: the exit code. Nothing: this executable
/// is Whitebeam's own, without a program.
std::optional<int> start_bundle(char** arguments);

}  // namespace wb
