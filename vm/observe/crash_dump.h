// The crash dump of halt("slogan"): a file that OTP's crashdump_viewer, and whoever reads BEAM's
// dumps, takes apart.
//
// It is written when no scheduler runs any more, on the thread that waits for the machine's end.
// Every process then stands at a safe point, with its registers saved, and can be looked at as it
// is.
//
// ERL_CRASH_DUMP names the file (erl_crash.dump), ERL_CRASH_DUMP_BYTES and _SECONDS limit it; 0 of
// either: none is written. What this machine has no equivalent of (allocators' carriers, hash
// tables of code) is left out; readers of dumps allow for that.
#pragma once

#include <string>

#include "term/term.h"

namespace wb {

class Vm;

/// `by`: who has called halt, or kNone. Says on standard error what becomes of it.
void write_crash_dump(Vm& vm, const std::string& slogan, Term by);

}  // namespace wb
