// What a value is.
//
// A Term is one 64-bit word. The low bits tell what it is:
//
//   ...0000   small integer, 60 bits, value << 4 (add, subtract and compare need no untagging)
//   ....x100  header of a boxed value (never a value itself; see boxed_kinds.def)
//   ...1000   address of loaded code (only on stacks: every return address is 8 modulo 16)
//   .....001  pointer to a cons cell (two words: head, tail)
//   .....010  pointer to a boxed value (header word, then what the header says)
//   ...0011   atom, index << 4
//   ...0111   local pid, (slot:28 | serial << 28) << 4
//   ...1111   local port
//   ..3b      the empty list
//   ..4b      catch tag on a stack (address << 8)
//   ..5b ..6b X and Y register in an instruction's operand (index << 8)
//   ..7b      a fault: not a value but the reason why there is none (fault.h)
//
// So a heap can be walked (a header can be told from every term), a stack can be walked (return
// addresses and catch tags can be told from every term), and the collector asks one question,
// is_pointer(), per word. The collector overwrites a moved boxed value's header with the new
// (boxed) pointer, and a moved cons' head with kMoved.
#pragma once

#include "base/base.h"

namespace wb {

using Term = Word;

// --- small integers -----------------------------------------------------------------------------
constexpr int64_t kSmallMax = (int64_t{1} << 59) - 1;
constexpr int64_t kSmallMin = -(int64_t{1} << 59);

constexpr bool is_small(Term t) { return (t & 15) == 0; }
constexpr bool are_small(Term a, Term b) { return ((a | b) & 15) == 0; }
constexpr Term make_small(int64_t v) { return static_cast<Term>(v) << 4; }
constexpr int64_t small_value(Term t) { return static_cast<int64_t>(t) >> 4; }
constexpr bool fits_small(int64_t v) { return v >= kSmallMin && v <= kSmallMax; }

// --- immediates ---------------------------------------------------------------------------------
constexpr Term kNil = 0x3b;
constexpr Term kMoved = 0xfb;  // collector only

constexpr bool is_nil(Term t) { return t == kNil; }
constexpr bool is_atom(Term t) { return (t & 15) == 3; }
constexpr Term make_atom(uint32_t index) { return (Term{index} << 4) | 3; }
constexpr uint32_t atom_index(Term t) { return static_cast<uint32_t>(t >> 4); }

constexpr bool is_local_pid(Term t) { return (t & 15) == 7; }
constexpr Term make_pid(uint32_t slot, uint32_t serial) {
  return ((Term{slot} | (Term{serial} << 28)) << 4) | 7;
}
constexpr uint32_t pid_slot(Term t) { return static_cast<uint32_t>(t >> 4) & 0xfffffff; }
constexpr uint32_t pid_serial(Term t) { return static_cast<uint32_t>(t >> 32); }

constexpr bool is_local_port(Term t) { return (t & 15) == 15; }
constexpr Term make_port(uint64_t number) { return (number << 4) | 15; }
constexpr uint64_t port_number(Term t) { return t >> 4; }

constexpr bool is_catch(Term t) { return (t & 0xff) == 0x4b; }
inline Term make_catch(const Word* handler) {
  return (reinterpret_cast<Word>(handler) << 8) | 0x4b;
}
inline Word* catch_handler(Term t) { return reinterpret_cast<Word*>(t >> 8); }

constexpr bool is_code(Word w) { return (w & 15) == 8; }

// --- pointers -----------------------------------------------------------------------------------
constexpr bool is_pointer(Term t) { return (t & 3) == 1 || (t & 3) == 2; }

/// In the LLVM tier by adding, from which it can be seen that taking the tag off gives `p` again.
inline Term with_tag(const Term* p, Word tag) {
#ifdef WB_BITCODE
  return reinterpret_cast<Term>(p) + tag;
#else
  return reinterpret_cast<Term>(p) | tag;
#endif
}

constexpr bool is_cons(Term t) { return (t & 3) == 1; }
inline Term* cons_ptr(Term t) { return reinterpret_cast<Term*>(t - 1); }
inline Term make_cons(const Term* cell) { return with_tag(cell, 1); }
inline Term head(Term t) { return cons_ptr(t)[0]; }
inline Term tail(Term t) { return cons_ptr(t)[1]; }
constexpr bool is_list(Term t) { return is_cons(t) || is_nil(t); }

constexpr bool is_boxed(Term t) { return (t & 3) == 2; }
inline Term* boxed_ptr(Term t) { return reinterpret_cast<Term*>(t - 2); }
inline Term make_boxed(const Term* p) { return with_tag(p, 2); }
inline Term* pointer_of(Term t) { return reinterpret_cast<Term*>(t & ~Term{7}); }

// --- headers ------------------------------------------------------------------------------------
enum class Kind : uint8_t {
#define KIND(name, raw, offheap) name,
#include "term/boxed_kinds.def"
#undef KIND
  count
};

constexpr bool is_header(Word w) { return (w & 7) == 4; }
constexpr Word make_header(Kind kind, uint64_t size, uint16_t extra = 0) {
  return (Word{extra} << 48) | (size << 8) | (Word{static_cast<uint8_t>(kind)} << 3) | 4;
}
constexpr Kind header_kind(Word h) { return static_cast<Kind>((h >> 3) & 31); }
constexpr uint64_t header_size(Word h) { return (h >> 8) & 0xffffffffffULL; }
constexpr uint16_t header_extra(Word h) { return static_cast<uint16_t>(h >> 48); }

inline Word header_of(Term t) { return *boxed_ptr(t); }
inline bool is_kind(Term t, Kind k) { return is_boxed(t) && header_kind(header_of(t)) == k; }

/// Number of words after the header that are not terms (see boxed_kinds.def); 255 = all.
uint8_t raw_words(Kind k);
bool owns_off_heap(Kind k);
const char* kind_name(Kind k);

// --- type tests ---------------------------------------------------------------------------------
inline bool is_tuple(Term t) { return is_kind(t, Kind::tuple); }
inline uint64_t tuple_arity(Term t) { return header_size(header_of(t)); }
inline Term* tuple_elements(Term t) { return boxed_ptr(t) + 1; }  // 0-based
inline bool is_tuple_of(Term t, uint64_t n) {
  return is_boxed(t) && header_of(t) == make_header(Kind::tuple, n);
}

/// All floats have one header, and a word is compared in one instruction.
inline bool is_float(Term t) { return is_boxed(t) && header_of(t) == make_header(Kind::flo, 1); }
inline double float_value(Term t) {
  double d;
  memcpy(&d, boxed_ptr(t) + 1, sizeof d);
  return d;
}

inline bool is_big(Term t) {
  if (!is_boxed(t)) return false;
  Kind k = header_kind(header_of(t));
  return k == Kind::big_pos || k == Kind::big_neg;
}
inline bool is_integer(Term t) { return is_small(t) || is_big(t); }
inline bool is_number(Term t) { return is_small(t) || is_big(t) || is_float(t); }

inline bool is_flatmap(Term t) { return is_kind(t, Kind::flatmap); }
inline bool is_hashmap(Term t) { return is_kind(t, Kind::hashmap); }
inline bool is_map(Term t) { return is_flatmap(t) || is_hashmap(t); }

inline bool is_bitstring(Term t) {
  if (!is_boxed(t)) return false;
  Kind k = header_kind(header_of(t));
  return k == Kind::heap_bin || k == Kind::refc_bin || k == Kind::sub_bin;
}
bool is_binary(Term t);  // a bitstring of whole bytes

inline bool is_fun(Term t) { return is_kind(t, Kind::fun) || is_kind(t, Kind::export_fun); }
inline bool is_pid(Term t) { return is_local_pid(t) || is_kind(t, Kind::ext_pid); }
inline bool is_port(Term t) { return is_local_port(t) || is_kind(t, Kind::ext_port); }
inline bool is_local_ref(Term t) {
  if (!is_boxed(t)) return false;
  Kind k = header_kind(header_of(t));
  return k == Kind::ref || k == Kind::pid_ref || k == Kind::magic_ref;
}
inline bool is_ref(Term t) { return is_local_ref(t) || is_kind(t, Kind::ext_ref); }
constexpr bool is_immediate(Term t) { return !is_pointer(t); }

}  // namespace wb
