// Handlers that ask before they do what others can see (vm/process/points.h).
#include "vm/process/points.h"

#include <vector>

#include "loader/code_table.h"
#include "vm/interp/handler.h"
#include "vm/interp/interpreter.h"
#include "vm/process/signal.h"

namespace wb {
namespace {

/// Null: the instruction is done now.
using Ask = const Word* (*)(Exec& c, const Word* I);

const Word* ask_send(Exec& c, const Word* I) {
  return points_of(c).before(c, I, PointKind::send) ? leave_yielding(c, I, 2) : nullptr;
}
const Word* ask_wait(Exec& c, const Word* I) {
  instr::wait_timeout in{I};
  if (load_operand(c, in.time()) != make_small(0)) return nullptr;
  if (!points_of(c).before(c, I, PointKind::poll)) return nullptr;
  return leave_yielding(c, reinterpret_cast<const Word*>(in.loop()), 0);
}
const Word* ask_end(Exec& c, const Word* I) {
  return points_of(c).before(c, I, PointKind::end) ? leave_yielding(c, I, 0) : nullptr;
}
const Word* tell_taken(Exec& c, const Word* I) {
  points_of(c).takes(c, I, **c.p->save);
  return nullptr;
}
const Word* tell_timeout(Exec& c, const Word* I) {
  points_of(c).times_out(c, I);
  return nullptr;
}

template <Instr instruction, Ask ask>
WB_PRESERVE_NONE void asking_handler(WB_HANDLER_ARGS) {
  WB_SPILL();
  const Word* leave = ask(*C, I);
  WB_RELOAD();
  if (leave) WB_JUMP(leave);
  WB_TAIL reinterpret_cast<Handler>(make_handler_table(false)[info_of(instruction).first_handler])(
      WB_PASS);
}

template <Instr instruction, Ask ask>
void put(std::vector<Word>* table) {
  (*table)[info_of(instruction).first_handler] =
      reinterpret_cast<Word>(&asking_handler<instruction, ask>);
}

std::vector<Word> build_table() {
  const Word* usual = make_handler_table(false);
  std::vector<Word> table(usual, usual + kHandlerCount);
  put<Instr::send, ask_send>(&table);
  put<Instr::wait_timeout, ask_wait>(&table);
  put<Instr::process_end, ask_end>(&table);
  put<Instr::remove_message, tell_taken>(&table);
  put<Instr::timeout, tell_timeout>(&table);
  return table;
}

}  // namespace

const Word* make_handler_table_with_points() {
  static const std::vector<Word> table = build_table();
  return table.data();
}

}  // namespace wb
