// What the functions of prim_socket share.
#pragma once

#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/io/network.h"
#include "vm/port/ports.h"
#include "vm/process/native.h"
#include "vm/socket/native_socket.h"
#include "vm/socket/native_sockets.h"

namespace wb {

#define BIF_ENTRY(module, name, arity, text) BIF(module, name, arity);
#include "vm/socket/bifs.def"
#undef BIF_ENTRY
#define NEWER_BIF(release, module, name, arity, text) BIF(module, name, arity);
#include "vm/socket/newer_bifs.def"
#undef NEWER_BIF

/// error:{invalid, What}
inline Term raise_invalid(Process& p, Term what) {
  return p.error(tuple(p.heap, am::invalid, what));
}
/// {invalid, What}, of which prim_socket makes an answer.
inline Term invalid(Process& p, Term what) { return tuple(p.heap, am::invalid, what); }
inline Term error_tuple(Process& p, Term reason) { return tuple(p.heap, am::error, reason); }
inline Term closed_error(Process& p) { return error_tuple(p, am::closed); }
inline Term ok_tuple(Process& p, Term value) { return tuple(p.heap, am::ok, value); }

/// What is said of an integer that does not fit, or of what is none.
inline Term out_of_range(Process& p, Term t) {
  return is_integer(t) ? invalid(p, tuple(p.heap, am::integer_range, t)) : kBadarg;
}

/// The socket `s` that term `t` names, or badarg.
#define WB_SOCKET(s, t)                  \
  NativeSocket* s = NativeSocket::of(t); \
  if (!s) return kBadarg;
/// The same, locked and open, or {error, closed}.
#define WB_OPEN_SOCKET(s, t)              \
  WB_SOCKET(s, t)                         \
  NativeSocket::Guard s##_guard(s->lock); \
  if (!s->is_open()) return closed_error(p);

}  // namespace wb
