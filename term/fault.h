// Why there is no value.
//
// Functions that compute a Term return either a value or a *fault*: a word that can never be a
// value (tag 7b). It is the cheapest Result<Term> there is: one register, one compare, and a fault
// can be returned through any number of callers unchanged. The interpreter turns a fault into the
// Erlang exception it stands for. kRaised says the exception was already put into the process
// (Process::raise); kTrap that the caller must continue in Erlang code (Process::trap).
#pragma once

#include "term/term.h"

namespace wb {

constexpr Term make_fault(uint32_t code) { return (Term{code} << 8) | 0x7b; }
constexpr bool is_fault(Term t) { return (t & 0xff) == 0x7b; }
constexpr bool is_value(Term t) { return !is_fault(t); }

constexpr Term kNone = make_fault(0);         // no value: not found, end of something
constexpr Term kBadarg = make_fault(1);       // error:badarg
constexpr Term kBadarith = make_fault(2);     // error:badarith
constexpr Term kSystemLimit = make_fault(3);  // error:system_limit
constexpr Term kUndef = make_fault(5);        // error:undef
constexpr Term kRaised = make_fault(6);       // the exception is in the process
constexpr Term kTrap = make_fault(7);         // continue as Process::trap says
constexpr Term kYield = make_fault(8);        // call the same BIF again with the same arguments
constexpr Term kCancelled = make_fault(9);    // the process ended while its BIF had yielded

}  // namespace wb
