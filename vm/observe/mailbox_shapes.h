// What waits in a mailbox, grouped: messages that are built alike, however they differ in numbers,
// pids and texts.
#pragma once

namespace wb {

class JsonWriter;
class Process;

/// `shapes`, the most messages first: `shape`, `messages`, `bytes`; `shaped`: of how many messages.
/// By the process itself.
void write_message_shapes(JsonWriter& w, const Process& p);

}  // namespace wb
