// What a process reports of itself, as JSON: run by the process (process_query.h).
#pragma once

#include "vm/observe/process_query.h"

namespace wb {

/// More messages than this are a long queue.
constexpr uint32_t kLongQueue = 1000;

/// What it was started as; proc_lib has noted what it was asked for. Of itself.
std::string started_as(const Process& p);
/// Its registered name, or what it was started as. Of itself.
std::string process_name(const Process& p);

/// For a row of the table: where it is and why, what it was started as, and what looks wrong: a
/// list that who asks ends, and may add to.
void report_row(Process& p, ProcessQuery& q);
/// All of it, with messages from `number` on, `count` of them.
void report_details(Process& p, ProcessQuery& q);
/// What a process that looks wrong says of it, at the beginning of its text: where it is follows,
/// function, a new line, file.
struct SuspectMark {
  uint64_t queue = 0, scanned = 0;  ///< messages; 0 or some: its receive has passed over so many
  uint64_t binaries = 0, binary_bytes = 0, used_bytes = 0;
  uint64_t heap_bytes = 0, most_heap_bytes = 0;
  uint32_t line = 0;
  bool holds_large_binaries = false, used_is_known = false;
};
/// Nothing if nothing looks wrong.
void report_suspect(Process& p, ProcessQuery& q);
/// Holds `number`, an off-heap object's address, in its heap? Then the text is how often.
void report_references(Process& p, ProcessQuery& q);
/// Its children: processes it is linked to that name it as their parent.
void report_children(Process& p, ProcessQuery& q);
/// Asks for a collection before it does anything else.
void collect_soon(Process& p, ProcessQuery& q);

}  // namespace wb
