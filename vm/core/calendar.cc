#include "vm/core/calendar.h"

#include <time.h>

#include "term/number.h"

namespace wb {
namespace {

constexpr int64_t kDaySeconds = 86400;
constexpr int kEraDays = 146097;  // of 400 years

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_of_month(int64_t year, int64_t month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Years are counted from March, so that the leap day is the last of its year, and eras of 400 such
// years from the 1st of March of the year 0.
constexpr int64_t kMarchOfYearZero = -719468;  // days from 1970

int64_t day_of_march_month(int64_t m) { return (153 * m + 2) / 5; }

int64_t days_from_civil(int64_t year, int month, int day) {
  int64_t y = month <= 2 ? year - 1 : year;
  int64_t era = floor_div(y, 400), of_era = y - era * 400;
  int64_t of_year = day_of_march_month((month + 9) % 12) + day - 1;
  return kMarchOfYearZero + era * kEraDays + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
}

bool read_three(Term t, int64_t out[3]) {
  if (!is_tuple_of(t, 3)) return false;
  for (int i = 0; i < 3; ++i) {
    Term n = tuple_elements(t)[i];
    if (!is_small(n)) return false;
    out[i] = small_value(n);
  }
  return true;
}

bool from_tm(const tm& t, CivilTime* out) {
  *out = {int64_t{t.tm_year} + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec};
  return true;
}

/// A day from 1970 on, for some million years: by the functions of Neri and Schneider
/// ("Euclidean affine functions and their application to calendar algorithms", 2022), which divide
/// 32 bits at a time.
void put_date(uint32_t days, CivilTime* out) {
  constexpr uint32_t kYearSteps = 2939745;  // 2^32 / 1461
  const uint32_t n = 4 * (days + static_cast<uint32_t>(-kMarchOfYearZero)) + 3;
  const uint32_t century = n / kEraDays, of_century = n % kEraDays / 4;
  const uint64_t years = uint64_t{kYearSteps} * (4 * of_century + 3);
  const uint32_t of_year = static_cast<uint32_t>(years) / kYearSteps / 4;
  const uint32_t months = 2141 * of_year + 197913;
  const bool next_year = of_year >= 306;  // January, February
  out->year = 100 * int64_t{century} + static_cast<int64_t>(years >> 32) + next_year;
  out->month = static_cast<int>(months >> 16) - (next_year ? 12 : 0);
  out->day = static_cast<int>((months & 0xffff) / 2141 + 1);
}

void put_time_of_day(uint32_t seconds, CivilTime* out) {
  const uint32_t minutes = seconds / 60;
  out->hour = static_cast<int>(minutes / 60);
  out->minute = static_cast<int>(minutes % 60);
  out->second = static_cast<int>(seconds % 60);
}

}  // namespace

/// The day's year (from March), month and day. Division cuts towards zero as in OTP, whose dates
/// before the year 0 are a little strange for it: each year begins with a "0th of March".
static CivilTime civil_from_any_posix(int64_t seconds) {
  CivilTime c;
  int64_t days = floor_div(seconds, kDaySeconds);
  put_time_of_day(static_cast<uint32_t>(seconds - days * kDaySeconds), &c);
  int64_t since = days - kMarchOfYearZero;
  auto day_of_year = [since](int64_t y) { return since - (365 * y + y / 4 - y / 100 + y / 400); };
  int64_t year = (10000 * since + 14780) / 3652425;
  if (day_of_year(year) < 0) --year;
  int64_t of_year = day_of_year(year);
  int64_t m = (100 * of_year + 52) / 3060;
  c.year = year + (m + 2) / 12;
  c.month = static_cast<int>((m + 2) % 12 + 1);
  c.day = static_cast<int>(of_year - (m * 306 + 5) / 10 + 1);
  return c;
}

CivilTime civil_from_posix(int64_t seconds) {
  constexpr uint64_t kManyDays = 1 << 29;
  const uint64_t days = static_cast<uint64_t>(seconds) / kDaySeconds;
  if (days >= kManyDays) return civil_from_any_posix(seconds);
  CivilTime c;
  put_date(static_cast<uint32_t>(days), &c);
  put_time_of_day(static_cast<uint32_t>(static_cast<uint64_t>(seconds) % kDaySeconds), &c);
  return c;
}

int64_t posix_from_civil(const CivilTime& c) {
  return days_from_civil(c.year, c.month, c.day) * kDaySeconds + c.hour * 3600 + c.minute * 60 +
         c.second;
}

bool local_from_posix(int64_t seconds, CivilTime* out) {
  time_t when = seconds;
  tm t;
  return localtime_r(&when, &t) && from_tm(t, out);
}

bool posix_from_local(const CivilTime& c, int dst, int64_t* out) {
  tm t = {};
  t.tm_year = static_cast<int>(c.year - 1900);
  t.tm_mon = c.month - 1;
  t.tm_mday = c.day;
  t.tm_hour = c.hour;
  t.tm_min = c.minute;
  t.tm_sec = c.second;
  t.tm_isdst = dst;
  t.tm_wday = -1;  // mktime sets it when it succeeds: -1 is a time too
  *out = mktime(&t);
  return t.tm_wday >= 0;
}

Term make_date(Heap& h, const CivilTime& c) {
  return tuple(h, make_small(c.year), make_small(c.month), make_small(c.day));
}
Term make_time(Heap& h, const CivilTime& c) {
  return tuple(h, make_small(c.hour), make_small(c.minute), make_small(c.second));
}
Term make_date_time(Heap& h, const CivilTime& c) {
  Term date = make_date(h, c);
  return tuple(h, date, make_time(h, c));
}

bool read_date_time(Term t, int64_t first_year, CivilTime* out) {
  int64_t d[3], s[3];
  if (!is_tuple_of(t, 2)) return false;
  if (!read_three(tuple_elements(t)[0], d) || !read_three(tuple_elements(t)[1], s)) return false;
  if (d[0] < first_year || d[0] >= INT32_MAX || d[1] < 1 || d[1] > 12) return false;
  if (d[2] < 1 || d[2] > days_of_month(d[0], d[1])) return false;
  if (s[0] < 0 || s[0] > 23 || s[1] < 0 || s[1] > 59 || s[2] < 0 || s[2] > 59) return false;
  *out = {d[0],
          static_cast<int>(d[1]),
          static_cast<int>(d[2]),
          static_cast<int>(s[0]),
          static_cast<int>(s[1]),
          static_cast<int>(s[2])};
  return true;
}

}  // namespace wb
