// Stack traces: of exceptions, and of processes that others look at.
//
// Raising costs no text: the *raw trace* is {Class, Head, Addresses}, where Addresses is a binary
// of up to eight code addresses (the failing instruction, then return addresses, repeated ones
// once) and Head a list of frames that have no address ({M,F,Args,Info} of a failed BIF), or
// {Arguments, ErrorInfo} that the frame of the first address shows (of erlang:error/2,3 and
// function_clause; false and [] if there are none). build_stacktrace makes the list a program sees.
// If Addresses is nil, Head is already the whole list (erlang:raise/3).
#pragma once

#include "vm/process/exec.h"

namespace wb {

/// Of the running process, whose frames below the head begin at `e` (its top of stack).
Term make_raw_trace(Exec& c, Term error_class, Term head, const Word* pc, const Term* e);
Term make_raw_trace(Exec& c, Term error_class, Term head, const Word* pc);
/// A head: what the frame of the first address shows.
Term shown_head(Heap& h, Term args, Term info);
/// The list that a raw trace stands for.
Term build_stacktrace(Exec& c, Term raw_trace);
/// Words that build_stacktrace() takes, for who can make room before.
size_t stacktrace_words(Term raw_trace);
/// A raw trace around a list that the program made.
Term wrap_stacktrace(Exec& c, Term error_class, Term list);
Term raw_trace_class(Term raw_trace);
/// Its first address; 0: it has none.
Word raw_trace_place(Term raw_trace);
/// The same trace for an exception of that class.
Term raw_trace_as(Exec& c, Term raw_trace, Term error_class);

/// {M,F,A,Location} of an address in loaded code (nil if it is not).
Term frame_of(Vm& vm, Heap& h, const Word* pc);
/// The current stack of a suspended process as a list of frames, at most `depth`.
Term stack_frames(Vm& vm, Heap& h, const Word* pc, const Term* e, const Term* base, int depth);

/// A list of x[0..n).
Term argument_list(Heap& h, const Term* args, uint32_t n);

}  // namespace wb
