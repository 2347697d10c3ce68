// process_info and friends: what a process tells of itself.
#pragma once

#include "vm/process/backtrace.h"
#include "vm/process/process.h"

namespace wb {

/// The answer to process_info(P, items): `items` is an atom or a list of atoms (checked by the
/// BIF). undefined: what process_info/1 shows; link_list, monitor_list: see relations.h. `self`: it
/// asks about itself, else it answers a signal.
Term process_info_items(Process& p, Heap& h, Term items, bool self);
bool are_info_items(Term items);
/// Are these such that whoever holds a waiting process can look for them itself?
bool are_quick_items(Term items);
/// Asking another process for them costs it nothing.
bool are_free_items(Term items);
/// All that can be asked for.
Term info_item_names(Heap& h);
/// Where a process is that stands still: nobody runs it, or it handles a signal.
ExecutionPoint stopped(const Process& p);
/// Is the old version of `module` on the stack of `p`? (Its funs do not count: they call whatever
/// code there is, or none.)
bool uses_old_code(Process& p, Term module);

}  // namespace wb
