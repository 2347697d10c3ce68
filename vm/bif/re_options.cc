#include "vm/bif/re_options.h"

#include <iterator>

#include "term/instance.h"

namespace wb {

namespace {
struct Flag {
  Term option;
  uint32_t flag;
};

constexpr Flag kCompileFlags[] = {
    {am::unicode, PCRE2_UTF},
    {am::caseless, PCRE2_CASELESS},
    {am::dollar_endonly, PCRE2_DOLLAR_ENDONLY},
    {am::dotall, PCRE2_DOTALL},
    {am::extended, PCRE2_EXTENDED},
    {am::firstline, PCRE2_FIRSTLINE},
    {am::multiline, PCRE2_MULTILINE},
    {am::no_auto_capture, PCRE2_NO_AUTO_CAPTURE},
    {am::dupnames, PCRE2_DUPNAMES},
    {am::ungreedy, PCRE2_UNGREEDY},
    {am::ucp, PCRE2_UCP},
    {am::never_utf, PCRE2_NEVER_UTF},
    {am::no_start_optimize, PCRE2_NO_START_OPTIMIZE},
};
constexpr Flag kRunFlags[] = {
    {am::notbol, PCRE2_NOTBOL},
    {am::noteol, PCRE2_NOTEOL},
    {am::notempty, PCRE2_NOTEMPTY},
    {am::notempty_atstart, PCRE2_NOTEMPTY_ATSTART},
};
/// By the number that PCRE 8 has for each: several given are one whose number has all their bits.
constexpr struct {
  Term option;
  uint32_t flag;
} kNewlines[] = {
    {kNone, 0},
    {am::cr, PCRE2_NEWLINE_CR},
    {am::lf, PCRE2_NEWLINE_LF},
    {am::crlf, PCRE2_NEWLINE_CRLF},
    {am::any, PCRE2_NEWLINE_ANY},
    {am::anycrlf, PCRE2_NEWLINE_ANYCRLF},
};

template <size_t N>
bool look_up(const Flag (&table)[N], Term option, uint32_t* flag) {
  for (const Flag& f : table) {
    if (f.option != option) continue;
    *flag = f.flag;
    return true;
  }
  return false;
}

bool newline(Term t, RegexOptions* o) {
  unsigned number = 0, given = 0;
  for (unsigned i = 1; i < std::size(kNewlines); ++i) {
    if (kNewlines[i].option == t) number = i;
    if (o->newline && kNewlines[i].flag == o->newline) given = i;
  }
  if (!number) return false;
  if (otp_release() < 28) number |= given;  // later the last one counts
  if (number < std::size(kNewlines))
    o->newline = kNewlines[number].flag;
  else
    o->inconsistent = true;
  return true;
}
void bsr(uint32_t which, RegexOptions* o) {
  if (o->bsr && o->bsr != which && otp_release() < 28) o->inconsistent = true;
  o->bsr = which;
}

bool atom_option(Term t, ReOptions* o) {
  uint32_t flag;
  if (look_up(kCompileFlags, t, &flag)) {
    o->regex.flags |= flag;
    o->compiles = true;
  } else if (look_up(kRunFlags, t, &flag)) {
    o->flags |= flag;
    o->runs = true;
  } else if (t == am::anchored) {  // belongs to both
    o->regex.flags |= PCRE2_ANCHORED;
    o->flags |= PCRE2_ANCHORED;
  } else if (t == am::bsr_anycrlf) {
    bsr(PCRE2_BSR_ANYCRLF, &o->regex);
  } else if (t == am::bsr_unicode) {
    bsr(PCRE2_BSR_UNICODE, &o->regex);
  } else if (t == am::export_ && otp_release() >= 28) {
    o->exports = o->compiles = true;
  } else if (t == am::global) {
    o->global = o->runs = true;
  } else if (t == am::report_errors) {
    o->report_errors = o->runs = true;
  } else {
    return false;
  }
  return true;
}

bool limit(Term t, int64_t* v) {
  if (!is_small(t) || small_value(t) < 0 || small_value(t) > INT32_MAX) return false;
  *v = small_value(t);
  return true;
}

bool pair_option(Term key, Term value, ReOptions* o) {
  if (key == am::newline) return newline(value, &o->regex);
  o->runs = true;
  if (key == am::offset) {
    if (!is_small(value) || small_value(value) < 0) return false;
    o->offset = static_cast<size_t>(small_value(value));
    return true;
  }
  if (key == am::capture) {
    o->capture = value;
    o->capture_type = am::index;
    return true;
  }
  if (key == am::match_limit) return limit(value, &o->match_limit);
  return key == am::match_limit_recursion && limit(value, &o->depth_limit);
}

bool option(Term t, ReOptions* o) {
  if (is_atom(t)) return atom_option(t, o);
  if (!is_tuple(t)) return false;
  const Term* e = tuple_elements(t);
  if (tuple_arity(t) == 2) return pair_option(e[0], e[1], o);
  if (tuple_arity(t) != 3 || e[0] != am::capture) return false;
  o->runs = true;
  o->capture = e[1];
  o->capture_type = e[2];
  return true;
}
}  // namespace

bool parse_re_options(Term list, ReOptions* o) {
  for (; is_cons(list); list = tail(list)) {
    if (!option(head(list), o)) return false;
  }
  return is_nil(list);
}

}  // namespace wb
