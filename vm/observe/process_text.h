// What a process tells of itself, as JSON: run by the process (question.h).
#pragma once

#include "vm/observe/question.h"

namespace wb {

/// Its registered name, or what it was started as. Of itself.
std::string process_name(const Process& p);

/// For a row of the table: where it is and why, what it was started as, and what looks wrong: a
/// list that who asks ends, and may add to.
void tell_row(Process& p, Question& q);
/// All of it, with messages from `number` on, `count` of them.
void tell_everything(Process& p, Question& q);
/// Holds `number`, an off-heap object's address, in its heap? Then the text is how often.
void tell_holds(Process& p, Question& q);
/// Its children: processes it is linked to that name it as their parent.
void tell_links(Process& p, Question& q);
/// Asks for a collection before it does anything else.
void collect_soon(Process& p, Question& q);

}  // namespace wb
