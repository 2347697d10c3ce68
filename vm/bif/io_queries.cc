// Two queries of OTP's io module to the machine.
#include "vm/bif/bif.h"

namespace wb {

/// What ~tp takes for printable: erl's +pc, whose default is latin1.
BIF(io, printable_range, 0)
{
  return am::latin1;
}
/// Does the node of this pid speak Unicode in the I/O protocol? Ours does.
BIF(net_kernel, dflag_unicode_io, 1)
{
  return is_pid(a[0]) ? am::true_ : kBadarg;
}

}  // namespace wb
