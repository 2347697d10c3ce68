// How a program ends whose machine cannot go on (base/instance.h).
#pragma once

namespace wb {

/// EX_OSERR of sysexits.h: no Erlang program ends with it by chance.
constexpr int kExitOutOfMemory = 71;
/// A seeded run in which nothing can happen any more (vm/observe/stuck.h).
constexpr int kExitStuck = 72;
/// 128 + SIGABRT: a mistake of ours, or halt(abort). If nobody handles it the program aborts, so
/// that there is a core dump.
constexpr int kExitAborted = 134;

}  // namespace wb
