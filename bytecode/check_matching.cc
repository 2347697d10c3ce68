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

bool FunctionAnalysis::bit_unit(const Operand& unit) {
  bool ok = unit.value <= kMaxUnit && unit.value > 0;
  return ok || fail_operand(Rule::bad_operand, unit, "is not a unit");
}
bool FunctionAnalysis::bit_flags_are_known(const Operand& flags) {
  return flags.value <= kMaxFlags ||
         fail_operand(Rule::bad_operand, flags, "is not a set of flags");
}

bool FunctionAnalysis::string_range(uint64_t offset, uint64_t bytes) {
  size_t size = unit_.file->strings.size();
  return (offset <= size && bytes <= size - offset) ||
         fail(Rule::bad_string, std::to_string(bytes) + " bytes at " + std::to_string(offset));
}

// --- beginning -----------------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::bs_start_match3& in) {
  const Operand& source = in.source();
  if (!readable(source)) return false;
  ValueType t = type_of(source), started = part_of(source, wb::type_of(kinds::context));
  if (!collect(in.live())) return false;
  if (!branch(source, without(t, kinds::matchable), in.fail().value)) return false;
  if (!restricted(t, kinds::matchable).exists()) return end();
  learn(source, restricted(t, kinds::matchable));
  return assign(in.dst(), started);
}

bool FunctionAnalysis::check(const op::bs_start_match4& in) {
  const Operand &fail = in.fail(), &source = in.source();
  if (!readable(source)) return false;
  ValueType t = type_of(source), started = part_of(source, wb::type_of(kinds::context));
  if (!collect(in.live())) return false;
  if (fail.type == Operand::f && fail.value) {
    if (!branch(source, without(t, kinds::matchable), fail.value)) return false;
  } else {
    bool resume = fail.type == Operand::atom && fail.value == am::resume;
    if (!resume && (fail.type != Operand::atom || fail.value != am::no_fail))
      return fail_operand(Rule::operand_kind, fail);
    if (!t.only(resume ? static_cast<Kinds>(kinds::context) : kinds::matchable)) checked(in);
  }
  learn(source, restricted(t, kinds::matchable));
  return assign(in.dst(), started);
}

/// The instruction's context is one, or is looked at first.
template <class I>
bool FunctionAnalysis::context(const I& in) {
  if (!readable(in.context())) return false;
  expect(in, in.context(), kinds::context);
  learn(in.context(), wb::type_of(kinds::context));
  return true;
}

// --- one segment ---------------------------------------------------------------------------------
template <class I>
bool FunctionAnalysis::get_bits(const I& in, ValueType result) {
  if (!context(in) || !term(in.size()) || !bit_unit(in.unit())) return false;
  if (!bit_flags_are_known(in.flags())) return false;
  result = part_of(in.context(), result);
  return collect(in.live()) && flow_to(in.fail().value) && assign(in.dst(), result);
}
#define BITS_GET(number, name, loaded, k, since) \
  bool FunctionAnalysis::check(const op::name& in) { return get_bits(in, wb::type_of(kinds::k)); }
#define UTF_GET(number, name, bits, since)                                  \
  bool FunctionAnalysis::check(const op::name& in) {                        \
    return context(in) && collect(in.live()) && flow_to(in.fail().value) && \
           assign(in.dst(), wb::type_of(kinds::integer));                   \
  }
#define UTF_SKIP(number, name, bits, since)                               \
  bool FunctionAnalysis::check(const op::name& in) {                      \
    return context(in) && collect(in.live()) && flow_to(in.fail().value); \
  }
#include "bytecode/opcodes.def"

bool FunctionAnalysis::check(const op::bs_skip_bits2& in) {
  return context(in) && term(in.size()) && bit_unit(in.unit()) && flow_to(in.fail().value);
}
bool FunctionAnalysis::check(const op::bs_test_tail2& in) {
  return context(in) && flow_to(in.fail().value);
}
bool FunctionAnalysis::check(const op::bs_test_unit& in) {
  return context(in) && bit_unit(in.unit()) && flow_to(in.fail().value);
}
bool FunctionAnalysis::check(const op::bs_match_string& in) {
  uint64_t bits = in.bits().value;
  if (bits > kMaxMatchBits) return fail_operand(Rule::bad_operand, in.bits());
  return context(in) && string_range(in.string().value, (bits + 7) / 8) && flow_to(in.fail().value);
}
bool FunctionAnalysis::check(const op::bs_get_tail& in) {
  if (!context(in)) return false;
  ValueType tail = part_of(in.context(), wb::type_of(kinds::bitstring));
  return collect(in.live()) && assign(in.dst(), tail);
}
bool FunctionAnalysis::check(const op::bs_get_position& in) {
  if (!context(in)) return false;
  ValueType position = part_of(in.context(), wb::type_of(kinds::integer));
  return collect(in.live()) && assign(in.dst(), position);
}
bool FunctionAnalysis::check(const op::bs_set_position& in) {
  return context(in) && term(in.position());
}

// --- bs_match (OTP 26) ---------------------------------------------------------------------------
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

bool FunctionAnalysis::list_of_flags(const Operand& list) {
  bool known =
      list.type == Operand::nil ||
      (list.type == Operand::literal && bit_flags(unit_.file->literals[list.value]).has_value());
  return known || fail_operand(Rule::bad_list, list, "is no list of flags");
}

bool FunctionAnalysis::match_operands(Operands command, const char* letters) {
  for (const Operand& a : command.subspan(1)) {
    bool number = a.type == Operand::u || (a.is_int() && a.int_value() >= 0);
    bool ok = number;
    switch (*letters++) {
      case 'L':
        ok = a.type == Operand::u ? a.value <= kMaxRegisters
                                  : a.type == Operand::nil && command[0].value == am::eq_exact;
        break;
      case 'F':
        if (!list_of_flags(a)) return false;
        ok = true;
        break;
      case 'U':
        if (number && !bit_unit(a)) return false;
        break;
      case 'd':
        ok = a.is_register();
        break;
      default:  // v, n: a number
        break;
    }
    if (!ok) return fail_operand(Rule::bad_list, a, "in a command of bs_match");
  }
  return true;
}

/// bs_match Fail Ctx [Command, Operand, ...]: one command after the other. One that may fail does
/// so with the registers as they are before it.
bool FunctionAnalysis::check(const op::bs_match& in) {
  if (!context(in)) return false;
  Operands list = unit_.list_of(in.commands());
  Matching m;
  while (!list.empty()) {
    const char* letters = list[0].type == Operand::atom ? command_operands(list[0].value) : nullptr;
    if (!letters || list.size() <= strlen(letters)) return fail_operand(Rule::bad_list, list[0]);
    Operands command = list.subspan(0, strlen(letters) + 1);
    if (!match_operands(command, letters)) return false;
    list = list.subspan(command.size());
    if (m.gone) return fail_operand(Rule::bad_list, in.context(), "is no context any more");
    if (!match_command(command, in, &m)) return false;
    if (m.never) return flow_to(in.fail().value) && end();
  }
  return true;
}

/// A command may collect, and reads the context after that.
bool FunctionAnalysis::collect_in_match(const Operand& live, const Operand& context) {
  if (context.type == Operand::x && context.value >= live.value)
    return fail_operand(Rule::bad_live, context, "is not kept");
  return collect(live);
}

bool FunctionAnalysis::match_command(Operands command, const op::bs_match& in, Matching* m) {
  auto skip = [&](uint64_t bits) {
    bool surely = bits <= m->ensured;
    m->ensured -= surely ? bits : m->ensured;
    return surely || flow_to(in.fail().value);
  };
  switch (command[0].value) {
    case am::ensure_at_least:
    case am::ensure_exactly:
      m->never = command[1].value > kMaxMatchBits;
      m->ensured = std::max(m->ensured, command[1].value);
      return flow_to(in.fail().value);
    case am::skip:
      m->never = command[1].value > kMaxMatchBits;
      return skip(command[1].value);
    case am::eq_exact:
      if (command[2].value > kMaxComparedBits)
        return fail_operand(Rule::bad_list, command[2], "bits are too many to compare");
      skip(command[2].value);
      return flow_to(in.fail().value);
    case am::get_tail: {
      ValueType tail = part_of(in.context(), wb::type_of(kinds::bitstring));
      m->gone = same_register(command[3], in.context());
      return collect_in_match(command[1], in.context()) && assign(command[3], tail);
    }
    default: {  // integer, binary: Live Flags Size Unit Dst
      Kinds k = command[0].value == am::integer ? kinds::integer : kinds::bitstring;
      ValueType taken = part_of(in.context(), wb::type_of(k));
      m->never = command[3].value > kMaxMatchBits / command[4].value;
      if (m->never) return true;  // nothing is taken, so the registers fail as they are
      if (!collect_in_match(command[1], in.context())) return false;
      if (!skip(command[3].value * command[4].value)) return false;
      m->gone = same_register(command[5], in.context());
      return assign(command[5], taken);
    }
  }
}

}  // namespace wb
