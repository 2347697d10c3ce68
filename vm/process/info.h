// process_info and friends: what a process tells of itself.
#pragma once

#include "vm/process/process.h"

namespace wb {

/// The answer to process_info(P, items): `items` is an atom or a list of atoms (checked by the BIF).
/// undefined: what process_info/1 shows. `self`: it asks about itself, else it answers a signal.
Term process_info_items(Process& p, Heap& h, Term items, bool self);
bool are_info_items(Term items);
/// Does `p` have the old version of `module` on its stack or in its funs?
bool uses_old_code(Process& p, Term module);

}  // namespace wb
