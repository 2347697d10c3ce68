// erts_debug:disassemble/1: loaded code as text, and the names of its instructions.
//
// OTP's interpreter answers one instruction and the address of the next, until that lies in another
// function (with its compiler it always answers false). Here it is a whole function: what comes
// next is the next function in any case.
#include <fmt/format.h>

#include "loader/code_table.h"
#include "loader/disasm_loaded.h"
#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"

namespace wb {
namespace {

/// {Address of the next function, Text, {Module, Function, Arity}}
Term listing(Process& p, const Module& m, const Module::Function& f) {
  std::string text;
  for (const InstructionText& i : disassemble_function(m, f)) {
    text += fmt::format("{:016X}: {}\n", reinterpret_cast<uintptr_t>(m.code + i.at), i.text);
  }
  p.charge(static_cast<int64_t>(text.size() / 100));
  Heap& h = p.heap;
  Term next = make_unsigned(h, reinterpret_cast<uintptr_t>(m.code + m.end_of(f)));
  Term mfa = tuple(h, m.name, f.name, make_small(f.arity));
  return tuple(h, next, make_binary(h, text.data(), text.size()), mfa);
}

Term listing_at(Process& p, const Word* address) {
  const Module* m = p.vm().code->module_at(address);
  if (!m) return am::false_;
  auto at = static_cast<uint32_t>(address - m->code);
  for (const Module::Function& f : m->functions) {
    if (at >= f.start && at < m->end_of(f)) return listing(p, *m, f);
  }
  return am::false_;
}

}  // namespace

BIF(erts_debug, disassemble, 1)
{
  uint64_t address;
  if (to_uint64(a[0], &address)) return listing_at(p, reinterpret_cast<const Word*>(address));
  if (!is_tuple_of(a[0], 3)) return am::false_;
  const Term* e = tuple_elements(a[0]);
  Module* m = is_atom(e[0]) ? p.vm().code->find_module(e[0]) : nullptr;
  if (!m) return am::false_;
  for (const Module::Function& f : m->functions) {
    if (f.name == e[1] && make_small(f.arity) == e[2]) return listing(p, *m, f);
  }
  return am::false_;
}

BIF(erts_debug, instructions, 0)
{
  ListBuilder list(p.heap);
  for (const InstrInfo& i : kInstrInfo) {
    std::string_view name = i.name;
    list.add(bytes_to_list(p.heap, reinterpret_cast<const uint8_t*>(name.data()), name.size()));
  }
  return list.finish();
}

}  // namespace wb
