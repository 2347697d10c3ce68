// Proves that a module cannot harm the machine.
//
// The idea: run every function on *types* instead of values, along all its paths at once, and
// refuse the module if some instruction could meet a state it must not run in. What is proven when
// validate() returns nothing:
//   - a register that is read holds a term (or a match context, or a catch tag, where the
//     instruction wants that); a live count covers only registers that hold something; when a
//     collection, a call or an exception can happen, every y register of the frame is initialised;
//   - the stack frame has a known size wherever that matters, and `return`, calls, deallocations
//     agree with it; catch and try tags are nested, consumed once, and gone when the frame goes;
//   - what put_list, put_tuple2, make_fun3 and fmove build fits the space that test_heap or an
//     allocate reserved (counted as OTP counts: words, floats, funs);
//   - a match context never becomes part of a term, an argument of an exported function, a
//     message or a result; a message under inspection (loop_rec) is not stored before
//     remove_message;
//   - a loop inside a function passes through a receive that waits or goes on to the next message:
//     every other way to run for long is a call, which counts reductions;
//   - operand lists are well-formed; bif and gc_bif name only BIFs of guard_bifs.def; string
//     offsets are in range; receive and binary construction steps come in order.
//
// Where memory safety needs a *type* (get_tuple_element needs a tuple of that size) and the proof
// fails, which also happens in honest code, since the compiler knows things a .beam file does not
// carry, the instruction gets the flag kChecked and the loader must emit a variant that looks
// before it leaps. Honest code never fails the look; a failure means the file lies, and must end
// the process at once, without searching the stack for a catch (its frame may not be fit to be
// searched). kChecked can appear on:
//   get_list get_hd get_tl          the source may not be a cons
//   get_tuple_element               ... not a tuple, or too small
//   set_tuple_element               ... or the value may be the tuple itself. (That the tuple is
//                                   new and nobody else's is always proven: setelement/3 has just
//                                   made it)
//   test_arity select_tuple_arity   ... not a tuple: these two just take their fail label
//   update_record                   ... not a tuple of that size
//   get_map_elements has_map_fields put_map_*   ... not a map
//   bs_* on a match context         ... not a match context; bs_start_match4: nothing to match
//   fmove to a float register       ... not a float
//   call_fun2                       ... not a fun of that arity
//   call_fun                        a message under inspection is handed to the fun: the process
//                                   must own it before
//   loop_rec_end remove_message     such a fun may have received: nothing may be looked at any more
//   label                           the function's first, to which also a jump leads: it must not
//                                   count as a call
//   allocate allocate_heap          the y registers must be set to [] (a BIF could raise, or a
//                                   signal be answered, before the compiler's code fills them)
// Instructions flagged kDead are on no path; they were not examined, and a trap must stand there
// (a func_info may still be emitted: it names its function). After an instruction flagged kNoReturn
// (in place of it, if it is a jump) a trap must stand: it would lead to a try_case without
// exception. The compiler knew that it does not.
//
// What the rest of the machine must do for the proof to hold:
//   - never_returns() calls (decode.h) never come back; setelement/3 makes a new tuple;
//   - an exception goes to the catch tag in the lowest y register of the innermost frame that has
//     one; try_case puts class, reason and trace into x0..x2; catch_end tells an exception from a
//     value;
//   - instructions without a live count, other than calls, catch_end and recv_marker_reserve,
//     allocate nothing on the heap but what was reserved: remove_message, other recv_marker_*,
//     bif0..2, bs_set_position ...
//   - bs_private_append leaves what was reserved as it is, also where it must copy;
//   - a guard BIF has a body, and fails only when guard_bifs.def says so; a function for which
//     `replaced` says yes is the only kind whose native body a local call reaches;
//   - a receive's timer resumes nobody but the wait_timeout that armed it;
//   - an exception that shows a message under inspection makes it the process' own;
//   - memory of a binary under construction holds nothing old;
//   - a source register at or above the live count holds a constant, an atom or []: it may be read
//     after a collection that did not keep it; the size of bs_init2, bs_append is read before;
//   - the tag of call_fun2 is a claim: the callee's code is taken from the fun;
//   - a wait_timeout that is run again by a message does not look at its operand again;
//   - get_map_elements reads its source once: a destination may be the source register;
//   - checked at run time, always: sizes and values of bit syntax operands, the position given to
//     bs_set_position (any term), raw stack traces given to raise, raw_raise and build_stacktrace,
//     receive marker handles, how much is written into a binary under construction, duplicate keys
//     of put_map_*, what kind of value call_fun and apply get.
// Terms built from parts of a message under inspection may exist until loop_rec_end; registers that
// hold such terms can be live in a collection before remove_message.
//
// The arguments of a local function are the join over its call sites, iterated to a fixpoint.
// Exported functions and funs may be called with any term. A call's result is any term.
//
// Rejected: trusting the Type chunk (a file may lie in it); checking at run time everywhere (a
// third of all instructions would carry a test that is provably idle); believing what a local
// function returns (a NIF or a debugger may answer in its place; 0.6 % of all instructions would be
// spared a look).
#pragma once

#include <functional>
#include <optional>

#include "bytecode/decode.h"

namespace wb {

class FlowState;

struct ValidateOptions {
  /// Functions whose body the loader replaces (BIFs), which takes terms only.
  std::function<bool(Term module, Term function, uint32_t arity)> replaced;
  /// Called with what is known before an instruction; again when less is known: the last call is
  /// what the proof says. Null: nobody wants to know.
  std::function<void(uint32_t instruction, const FlowState& state)> observe;
};

/// Sets kChecked, kDead and kNoReturn in unit->instructions. Nothing: the module is safe.
std::optional<LoadError> validate(CodeUnit* unit, const ValidateOptions& options = {});

}  // namespace wb
