// Module re: compile, run, internal_run, inspect, version. The loops (global matches, split,
// replace) are OTP's own Erlang code in re.erl, to which we hand over (grun, urun, ucompile) in the
// same cases as OTP does.
#include <algorithm>
#include <optional>

#include "term/binary.h"
#include "term/external.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"
#include "vm/bif/re_options.h"
#include "vm/core/vm.h"
#include "vm/process/native_yield.h"

namespace wb {

BIF(erlang, iolist_to_binary, 1);  // binary_conv.cc

namespace {
constexpr uint32_t kMatchLimit = 10000000;
constexpr uint32_t kHeapLimitKib = 512 * 1024;  // of one match
// What a scheduler does itself: so much of the subject, so many backtracks. The rest is done
// beside.
constexpr size_t kWindow = 1 << 16;
constexpr uint32_t kQuickLimit = 20000;
constexpr int64_t kCheckedBytes = 16;  // a reduction

Term trap_to(Process& p, Term function, std::initializer_list<Term> args) {
  uint32_t arity = static_cast<uint32_t>(args.size());
  void* target = fun_resolver().export_entry(am::re, function, arity);
  return target ? p.trap(static_cast<Export*>(target), args) : kUndef;
}

std::string_view text_of(const ByteView& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size()};
}

Term char_list(Heap& h, std::string_view s) {
  return bytes_to_list(h, reinterpret_cast<const uint8_t*>(s.data()), s.size());
}

// --- patterns ------------------------------------------------------------------------------------
Term error_tuple(Heap& h, const RegexError& e) {
  return tuple(h, char_list(h, e.text), make_small(static_cast<int64_t>(e.position)));
}

bool is_pattern_tuple(Term t) {
  return is_tuple_of(t, 5) && tuple_elements(t)[0] == am::re_pattern;
}

/// What the reference of a pattern refers to, from OTP 28 on.
struct PackedRegex final : OffHeapObject {
  std::string packed;
};

void destroy_packed_regex(OffHeapObject* o) { delete static_cast<PackedRegex*>(o); }

Term packed_term(Process& p, std::string packed) {
  if (otp_release() < 28) return make_binary(p.heap, packed.data(), packed.size());
  auto* object = new PackedRegex;
  object->destroy = destroy_packed_regex;
  object->packed = std::move(packed);
  return p.vm().new_magic_ref(p.heap, object, sizeof *object + object->packed.size());
}

std::optional<std::string_view> packed_text(Term t) {
  if (is_binary(t)) return text_of(ByteView(t));
  if (!is_kind(t, Kind::magic_ref) || magic_object(t)->destroy != destroy_packed_regex) return {};
  return static_cast<PackedRegex*>(magic_object(t))->packed;
}

/// The Regex of a {re_pattern, ...}; nullptr if it is not one of ours. Newline and bsr given when
/// running replace those given when compiling.
Regex* compiled_pattern(Term t, const ReOptions* run) {
  const std::optional<std::string_view> packed = packed_text(tuple_elements(t)[4]);
  std::string_view pattern;
  RegexOptions options;
  if (!packed || !unpack_regex(*packed, &pattern, &options)) return nullptr;
  if (run && run->regex.newline) options.newline = run->regex.newline;
  if (run && run->regex.bsr) options.bsr = run->regex.bsr;
  options.inconsistent = run && run->regex.inconsistent;
  RegexError error;
  return compile_regex(pattern, options, &error);
}

Term pattern_tuple(Process& p, const Regex& r, std::string_view text, const RegexOptions& options) {
  return tuple(p.heap, am::re_pattern, make_small(r.captures), make_small(r.unicode),
               make_small(r.crlf), packed_term(p, pack_regex(text, options)));
}

/// For OTP the text ended at its first zero until it had PCRE2.
bool pattern_text(Term source, std::string* text) {
  if (!iolist_to_bytes(source, text)) return false;
  if (otp_release() < 28) text->resize(std::min(text->size(), text->find('\0')));
  return true;
}

/// {re_exported_pattern, Header, Pattern, Options, Code}: without code, which OTP would not take
/// either from another build of PCRE2.
constexpr std::string_view kExported = "re-PCRE2";
Term exported(Heap& h, std::string_view pattern, Term options) {
  std::string header(kExported);
  header.append("\0\0\0\0\1\0", 6);
  return tuple(h, intern("re_exported_pattern"), make_binary(h, header.data(), header.size()),
               make_binary(h, pattern.data(), pattern.size()), options, make_binary(h, "", 0));
}

Term compile(Process& p, Term source, Term list) {
  ReOptions o;
  if (!parse_re_options(list, &o) || o.runs) return p.badarg(am::badopt);
  if ((o.regex.flags & PCRE2_UTF) && !is_binary(source)) {
    return trap_to(p, am::ucompile, {source, list});
  }
  std::string pattern;
  if (!pattern_text(source, &pattern)) return kBadarg;
  p.charge(static_cast<int64_t>(pattern.size()) + 10);
  RegexError error;
  const Regex* r = compile_regex(pattern, o.regex, &error);
  if (!r) return tuple(p.heap, am::error, error_tuple(p.heap, error));
  if (o.exports) return tuple(p.heap, am::ok, exported(p.heap, pattern, list));
  return tuple(p.heap, am::ok, pattern_tuple(p, *r, pattern, o.regex));
}

/// The pattern's text and options are compiled: the code of another machine's PCRE2 is of no use to
/// ours.
Term import(Process& p, Term t) {
  if (!is_tuple_of(t, 5)) return kBadarg;
  const Term* e = tuple_elements(t);
  if (e[0] != intern("re_exported_pattern") || !is_binary(e[1]) || !is_binary(e[2]) ||
      !is_binary(e[4]))
    return kBadarg;
  ReOptions o;
  std::string pattern;
  RegexError error;
  if (!text_of(ByteView(e[1])).starts_with(kExported) || !parse_re_options(e[3], &o) || o.runs ||
      !pattern_text(e[2], &pattern))
    return kBadarg;
  p.charge(static_cast<int64_t>(pattern.size()) + 10);
  const Regex* r = compile_regex(pattern, o.regex, &error);
  return r ? pattern_tuple(p, *r, pattern, o.regex) : kBadarg;
}

// --- one match -----------------------------------------------------------------------------------
struct Subject {
  Term binary;
  const uint8_t* bytes;
  size_t size;
};

/// What a match gave, as the options want to see it.
class Captured {
 public:
  Captured(Process& p, const Regex& r, const Subject& s, const ReOptions& o, int groups)
      : p_(p),
        regex_(r),
        subject_(s),
        options_(o),
        groups_(groups),
        vector_(pcre2_get_ovector_pointer(r.data)),
        list_(p.heap) {}

  Term result() {
    Term what = options_.capture;
    if (what == am::none || is_nil(what)) return am::match;
    if (what == am::all) return all_from(0);
    if (what == am::all_but_first) return all_from(1);
    if (what == am::first) groups_ = 1;
    if (what == am::first) return all_from(0);
    if (what == am::all_names) return all_names();
    for (; is_cons(what); what = tail(what)) {
      int group;
      if (!selected(head(what), &group)) return kBadarg;
      add(group);
    }
    return is_nil(what) ? finish() : kBadarg;
  }

 private:
  Term finish() { return tuple(p_.heap, am::match, list_.finish()); }

  Term all_from(int first) {
    for (int i = first; i < groups_; ++i) add(i);
    return finish();
  }

  Term all_names() {
    std::vector<std::string> names = regex_.names();
    if (names.empty()) return am::match;
    for (const std::string& name : names) add(regex_.group_of(name, groups_));
    return finish();
  }

  bool selected(Term id, int* group) {
    if (is_small(id)) {
      *group = small_value(id) < 0 || small_value(id) > INT32_MAX
                   ? -1
                   : static_cast<int>(small_value(id));
      return small_value(id) >= 0;
    }
    std::string name;
    if (is_atom(id))
      name = atom_text(id);
    else if (!iolist_to_bytes(id, &name))
      return false;
    *group = regex_.group_of(name, groups_);
    return true;
  }

  void add(int group) {
    bool set = group >= 0 && group < groups_ && vector_[2 * group] != PCRE2_UNSET;
    size_t at = set ? vector_[2 * group] : 0, end = set ? vector_[2 * group + 1] : 0;
    if (end < at) end = at;  // \K in a lookahead
    Term type = options_.capture_type;
    if (type == am::index) {
      int64_t position = set ? static_cast<int64_t>(at) : -1;
      list_.add(tuple(p_.heap, make_small(position), make_small(static_cast<int64_t>(end - at))));
    } else if (type == am::binary) {
      list_.add(sub_bitstring(p_.heap, subject_.binary, at * 8, (end - at) * 8));
    } else {
      list_.add(characters(subject_.bytes + at, end - at));
    }
  }

  Term characters(const uint8_t* s, size_t n) {
    if (!regex_.unicode) return bytes_to_list(p_.heap, s, n);
    ListBuilder chars(p_.heap);
    for (size_t i = 0; i < n;) {
      uint32_t c = s[i];
      int step = utf8_decode(s + i, n - i, &c);
      chars.add(make_small(c));
      i += step > 0 ? static_cast<size_t>(step) : 1;
    }
    return chars.finish();
  }

  Process& p_;
  const Regex& regex_;
  const Subject& subject_;
  const ReOptions& options_;
  int groups_;
  const PCRE2_SIZE* vector_;
  ListBuilder list_;
};

class MatchContext {
 public:
  MatchContext(const ReOptions& o, uint32_t most) : context_(pcre2_match_context_create(nullptr)) {
    pcre2_set_match_limit(context_, std::min(limit(o.match_limit), most));
    pcre2_set_depth_limit(context_, limit(o.depth_limit));
    pcre2_set_heap_limit(context_, kHeapLimitKib);
  }
  ~MatchContext() { pcre2_match_context_free(context_); }
  MatchContext(const MatchContext&) = delete;
  pcre2_match_context* get() const { return context_; }
  static uint32_t limit(int64_t given) {
    return given < 0 ? kMatchLimit : static_cast<uint32_t>(given);
  }

 private:
  pcre2_match_context* context_;
};

Term failed(Process& p, int code, const ReOptions& o) {
  switch (code) {
    case PCRE2_ERROR_NOMATCH:
      return am::nomatch;
    case PCRE2_ERROR_MATCHLIMIT:
      return o.report_errors ? tuple(p.heap, am::error, am::match_limit) : am::nomatch;
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_NOMEMORY:
      return o.report_errors ? tuple(p.heap, am::error, am::match_limit_recursion) : am::nomatch;
    default:
      return kBadarg;  // invalid UTF-8, an offset inside a character
  }
}

/// A number, or a name as an atom or characters.
bool names_group(Term id) {
  if (is_small(id)) return small_value(id) >= 0;
  std::string name;
  return is_atom(id) || iolist_to_bytes(id, &name);
}

bool capture_is_sane(const ReOptions& o) {
  Term w = o.capture, t = o.capture_type;
  if (t != am::index && t != am::list && t != am::binary) return false;
  if (is_cons(w)) {
    while (is_cons(w) && names_group(head(w))) w = tail(w);
    return is_nil(w);
  }
  return is_nil(w) || w == am::all || w == am::all_but_first || w == am::all_names ||
         w == am::first || w == am::none;
}

Term outcome(Process& p, const Regex& r, const Subject& s, const ReOptions& o, int groups) {
  return groups <= 0 ? failed(p, groups, o) : Captured(p, r, s, o, groups).result();
}

/// A match that may take long, beside the scheduler and with a Regex of its own: others use the
/// cache meanwhile.
Term long_match(Process& p, const Regex& cached, const Subject& s, const ReOptions& o,
                uint32_t flags) {
  Regex r = cached;
  r.code = pcre2_code_copy(cached.code);
  r.data = pcre2_match_data_create_from_pattern(r.code, nullptr);
  MatchContext context(o, UINT32_MAX);
  int groups = 0;
  bool on = off_scheduler(p, [&] {
    groups = pcre2_match(r.code, s.bytes, s.size, o.offset, flags, r.data, context.get());
  });
  p.charge(static_cast<int64_t>((s.size - o.offset) / 40));
  Term t = on ? outcome(p, r, s, o, groups) : kCancelled;
  pcre2_match_data_free(r.data);
  pcre2_code_free(r.code);
  return t;
}

/// The scheduler tries itself, within bounds. Of a large subject it sees the first part only: when
/// that is enough, PCRE2 has never looked at its end (PARTIAL_HARD).
Term match(Process& p, Regex& r, const Subject& s, const ReOptions& o, bool checked_before) {
  if (o.offset > s.size) return kBadarg;
  const uint32_t flags = o.flags | (checked_before ? PCRE2_NO_UTF_CHECK : 0);
  const bool large = s.size - o.offset > kWindow;
  if (large && r.unicode && !checked_before) return long_match(p, r, s, o, flags);
  size_t end = large ? o.offset + kWindow : s.size;
  while (large && r.unicode && (s.bytes[end] & 0xc0) == 0x80) --end;
  MatchContext context(o, kQuickLimit);
  int groups = pcre2_match(r.code, s.bytes, end, o.offset, flags | (large ? PCRE2_PARTIAL_HARD : 0),
                           r.data, context.get());
  p.charge(static_cast<int64_t>((end - o.offset) / 40) + 5);
  const bool limited =
      groups == PCRE2_ERROR_MATCHLIMIT && MatchContext::limit(o.match_limit) > kQuickLimit;
  if (limited || (large && groups <= 0)) return long_match(p, r, s, o, flags);
  Term t = outcome(p, r, s, o, groups);
  if (groups < 0 && groups != PCRE2_ERROR_NOMATCH) r.drop_match_memory();
  return t;
}

/// Is all of it UTF-8? Others run meanwhile; false: the process has ended.
bool check_utf8(Process& p, const ByteView& v, bool* valid) {
  constexpr size_t kChunk = 1024;
  BifBudget budget(p, kCheckedBytes);
  const uint8_t* bytes = v.data();
  for (size_t i = 0, from; i < v.size();) {
    const size_t end = std::min(v.size(), (from = i) + kChunk);
    while ((i += ascii_prefix(bytes + i, end - i)) < end) {
      uint32_t c;
      const int n = utf8_decode(bytes + i, v.size() - i, &c);
      if (n <= 0) return *valid = false, true;
      if ((i += static_cast<size_t>(n)) >= end) break;
    }
    if (!budget.steps(static_cast<int64_t>(i - from))) return false;
  }
  return *valid = true;
}

// --- run -----------------------------------------------------------------------------------------
Term compile_failed(Process& p, const RegexError& error, const ReOptions& o) {
  if (!o.report_errors) return kBadarg;
  Term why = tuple(p.heap, am::compile, error_tuple(p.heap, error));
  return tuple(p.heap, am::error, why);
}

/// What is known of a subject as UTF-8. re.erl's loop has had it checked by an earlier call.
enum class Text { unknown, valid, wrong };

Term run(Process& p, Term subject, Term pattern, Term list, Text text, bool may_trap) {
  ReOptions o;
  if (!parse_re_options(list, &o)) return p.badarg(am::badopt);
  bool ready = is_pattern_tuple(pattern);
  if (!ready && !is_list(pattern) && !is_bitstring(pattern)) return kBadarg;
  if (ready && o.compiles) return kBadarg;
  if (ready && !is_small(tuple_elements(pattern)[2])) return kBadarg;
  bool unicode =
      ready ? tuple_elements(pattern)[2] == make_small(1) : (o.regex.flags & PCRE2_UTF) != 0;
  if (unicode && may_trap && !o.global &&
      (!is_binary(subject) || (!ready && !is_binary(pattern)))) {
    return trap_to(p, am::urun, {subject, pattern, list});
  }
  if (unicode && may_trap && o.global && !ready && !is_binary(pattern)) {
    return trap_to(p, am::urun, {subject, pattern, list});
  }

  Regex* r;
  std::string source;
  RegexError error;
  if (ready) {
    r = compiled_pattern(pattern, &o);
    if (!r) return kBadarg;
  } else {
    if (!pattern_text(pattern, &source)) return kBadarg;
    r = compile_regex(source, o.regex, &error);
    if (!r) return compile_failed(p, error, o);
  }
  if (o.global && may_trap) {
    if (ready) return trap_to(p, am::grun, {subject, pattern, tuple(p.heap, list, am::false_)});
    Term compiled = pattern_tuple(p, *r, source, o.regex);
    return trap_to(p, am::grun, {subject, compiled, tuple(p.heap, list, am::true_, pattern)});
  }
  if (!capture_is_sane(o)) return kBadarg;

  if (!is_binary(subject)) {
    Term flat = erlang_iolist_to_binary_1(p, &subject);
    if (is_fault(flat)) return flat;
    return run(p, flat, pattern, list, text, may_trap);  // the Regex may be gone meanwhile
  }
  ByteView v(subject);
  // PCRE2 would look at all of a large one at once. What is wrong with it PCRE2 may say itself.
  if (unicode && text == Text::unknown && v.size() > kWindow) {
    bool valid;
    if (!check_utf8(p, v, &valid)) return kCancelled;
    const bool inside = o.offset < v.size() && (v.data()[o.offset] & 0xc0) == 0x80;
    text = valid && !inside ? Text::valid : Text::wrong;
    return run(p, subject, pattern, list, text, may_trap);  // the Regex may be gone meanwhile
  }
  return match(p, *r, {subject, v.data(), v.size()}, o, text == Text::valid);
}
}  // namespace

BIF(re, version, 0)
{
  char text[64];
  int n = pcre2_config(PCRE2_CONFIG_VERSION, text);
  return make_binary(p.heap, text, n > 0 ? static_cast<size_t>(n - 1) : 0);
}

BIF(re, compile, 1)
{
  return compile(p, a[0], kNil);
}
BIF(re, compile, 2)
{
  return compile(p, a[0], a[1]);
}

BIF(re, import, 1)
{
  return import(p, a[0]);
}

BIF(re, run, 2)
{
  return run(p, a[0], a[1], kNil, Text::unknown, true);
}
BIF(re, run, 3)
{
  return run(p, a[0], a[1], a[2], Text::unknown, true);
}

BIF(re, internal_run, 4)
{
  if (a[3] != am::true_ && a[3] != am::false_) return kBadarg;
  const Text text = a[3] == am::true_ ? Text::unknown : Text::valid;
  return run(p, a[0], a[1], a[2], text, false);
}

BIF(re, inspect, 2)
{
  if (!is_pattern_tuple(a[0]) || a[1] != am::namelist) return kBadarg;
  const Regex* r = compiled_pattern(a[0], nullptr);
  if (!r) return kBadarg;
  ListBuilder names(p.heap);
  for (const std::string& name : r->names()) {
    names.add(make_binary(p.heap, name.data(), name.size()));
  }
  return tuple(p.heap, am::namelist, names.finish());
}

}  // namespace wb
