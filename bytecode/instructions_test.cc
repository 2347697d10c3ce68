#include "bytecode/instructions.h"

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

}  // namespace wb
