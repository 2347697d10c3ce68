// The atoms of socket_atoms.def: am::name, with fixed indices after those of atoms.def.
#pragma once

#include "term/atom.h"

namespace wb {

namespace am_index {
enum : uint32_t {
  before_socket_ = count_ - 1,
#define ATOM(id, text) id,
#include "term/socket_atoms.def"
#undef ATOM
  all_
};
}  // namespace am_index
namespace am {
#define ATOM(id, text) constexpr Term id = make_atom(am_index::id);
#include "term/socket_atoms.def"
#undef ATOM
}  // namespace am

}  // namespace wb
