#include "bytecode/instructions.h"

#include "bytecode/opcode.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace wb {

TEST_CASE("every handler index names one instruction and one choice of kinds", "[instructions]") {
  for (unsigned h = 0; h < kHandlerCount; ++h) {
    OperandKind kinds[3] = {};
    Instr i = instr_of_handler(h, kinds);
    CHECK(handler_index(i, kinds) == h);
  }
}

TEST_CASE("a shape's letters are the operands it specialises", "[instructions]") {
  std::set<std::string> names;
  for (const InstrInfo& info : kInstrInfo) {
    CHECK(names.insert(info.name).second);
    unsigned special = 0;
    for (const char* c = info.operands; *c; ++c) special += *c == 's' || *c == 'r' || *c == 'd';
    CHECK(special == shape_operands(info.shape));
  }
}

TEST_CASE("a view reads the words of its instruction by name", "[instructions]") {
  const uint64_t words[] = {1, 20, 30, 40, 2, 60, 70};
  instr::put_map_assoc in{words};
  CHECK(in.map() == 20);
  CHECK(in.dst() == 30);
  CHECK(in.live() == 40);
  CHECK(in.count() == 2);
  CHECK(in.pairs() == words + 5);
  CHECK(in.after() == words + 7);
  const uint64_t call[] = {1, 20, reinterpret_cast<uint64_t>(words)};
  CHECK(instr::call{call}.after() == words);
  CHECK(instr::fadd{words}.after() == words + info_of(Instr::fadd).words);
}

TEST_CASE("an instruction is visited with its view", "[instructions]") {
  const uint64_t words[] = {1, 20, 30};
  auto size = [&](const auto& in) { return static_cast<size_t>(in.after() - words); };
  CHECK(visit_instr<size_t>(Instr::move, words, size) == 3);
  CHECK(visit_instr<size_t>(Instr::return_, words, size) == 1);
}

TEST_CASE("calls name first what they call", "[instructions]") {
  const uint64_t words[] = {1, 20, 30, 40, 50};
  for (unsigned i = 0; i < kInstrCount; ++i) {
    visit_instr<bool>(static_cast<Instr>(i), words, [](const auto& in) {
      constexpr unsigned flags = std::decay_t<decltype(in)>::kAttributes;
      if constexpr (flags & kCallsLabel) CHECK(callee_of(in.I) == in.entry());
      if constexpr (flags & kCallsExport) CHECK(callee_of(in.I) == in.function());
      if constexpr (flags & kCallsFun) CHECK(arity_of_fun_call(in.I) == in.arity());
      return true;
    });
  }
}

TEST_CASE("the attributes of instructions", "[instructions]") {
  CHECK(instr_has(Instr::badmatch, kRaises));
  CHECK(instr_has(Instr::take_utf8, kReadsContext));
  CHECK(calls_fun(Instr::end_in_fun_of_3));
  CHECK(calls_label(Instr::call_only));
  CHECK(calls_export(Instr::call_ext_last));
  CHECK(!calls_export(Instr::call_bif));
  CHECK(check_of(op_info(Op::bs_get_utf8).attributes) == Check::context);
  CHECK(check_of(op_info(Op::move).attributes) == Check::none);
}

}  // namespace wb
