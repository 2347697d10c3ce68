// The atoms of dist_atoms.def: am::name, with fixed indices after those of socket_atoms.def.
#pragma once

#include "term/socket_atoms.h"

namespace wb {

namespace am_index {
enum : uint32_t {
  before_dist_ = all_ - 1,
#define ATOM(id, text) id,
#include "term/dist_atoms.def"
#undef ATOM
  all_of_all_
};
}  // namespace am_index
namespace am {
#define ATOM(id, text) constexpr Term id = make_atom(am_index::id);
#include "term/dist_atoms.def"
#undef ATOM
}  // namespace am

}  // namespace wb
