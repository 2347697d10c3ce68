// Guard BIFs that are instructions, too: what a handler does not decide goes to these, which also
// know how to fail. vm/bif/bifs.def lists them like all others.
#pragma once

#include "vm/process/native.h"

namespace wb {

BIF(erlang, hd, 1);
BIF(erlang, tl, 1);
BIF(erlang, byte_size, 1);
BIF(erlang, bit_size, 1);
BIF(erlang, map_size, 1);
BIF(erlang, element, 2);

}  // namespace wb
