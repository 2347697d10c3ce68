// The atoms of policy_atoms.def: am::name, with fixed indices after those of dist_atoms.def.
#pragma once

#include "term/dist_atoms.h"

namespace wb {

namespace am_index {
enum : uint32_t {
  before_policies_ = all_of_all_ - 1,
#define ATOM(id, text) id,
#include "term/policy_atoms.def"
#undef ATOM
  with_policies_
};
}  // namespace am_index
namespace am {
#define ATOM(id, text) constexpr Term id = make_atom(am_index::id);
#include "term/policy_atoms.def"
#undef ATOM
}  // namespace am

}  // namespace wb
