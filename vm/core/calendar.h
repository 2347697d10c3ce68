// Dates and times of day as Erlang terms, and the proleptic Gregorian calendar.
#pragma once

#include "term/heap.h"

namespace wb {

struct CivilTime {
  int64_t year;
  int month, day, hour, minute, second;
};

CivilTime civil_from_posix(int64_t seconds);
int64_t posix_from_civil(const CivilTime& c);
/// Local time there and then; false: the C library has no answer.
bool local_from_posix(int64_t seconds, CivilTime* out);
/// `dst`: as in struct tm (1, 0, -1: find out).
bool posix_from_local(const CivilTime& c, int dst, int64_t* out);

Term make_date(Heap& h, const CivilTime& c);
Term make_time(Heap& h, const CivilTime& c);
Term make_date_time(Heap& h, const CivilTime& c);
/// Reads {{Y,M,D},{H,Mi,S}}: false unless it is a day there is and a second of it. Years from
/// `first_year` to 2^31-2.
bool read_date_time(Term t, int64_t first_year, CivilTime* out);

}  // namespace wb
