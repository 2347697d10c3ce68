// Atoms: interned, never collected, shared by the whole OS process.
//
// The table is append-only: an index, once handed out, names the same text forever, so readers need
// no lock. It is the one process-wide object of the VM (an Erlang atom means the same to every Vm
// embedded in a program), which is why it is not a member of Vm.
#pragma once

#include <string>
#include <string_view>

#include "term/fault.h"
#include "term/term.h"

namespace wb {

constexpr uint32_t kMaxAtomChars = 255;

/// Atoms the VM itself names: am::ok, am::badarg ... with fixed indices.
namespace am_index {
enum : uint32_t {
#define ATOM(id, text) id,
#include "term/atoms.def"
#undef ATOM
  count_
};
}  // namespace am_index
namespace am {
#define ATOM(id, text) constexpr Term id = make_atom(am_index::id);
#include "term/atoms.def"
#undef ATOM
}  // namespace am

/// The atom named by UTF-8 `text` (valid, at most 255 characters: the caller has checked), made if
/// needed; kSystemLimit when the table is full.
Term intern(std::string_view text);
/// The same for an existing atom; kNone if there is none.
Term find_atom(std::string_view text);
/// UTF-8 text. Valid forever.
std::string_view atom_text(Term atom);
/// Number of characters (code points).
uint32_t atom_chars(Term atom);
/// True if every character is below 256.
bool atom_is_latin1(Term atom);
/// All of that at once.
struct AtomFacts {
  std::string_view text;
  uint32_t chars;
  bool latin1;
};
AtomFacts atom_facts(Term atom);
/// Term order of two atoms: <0, 0, >0 (text order by code point).
int compare_atoms(Term a, Term b);
/// How many of n atoms, which are in their order, come before `atom`, which is none of them. Takes
/// no branch for each: for a few.
size_t atoms_before(const Term* atoms, size_t n, Term atom);
/// The hash phash2 uses for atoms (over Latin-1 bytes where possible, as OTP does).
uint32_t atom_hash(Term atom);
/// A good 64-bit hash of the text, the same in every run.
uint64_t atom_text_hash(Term atom);

uint32_t atom_count();
uint32_t atom_limit();
void set_atom_limit(uint32_t limit);

constexpr Term make_bool(bool b) { return b ? am::true_ : am::false_; }

}  // namespace wb
