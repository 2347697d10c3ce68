// What native functions need; vm/process/native.h says how one is written. bifs.def lists those of
// this folder: only vm/machine/native_table.cc includes it, so that another line there compiles no
// file again but its own.
#pragma once

#include "term/lists.h"
#include "vm/io/iolist.h"
#include "vm/process/guard.h"
#include "vm/process/native.h"
