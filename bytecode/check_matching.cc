// Matching of bit strings.
#include <cstring>

#include "bytecode/bit_flags.h"
#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

constexpr uint64_t kMaxUnit = 256;
constexpr uint64_t kMaxFlags = 31;
constexpr uint64_t kMaxComparedBits = 64;  // compilers compare 31

bool same_register(const Operand& a, const Operand& b) {
  return a.type == b.type && a.value == b.value;
}

}  // namespace

bool FunctionAnalysis::context(const Operand& o) {
  if (!readable(o)) return false;
  expect(o, kinds::context);
  learn(o, wb::type_of(kinds::context));
  return true;
}

bool FunctionAnalysis::bit_unit(const Operand& unit) {
  bool ok = unit.value <= kMaxUnit && unit.value > 0;
  return ok || fail_operand(Rule::bad_operand, unit, "is not a unit");
}

bool FunctionAnalysis::string_range(uint64_t offset, uint64_t bytes) {
  size_t size = unit_.file->strings.size();
  return (offset <= size && bytes <= size - offset) ||
         fail(Rule::bad_string, std::to_string(bytes) + " bytes at " + std::to_string(offset));
}

/// Fail Ctx Live Size Unit Flags Dst
bool FunctionAnalysis::get_bits(Operands o, ValueType result) {
  if (!context(o[1]) || !term(o[3]) || !bit_unit(o[4])) return false;
  if (o[5].value > kMaxFlags) return fail_operand(Rule::bad_operand, o[5], "is not a set of flags");
  result = part_of(o[1], result);
  return collect(o[2]) && flow_to(o[0].value) && assign(o[6], result);
}

bool FunctionAnalysis::check_matching(Op op, Operands o) {
  switch (op) {
    case Op::bs_start_match3: {
      if (!readable(o[1])) return false;
      ValueType t = type_of(o[1]), started = part_of(o[1], wb::type_of(kinds::context));
      if (!collect(o[2]) || !branch(o[1], without(t, kinds::matchable), o[0].value)) return false;
      if (!restricted(t, kinds::matchable).exists()) return end();
      learn(o[1], restricted(t, kinds::matchable));
      return assign(o[3], started);
    }
    case Op::bs_start_match4: {
      if (!readable(o[2])) return false;
      ValueType t = type_of(o[2]), started = part_of(o[2], wb::type_of(kinds::context));
      if (!collect(o[1])) return false;
      if (o[0].type == Operand::f && o[0].value) {
        if (!branch(o[2], without(t, kinds::matchable), o[0].value)) return false;
      } else {
        bool resume = o[0].type == Operand::atom && o[0].value == am::resume;
        if (!resume && (o[0].type != Operand::atom || o[0].value != am::no_fail))
          return fail_operand(Rule::operand_kind, o[0]);
        if (!t.only(resume ? static_cast<Kinds>(kinds::context) : kinds::matchable)) checked();
      }
      learn(o[2], restricted(t, kinds::matchable));
      return assign(o[3], started);
    }
    case Op::bs_get_integer2:
      return get_bits(o, wb::type_of(kinds::integer));
    case Op::bs_get_float2:
      return get_bits(o, wb::type_of(kinds::flo));
    case Op::bs_get_binary2:
      return get_bits(o, wb::type_of(kinds::bitstring));
    case Op::bs_skip_bits2:
      return context(o[1]) && term(o[2]) && bit_unit(o[3]) && flow_to(o[0].value);
    case Op::bs_test_tail2:
      return context(o[1]) && flow_to(o[0].value);
    case Op::bs_test_unit:
      return context(o[1]) && bit_unit(o[2]) && flow_to(o[0].value);
    case Op::bs_match_string:
      if (o[2].value > kMaxMatchBits) return fail_operand(Rule::bad_operand, o[2]);
      return context(o[1]) && string_range(o[3].value, (o[2].value + 7) / 8) && flow_to(o[0].value);
    case Op::bs_get_utf8:
    case Op::bs_get_utf16:
    case Op::bs_get_utf32:
      return context(o[1]) && collect(o[2]) && flow_to(o[0].value) &&
             assign(o[4], wb::type_of(kinds::integer));
    case Op::bs_skip_utf8:
    case Op::bs_skip_utf16:
    case Op::bs_skip_utf32:
      return context(o[1]) && collect(o[2]) && flow_to(o[0].value);
    case Op::bs_get_tail:
    case Op::bs_get_position: {
      if (!context(o[0])) return false;
      Kinds k = op == Op::bs_get_tail ? kinds::bitstring : kinds::integer;
      ValueType result = part_of(o[0], wb::type_of(k));
      return collect(o[2]) && assign(o[1], result);
    }
    case Op::bs_set_position:
      return context(o[0]) && term(o[1]);
    default:
      return check_match_commands(o);
  }
}

/// bs_match: what has been ensured, and where control goes from a command.
struct FunctionAnalysis::Matching {
  uint64_t ensured = 0;  // so many bits are there for sure
  bool gone = false;     // a command wrote over the context
  bool never = false;    // a command cannot match
};

/// The operands of a command of bs_match, and what they are, one letter each: L live, F flags,
/// n number of bits, U unit, v value, d destination.
static const char* command_operands(Term command) {
  switch (command) {
    case am::ensure_at_least:
      return "nU";
    case am::ensure_exactly:
    case am::skip:
      return "n";
    case am::integer:
    case am::binary:
      return "LFnUd";
    case am::get_tail:
      return "LUd";
    case am::eq_exact:
      return "Lnv";
    default:
      return nullptr;
  }
}

bool FunctionAnalysis::match_flags(const Operand& list) {
  if (list.type == Operand::nil) return true;
  return list.type == Operand::literal && bit_flags(unit_.file->literals[list.value]).has_value();
}

/// bs_match Fail Ctx [Command, Operand, ...] (OTP 26): one command after the other. One that may
/// fail does so with the registers as they are before it.
bool FunctionAnalysis::check_match_commands(Operands o) {
  if (!context(o[1])) return false;
  Operands list = unit_.list_of(o[2]);
  Matching m;
  while (!list.empty()) {
    const char* letters = list[0].type == Operand::atom ? command_operands(list[0].value) : nullptr;
    if (!letters || list.size() <= strlen(letters)) return fail_operand(Rule::bad_list, list[0]);
    Operands command = list.subspan(0, strlen(letters) + 1);
    for (const Operand& a : command.subspan(1)) {
      bool number = a.type == Operand::u || (a.is_int() && a.int_value() >= 0);
      bool ok = number;
      switch (*letters++) {
        case 'L':
          ok = a.type == Operand::u ? a.value <= kMaxRegisters
                                    : a.type == Operand::nil && command[0].value == am::eq_exact;
          break;
        case 'F':
          if (!match_flags(a)) return fail_operand(Rule::bad_list, a, "is no list of flags");
          ok = true;
          break;
        case 'U':
          if (number && !bit_unit(a)) return false;
          break;
        case 'd':
          ok = a.is_register();
          break;
        default:
          break;
      }
      if (!ok) return fail_operand(Rule::bad_list, a, "in a command of bs_match");
    }
    list = list.subspan(command.size());
    if (m.gone) return fail_operand(Rule::bad_list, o[1], "is no context any more");
    if (!check_command(command, o, &m)) return false;
    if (m.never) return flow_to(o[0].value) && end();
  }
  return true;
}

bool FunctionAnalysis::check_command(Operands command, Operands o, Matching* m) {
  auto skip = [&](uint64_t bits) {
    bool surely = bits <= m->ensured;
    m->ensured -= surely ? bits : m->ensured;
    return surely || flow_to(o[0].value);
  };
  switch (command[0].value) {
    case am::ensure_at_least:
    case am::ensure_exactly:
      m->never = command[1].value > kMaxMatchBits;
      m->ensured = std::max(m->ensured, command[1].value);
      return flow_to(o[0].value);
    case am::skip:
      m->never = command[1].value > kMaxMatchBits;
      return skip(command[1].value);
    case am::eq_exact:
      if (command[2].value > kMaxComparedBits)
        return fail_operand(Rule::bad_list, command[2], "bits are too many to compare");
      skip(command[2].value);
      return flow_to(o[0].value);
    case am::get_tail: {
      ValueType tail = part_of(o[1], wb::type_of(kinds::bitstring));
      m->gone = same_register(command[3], o[1]);
      return collect(command[1]) && assign(command[3], tail);
    }
    default: {  // integer, binary: Live Flags Size Unit Dst
      Kinds k = command[0].value == am::integer ? kinds::integer : kinds::bitstring;
      ValueType taken = part_of(o[1], wb::type_of(k));
      m->never = command[3].value > kMaxMatchBits / command[4].value;
      if (!collect(command[1]) || !skip(command[3].value * command[4].value)) return false;
      m->gone = same_register(command[5], o[1]);
      return assign(command[5], taken);
    }
  }
}

}  // namespace wb
