// Dates, times of day, and between local, universal and POSIX time (vm/core/calendar.h).
#include "vm/core/calendar.h"

#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"

namespace wb {

constexpr int64_t kFirstUniversalYear = 1600, kFirstLocalYear = 1902;  // as OTP has it

static int64_t now_seconds(Process& p) { return p.vm().clock->os_system_ns() / 1'000'000'000; }

static CivilTime local_now(Process& p) {
  CivilTime c;
  int64_t now = now_seconds(p);
  return local_from_posix(now, &c) ? c : civil_from_posix(now);
}

BIF(erlang, date, 0)
{
  return make_date(p.heap, local_now(p));
}
BIF(erlang, time, 0)
{
  return make_time(p.heap, local_now(p));
}
BIF(erlang, localtime, 0)
{
  return make_date_time(p.heap, local_now(p));
}
BIF(erlang, universaltime, 0)
{
  return make_date_time(p.heap, civil_from_posix(now_seconds(p)));
}
BIF(erlang, posixtime_to_universaltime, 1)
{
  int64_t seconds;
  if (!to_int64(a[0], &seconds)) return kBadarg;
  return make_date_time(p.heap, civil_from_posix(seconds));
}
BIF(erlang, universaltime_to_posixtime, 1)
{
  CivilTime c;
  if (!read_date_time(a[0], kFirstUniversalYear, &c)) return kBadarg;
  return make_integer(p.heap, posix_from_civil(c));
}
BIF(erlang, universaltime_to_localtime, 1)
{
  CivilTime c, local;
  if (!read_date_time(a[0], kFirstLocalYear, &c)) return kBadarg;
  if (!local_from_posix(posix_from_civil(c), &local)) return kBadarg;
  return make_date_time(p.heap, local);
}
BIF(erlang, localtime_to_universaltime, 2)
{
  int dst = a[1] == am::true_ ? 1 : a[1] == am::false_ ? 0 : -1;
  if (dst < 0 && a[1] != am::undefined) return kBadarg;
  CivilTime c;
  int64_t seconds;
  if (!read_date_time(a[0], kFirstLocalYear, &c)) return kBadarg;
  if (!posix_from_local(c, dst, &seconds)) return kBadarg;
  return make_date_time(p.heap, civil_from_posix(seconds));
}

}  // namespace wb
