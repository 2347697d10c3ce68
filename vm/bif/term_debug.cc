// erts_debug: what can be seen of terms beneath their values.
#include "term/sharing.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

Term counted(Process& p, size_t words) {
  p.charge(static_cast<int64_t>(words / 20));
  return make_small(static_cast<int64_t>(words));
}

}  // namespace

BIF(erts_debug, same, 2)
{
  return make_bool(a[0] == a[1]);
}
BIF(erts_debug, flat_size, 1)
{
  return counted(p, unshared_size(a[0]));
}
BIF(erts_debug, size_shared, 1)
{
  return counted(p, shared_size(a[0], false));
}
BIF(erts_debug, copy_shared, 2)
{
  if (a[1] != am::true_ && a[1] != am::false_) return kBadarg;
  const bool literals = a[1] == am::true_;
  const Sharing sharing = sharing_of(a[0], literals);
  Term t = copy_sharing(p.heap, a[0], literals, sharing);
  p.charge(static_cast<int64_t>(sharing.words / 20));
  return t;
}

}  // namespace wb
