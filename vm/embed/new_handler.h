// What a failing `new` does in a program that has machines in it.
#pragma once

namespace wb {

/// From now on, on a thread that works for a machine: that machine cannot go on. Elsewhere: what it
/// did before. Once a program.
void install_embedded_new_handler();

}  // namespace wb
