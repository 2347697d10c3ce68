// Dates: local time, universal time, seconds since 1970.
#include <ctime>

#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/clock.h"
#include "vm/vm.h"

namespace wb {

namespace {

struct DateTime {
  int64_t year;
  int month, day, hour, minute, second;
};

// --- the calendar, by Howard Hinnant's algorithms ------------------------------------------------
int64_t days_from_civil(int64_t y, int m, int d) {
  y -= m <= 2;
  int64_t era = (y >= 0 ? y : y - 399) / 400;
  int64_t yoe = y - era * 400;
  int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}
DateTime from_posix(int64_t seconds) {
  int64_t days = seconds / 86400 - (seconds % 86400 < 0);
  auto rest = static_cast<int>(seconds - days * 86400);
  int64_t z = days + 719468;
  int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  int64_t doe = z - era * 146097;
  int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  auto mp = static_cast<int>((5 * doy + 2) / 153);
  auto d = static_cast<int>(doy - (153 * mp + 2) / 5 + 1);
  int m = mp < 10 ? mp + 3 : mp - 9;
  return {yoe + era * 400 + (m <= 2), m, d, rest / 3600, rest / 60 % 60, rest % 60};
}
int64_t to_posix(const DateTime& t) {
  return days_from_civil(t.year, t.month, t.day) * 86400 + t.hour * 3600 + t.minute * 60 + t.second;
}
bool is_leap(int64_t y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }
int days_in_month(int64_t y, int m) {
  static constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return m == 2 && is_leap(y) ? 29 : days[m - 1];
}

// --- terms ---------------------------------------------------------------------------------------
bool take_int(Term t, int64_t low, int64_t high, int* out) {
  if (!is_small(t) || small_value(t) < low || small_value(t) > high) return false;
  *out = static_cast<int>(small_value(t));
  return true;
}
/// {{Year, Month, Day}, {Hour, Minute, Second}}
bool take_date_time(Term t, DateTime* out) {
  if (!is_tuple_of(t, 2)) return false;
  Term date = tuple_elements(t)[0], time = tuple_elements(t)[1];
  if (!is_tuple_of(date, 3) || !is_tuple_of(time, 3)) return false;
  const Term *d = tuple_elements(date), *c = tuple_elements(time);
  int year;
  if (!take_int(d[0], 1, 1 << 30, &year) || !take_int(d[1], 1, 12, &out->month)) return false;
  out->year = year;
  return take_int(d[2], 1, days_in_month(year, out->month), &out->day) &&
         take_int(c[0], 0, 23, &out->hour) && take_int(c[1], 0, 59, &out->minute) &&
         take_int(c[2], 0, 59, &out->second);
}
Term date_term(Heap& h, const DateTime& t) {
  return tuple(h, make_small(t.year), make_small(t.month), make_small(t.day));
}
Term time_term(Heap& h, const DateTime& t) {
  return tuple(h, make_small(t.hour), make_small(t.minute), make_small(t.second));
}
Term date_time_term(Heap& h, const DateTime& t) {
  Term date = date_term(h, t);
  return tuple(h, date, time_term(h, t));
}

// --- time zones ----------------------------------------------------------------------------------
constexpr int64_t kFirstYear = 1900, kLastLocalYear = 9999;

DateTime local_at(int64_t posix) {
  time_t seconds = posix;
  tm t{};
  localtime_r(&seconds, &t);
  return {int64_t{t.tm_year} + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec};
}
DateTime now_local(Process& p) { return local_at(p.vm().clock->system_ns() / 1'000'000'000); }

}  // namespace

BIF(erlang, localtime, 0)
{
  return date_time_term(p.heap, now_local(p));
}
BIF(erlang, date, 0)
{
  return date_term(p.heap, now_local(p));
}
BIF(erlang, time, 0)
{
  return time_term(p.heap, now_local(p));
}
BIF(erlang, universaltime, 0)
{
  return date_time_term(p.heap, from_posix(p.vm().clock->system_ns() / 1'000'000'000));
}

BIF(erlang, localtime_to_universaltime, 2)
{
  DateTime d;
  if (!take_date_time(a[0], &d) || d.year < kFirstYear || d.year > kLastLocalYear) return kBadarg;
  int dst = a[1] == am::true_ ? 1 : a[1] == am::false_ ? 0 : -1;
  if (dst < 0 && a[1] != am::undefined) return kBadarg;
  tm t{};
  t.tm_year = static_cast<int>(d.year - 1900), t.tm_mon = d.month - 1, t.tm_mday = d.day;
  t.tm_hour = d.hour, t.tm_min = d.minute, t.tm_sec = d.second;
  t.tm_isdst = dst;
  return date_time_term(p.heap, from_posix(mktime(&t)));
}
BIF(erlang, universaltime_to_localtime, 1)
{
  DateTime d;
  if (!take_date_time(a[0], &d) || d.year < kFirstYear) return kBadarg;
  return date_time_term(p.heap, local_at(to_posix(d)));
}
BIF(erlang, universaltime_to_posixtime, 1)
{
  DateTime d;
  if (!take_date_time(a[0], &d)) return kBadarg;
  return make_integer(p.heap, to_posix(d));
}
BIF(erlang, posixtime_to_universaltime, 1)
{
  int64_t seconds;
  if (!to_int64(a[0], &seconds)) return kBadarg;
  return date_time_term(p.heap, from_posix(seconds));
}

}  // namespace wb
