// What `whitebeam run --stats` prints at the end.
#pragma once

namespace wb {

class Vm;
/// To standard error; the schedulers have stopped.
void print_run_stats(Vm& vm);
/// Of these, what the compilers did.
void print_jit_stats(Vm& vm);

}  // namespace wb
