// Matching of bit strings.
#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

constexpr uint64_t kMaxUnit = 256;
constexpr uint64_t kMaxFlags = 31;
constexpr uint64_t kMaxBits = uint64_t{1} << 40;

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
  constexpr Kinds kMatchable = kinds::bitstring | kinds::context;
  switch (op) {
    case Op::bs_start_match3: {
      if (!readable(o[1])) return false;
      ValueType t = type_of(o[1]), started = part_of(o[1], wb::type_of(kinds::context));
      if (!collect(o[2]) || !branch(o[1], without(t, kMatchable), o[0].value)) return false;
      if (!restricted(t, kMatchable).exists()) return end();
      learn(o[1], restricted(t, kMatchable));
      return assign(o[3], started);
    }
    case Op::bs_start_match4: {
      if (!readable(o[2])) return false;
      ValueType t = type_of(o[2]), started = part_of(o[2], wb::type_of(kinds::context));
      if (!collect(o[1])) return false;
      if (o[0].type == Operand::f && o[0].value) {
        if (!branch(o[2], without(t, kMatchable), o[0].value)) return false;
      } else {
        bool resume = o[0].type == Operand::atom && o[0].value == am::resume;
        if (!resume && (o[0].type != Operand::atom || o[0].value != am::no_fail))
          return fail_operand(Rule::operand_kind, o[0]);
        if (!t.only(resume ? static_cast<Kinds>(kinds::context) : kMatchable)) checked();
      }
      learn(o[2], restricted(t, kMatchable));
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
      if (o[2].value > kMaxBits) return fail_operand(Rule::bad_operand, o[2]);
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

/// bs_match Fail Ctx [Command, Operand, ...] (OTP 26).
bool FunctionAnalysis::check_match_commands(Operands o) {
  if (!context(o[1])) return false;
  Operands list = unit_.list_of(o[2]);
  std::vector<std::pair<Operand, ValueType>> results;
  uint64_t live = UINT64_MAX;
  auto number = [&](const Operand& n) { return n.type == Operand::u && n.value <= kMaxBits; };
  auto live_count = [&](const Operand& n) {
    if (n.type == Operand::u && n.value <= kMaxRegisters && n.value < live) live = n.value;
    return n.type == Operand::u ? n.value <= kMaxRegisters : n.type == Operand::nil;
  };
  while (!list.empty()) {
    if (list[0].type != Operand::atom) return fail_operand(Rule::bad_list, list[0]);
    std::string_view name = atom_text(list[0].value);
    bool get = name == "integer" || name == "binary";  // Live Flags Size Unit Dst
    size_t n = get                                          ? 5
               : name == "get_tail" || name == "=:="        ? 3
               : name == "ensure_at_least"                  ? 2
               : name == "skip" || name == "ensure_exactly" ? 1
                                                            : 0;
    if (n == 0 || list.size() <= n) return fail_operand(Rule::bad_list, list[0]);
    Operands a = list.subspan(1, n);
    list = list.subspan(n + 1);
    bool ok = true;
    if (get) {
      ok = live_count(a[0]) && number(a[2]) && number(a[3]) && a[4].is_register();
      if (ok && !bit_unit(a[3])) return false;
      results.emplace_back(a[4],
                           wb::type_of(name == "integer" ? kinds::integer : kinds::bitstring));
    } else if (name == "get_tail") {
      ok = live_count(a[0]) && number(a[1]) && a[2].is_register();
      results.emplace_back(a[2], wb::type_of(kinds::bitstring));
    } else if (name == "=:=") {
      ok = live_count(a[0]) && number(a[1]) &&
           (number(a[2]) || type_of(a[2]).only(kinds::integer)) && !a[2].is_register();
    } else {
      for (const Operand& v : a) ok = ok && number(v);
      if (ok && n == 2 && !bit_unit(a[1])) return false;
    }
    if (!ok) return fail(Rule::bad_list, std::string(name));
  }
  ValueType part = part_of(o[1], {});
  if (live != UINT64_MAX && !collect_x(live)) return false;
  if (!y_ready()) return false;
  FlowState failed = state_;  // earlier commands may have written their results
  for (auto& [reg, type] : results)
    if (failed.has_slot(reg) && failed.type(reg).exists()) failed.assign(reg, any_term());
  if (!flow_to(o[0].value, failed)) return false;
  for (auto& [reg, type] : results) {
    type.flags |= part.flags;
    if (!assign(reg, type)) return false;
  }
  return true;
}

}  // namespace wb
