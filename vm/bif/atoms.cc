// Atoms from and to text.
//
// A text of more than 255 characters is system_limit when an atom would be made, badarg when it
// should exist already; a wrong character before the 256th is badarg.
#include "scheduler/scheduler.h"
#include "term/atom_makers.h"
#include "term/binary.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/call_site.h"
#include "vm/process/exec.h"

namespace wb {
namespace {

/// In a guard's instruction it is not known where that is.
enum class Make : uint8_t { no, yes, in_instruction };

/// There is no room for another atom. Where OTP has been booted that is the end, as on BEAM: heart
/// and those who read crash dumps count on it.
Term no_room(GuardContext p) {
  Vm& vm = p.process().vm();
  if (vm.hooks->has_services()) return kSystemLimit;
  vm.dump_at_end("no more index entries in atom_tab (max=" + std::to_string(atom_limit()) + ")",
                 p.process().id);
  vm.halt(1);
  p.charge(INT32_MAX);  // this slice is the last
  return kSystemLimit;
}
WB_COLD Term make_new(GuardContext p, std::string_view text, Make make) {
  const Term made = intern(text);
  if (WB_UNLIKELY(made == kSystemLimit)) return no_room(p);
  Vm& vm = p.process().vm();
  const CallSite site =
      make == Make::yes ? call_site(p.process()) : CallSite{p.process().id, nullptr};
  note_atom_maker(atom_index(made), {&vm, site.pid, site.at, vm.scheduler->now_ns()});
  return made;
}
Term atom_of(GuardContext p, std::string_view text, size_t chars, Make make) {
  if (chars > kMaxAtomChars) return make == Make::no ? kBadarg : kSystemLimit;
  const Term atom = find_atom(text);
  if (WB_LIKELY(atom != kNone)) return atom;
  return make == Make::no ? kBadarg : make_new(p, text, make);
}

Term from_list(GuardContext p, Term list, Make make) {
  std::string text;
  size_t chars = 0;
  for (; is_cons(list); list = tail(list)) {
    Term c = head(list);
    if (!is_character(c)) return kBadarg;
    if (++chars > kMaxAtomChars) return atom_of(p, text, chars, make);
    append_utf8(text, static_cast<uint32_t>(small_value(c)));
  }
  return is_nil(list) ? atom_of(p, text, chars, make) : kBadarg;
}

Term from_latin1(GuardContext p, std::string_view bytes, Make make) {
  if (bytes.size() > kMaxAtomChars) return atom_of(p, {}, bytes.size(), make);
  std::string text;
  for (char c : bytes) append_utf8(text, static_cast<uint8_t>(c));
  return atom_of(p, text, bytes.size(), make);
}

/// Wrong UTF-8: what counts is whether as many characters as an atom can have come before.
Term from_wrong_utf8(GuardContext p, std::string_view bytes, Make make) {
  for (size_t chars = 0; !bytes.empty(); ++chars) {
    size_t n = 1;
    while (n < bytes.size() && (bytes[n] & 0xc0) == 0x80) ++n;
    if (chars == kMaxAtomChars) return atom_of(p, {}, chars + 1, make);
    if (count_utf8(bytes.substr(0, n)) != 1) break;
    bytes.remove_prefix(n);
  }
  return kBadarg;
}

Term from_binary(GuardContext p, Term binary, Term encoding, Make make) {
  if (!is_binary(binary)) return kBadarg;
  ByteView view(binary);
  std::string_view bytes(reinterpret_cast<const char*>(view.data()), view.size());
  p.charge(static_cast<int64_t>(bytes.size() / 100));
  if (encoding == am::latin1) return from_latin1(p, bytes, make);
  if (encoding != am::utf8 && encoding != am::unicode) return kBadarg;
  int64_t chars = count_utf8(bytes);
  return chars < 0 ? from_wrong_utf8(p, bytes, make)
                   : atom_of(p, bytes, static_cast<size_t>(chars), make);
}

}  // namespace

BIF(erlang, atom_to_list, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  ListBuilder list(p.heap);
  for (std::string_view text = atom_text(a[0]); !text.empty();) {
    list.add(make_small(take_utf8(text)));
  }
  return list.finish();
}

BIF(erlang, atom_to_binary, 2)
{
  if (!is_atom(a[0])) return kBadarg;
  std::string_view text = atom_text(a[0]);
  if (a[1] == am::utf8 || a[1] == am::unicode) return make_binary(p.heap, text.data(), text.size());
  if (a[1] != am::latin1 || !atom_is_latin1(a[0])) return kBadarg;
  std::string bytes;
  while (!text.empty()) bytes += static_cast<char>(take_utf8(text));
  return make_binary(p.heap, bytes.data(), bytes.size());
}

GUARD_BODY(erlang, list_to_atom, 1)
{
  return from_list(p, a[0], Make::in_instruction);
}
BIF(erlang, list_to_atom, 1)
{
  return from_list(p, a[0], Make::yes);
}
GUARD(erlang, list_to_existing_atom, 1)
{
  return from_list(p, a[0], Make::no);
}
GUARD_BODY(erlang, binary_to_atom, 2)
{
  return from_binary(p, a[0], a[1], Make::in_instruction);
}
BIF(erlang, binary_to_atom, 2)
{
  return from_binary(p, a[0], a[1], Make::yes);
}
GUARD(erlang, binary_to_existing_atom, 2)
{
  return from_binary(p, a[0], a[1], Make::no);
}

// No BIFs: Erlang functions have these names.
GUARD_BODY(erlang, binary_to_atom, 1)
{
  return from_binary(p, a[0], am::utf8, Make::in_instruction);
}
GUARD_BODY(erlang, binary_to_existing_atom, 1)
{
  return from_binary(p, a[0], am::utf8, Make::no);
}

}  // namespace wb
