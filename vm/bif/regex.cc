#include "vm/bif/regex.h"

#include <cstdio>
#include <functional>
#include <memory>
#include <type_traits>

#include "term/instance.h"
#include "vm/bif/regex_errors.h"
#include "vm/bif/regex_tables.h"

namespace wb {

namespace {
constexpr char kMark[] = "WBRE1";  // never the start of another engine's code
constexpr size_t kMarkSize = sizeof kMark - 1;

/// What stands between the mark and the text. Equal patterns must be equal terms, so there is no
/// padding in it.
struct PackedOptions {
  uint32_t flags, newline, bsr, zero = 0;
};
static_assert(std::has_unique_object_representations_v<PackedOptions>);
constexpr size_t kHeadSize = kMarkSize + sizeof(PackedOptions);

// A packed pattern may come from anywhere: flags that would make PCRE2 trust it do not pass.
constexpr uint32_t kKnownFlags =
    PCRE2_CASELESS | PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL | PCRE2_EXTENDED | PCRE2_FIRSTLINE |
    PCRE2_MULTILINE | PCRE2_NO_AUTO_CAPTURE | PCRE2_DUPNAMES | PCRE2_UNGREEDY | PCRE2_UTF |
    PCRE2_UCP | PCRE2_NEVER_UTF | PCRE2_ANCHORED | PCRE2_NO_START_OPTIMIZE;

struct Entry {
  std::string key;
  Regex regex;
  Entry() = default;
  Entry(const Entry&) = delete;
  ~Entry() { clear(); }
  void clear() {
    if (regex.data) pcre2_match_data_free(regex.data);
    if (regex.code) pcre2_code_free(regex.code);
    regex = {};
    key.clear();
  }
};

/// Two ways to go for a key: the older of both makes room.
class Cache {
 public:
  static Cache& of_this_thread() {
    static thread_local Cache cache;
    return cache;
  }
  Entry* find(const std::string& key) {
    Entry* pair = pair_of(key);
    for (int i = 0; i < 2; ++i) {
      if (pair[i].regex.code && pair[i].key == key) return &pair[i];
    }
    return nullptr;
  }
  Entry* make_room(const std::string& key) {
    Entry* pair = pair_of(key);
    std::swap(pair[0].key, pair[1].key);
    std::swap(pair[0].regex, pair[1].regex);
    pair[0].clear();
    return pair;
  }

 private:
  static constexpr size_t kPairs = 128;
  Entry* pair_of(const std::string& key) {
    return &entries_[std::hash<std::string>()(key) % kPairs * 2];
  }
  std::unique_ptr<Entry[]> entries_{new Entry[kPairs * 2]};
};

/// \K in assertions, as in PCRE 8 (Captured::add knows what it may lead to).
constexpr uint32_t kExtra = PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK;

/// So deep does the compiler of PCRE 8 go with groups that capture (others: up to 1330).
constexpr uint32_t kDeepest = 798;
/// And that of OTP 28 and later, nearly (1179 with nothing else in them).
constexpr uint32_t kDeepestSince28 = 1000;

/// From OTP 28 on patterns mean what they mean to PCRE2, before what they meant to PCRE 8.
bool as_pcre2() { return otp_release() >= 28; }

struct CompileContext {
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  explicit CompileContext(const RegexOptions& o) {
    if (!as_pcre2()) {
      pcre2_set_character_tables(context, latin1_tables());
      pcre2_set_compile_extra_options(context, kExtra);
    }
    pcre2_set_parens_nest_limit(context, as_pcre2() ? kDeepestSince28 : kDeepest);
    pcre2_set_newline(context, o.newline ? o.newline : PCRE2_NEWLINE_LF);
    pcre2_set_bsr(context, o.bsr ? o.bsr : PCRE2_BSR_UNICODE);
  }
  ~CompileContext() { pcre2_compile_context_free(context); }
};

constexpr int kUnknownEscape = 103, kEscapeInClass = 107, kNoSuchGroup = 115, kBadRange = 150,
              kBadControl = 168;

pcre2_code* compile_once(std::string_view s, uint32_t flags, const CompileContext& c, int* code,
                         PCRE2_SIZE* at) {
  return pcre2_compile(reinterpret_cast<PCRE2_SPTR>(s.data()), s.size(), flags, code, at,
                       c.context);
}

/// The backslash of the escape that was refused at `at`, or npos.
size_t backslash_before(std::string_view s, size_t at) {
  for (size_t back = 2; back > 0; --back) {
    if (at < back || at - back + 1 >= s.size() || s[at - back] != '\\') continue;
    if (isalpha(static_cast<unsigned char>(s[at - back + 1]))) return at - back;
  }
  return std::string_view::npos;
}

/// The backslash of the first \8 or \9 (with nothing but that digit), or npos.
size_t no_octal_digit(std::string_view s) {
  for (size_t i = 0; i + 1 < s.size(); ++i) {
    if (s[i] != '\\') continue;
    const bool alone = i + 2 >= s.size() || !isdigit(static_cast<unsigned char>(s[i + 2]));
    if ((s[i + 1] == '8' || s[i + 1] == '9') && alone) return i;
    ++i;
  }
  return std::string_view::npos;
}

/// Says \cX, whose X stands at `at` and is no printable character, by its code. False: it is not
/// ASCII.
bool spell_control(std::string* s, size_t at) {
  if (at < 2 || at >= s->size() || (*s)[at - 1] != 'c' || (*s)[at - 2] != '\\') return false;
  auto c = static_cast<unsigned char>((*s)[at]);
  if (c > 127) return false;
  char text[5];
  snprintf(text, sizeof text, "\\x%02x", c ^ 64u);
  s->replace(at - 2, 3, text);
  return true;
}

/// What PCRE 8 took and PCRE2 refuses is said so that PCRE2 takes it: an unknown escape is its
/// letter, so is one that means nothing in a class, \8 without an eighth group is the digit, the
/// hyphen in [\d-z] is a hyphen, and \c takes all of ASCII.
pcre2_code* compile_leniently(std::string_view source, const RegexOptions& options, int* code,
                              PCRE2_SIZE* at) {
  CompileContext context(options);
  uint32_t flags = options.flags;
  if (as_pcre2()) return compile_once(source, flags, context, code, at);
  // PCRE2's look ahead for where a match may start takes \w above 127 for \s.
  const bool latin1 = flags & PCRE2_UTF && !(flags & PCRE2_UCP);
  if (latin1 && source.find("\\w") != source.npos) flags |= PCRE2_NO_START_OPTIMIZE;
  pcre2_code* compiled = compile_once(source, flags, context, code, at);
  if (compiled) return compiled;
  int first_code = *code;
  PCRE2_SIZE first_at = *at;
  std::string s(source);
  for (size_t fixes = 0, k; !compiled && fixes < source.size(); ++fixes) {
    if (*code == kUnknownEscape) {
      uint32_t extra = kExtra | PCRE2_EXTRA_BAD_ESCAPE_IS_LITERAL;
      pcre2_set_compile_extra_options(context.context, extra);
    } else if (*code == kBadRange && *at < s.size() && s[*at] == '-') {
      s.insert(*at, 1, '\\');
    } else if (*code == kEscapeInClass && (k = backslash_before(s, *at)) != s.npos) {
      s.erase(k, 1);
    } else if (*code == kNoSuchGroup && (k = no_octal_digit(s)) != s.npos) {
      s.erase(k, 1);
    } else if (*code != kBadControl || !spell_control(&s, *at)) {
      break;
    }
    compiled = compile_once(s, flags, context, code, at);
  }
  if (!compiled) {
    *code = first_code;
    *at = first_at;
  }
  return compiled;
}

template <class T>
T info(const pcre2_code* code, uint32_t what) {
  T v{};
  pcre2_pattern_info(code, what, &v);
  return v;
}

void describe(Regex* r, const RegexOptions& options) {
  r->data = pcre2_match_data_create_from_pattern(r->code, nullptr);
  r->captures = info<uint32_t>(r->code, PCRE2_INFO_CAPTURECOUNT);
  r->unicode = options.flags & PCRE2_UTF;  // (*UTF) in the pattern does not count
  uint32_t newline = info<uint32_t>(r->code, PCRE2_INFO_NEWLINE);
  r->crlf = newline == PCRE2_NEWLINE_CRLF || newline == PCRE2_NEWLINE_ANY ||
            newline == PCRE2_NEWLINE_ANYCRLF;
}
}  // namespace

std::string pack_regex(std::string_view pattern, const RegexOptions& options) {
  std::string s(kMark, kMarkSize);
  const PackedOptions packed{options.flags, options.newline, options.bsr};
  s.append(reinterpret_cast<const char*>(&packed), sizeof packed);
  s.append(pattern);
  return s;
}

bool unpack_regex(std::string_view packed, std::string_view* pattern, RegexOptions* options) {
  if (packed.size() < kHeadSize || !packed.starts_with(kMark)) return false;
  PackedOptions given;
  memcpy(&given, packed.data() + kMarkSize, sizeof given);
  *options = {given.flags, given.newline, given.bsr};
  *pattern = packed.substr(kHeadSize);
  return (options->flags & ~kKnownFlags) == 0;
}

Regex* compile_regex(std::string_view pattern, const RegexOptions& options, RegexError* error) {
  if (options.inconsistent) {
    *error = {"inconsistent NEWLINE options", 0};
    return nullptr;
  }
  std::string key = pack_regex(pattern, options);
  Cache& cache = Cache::of_this_thread();
  if (Entry* known = cache.find(key)) return &known->regex;
  int code;
  PCRE2_SIZE at;
  pcre2_code* compiled = compile_leniently(pattern, options, &code, &at);
  if (!compiled) {
    *error = regex_error(code, pattern, at);
    return nullptr;
  }
  Entry* entry = cache.make_room(key);
  entry->key = std::move(key);
  entry->regex.code = compiled;
  describe(&entry->regex, options);
  return &entry->regex;
}

void Regex::drop_match_memory() {
  pcre2_match_data_free(data);
  data = pcre2_match_data_create_from_pattern(code, nullptr);
}

std::vector<std::string> Regex::names() const {
  uint32_t count = info<uint32_t>(code, PCRE2_INFO_NAMECOUNT);
  uint32_t size = info<uint32_t>(code, PCRE2_INFO_NAMEENTRYSIZE);
  PCRE2_SPTR table = info<PCRE2_SPTR>(code, PCRE2_INFO_NAMETABLE);
  std::vector<std::string> all;
  for (uint32_t i = 0; i < count; ++i) {
    std::string name(reinterpret_cast<const char*>(table + i * size + 2));
    if (all.empty() || all.back() != name) all.push_back(std::move(name));
  }
  return all;
}

int Regex::group_of(const std::string& name, int matched_groups) const {
  PCRE2_SPTR first, last;
  int size = pcre2_substring_nametable_scan(code, reinterpret_cast<PCRE2_SPTR>(name.c_str()),
                                            &first, &last);
  if (size <= 0) return -1;
  const PCRE2_SIZE* v = pcre2_get_ovector_pointer(data);
  int group = -1;
  for (PCRE2_SPTR e = first; e <= last; e += size) {
    group = e[0] << 8 | e[1];
    if (group < matched_groups && v[2 * group] != PCRE2_UNSET) return group;
  }
  return group;
}

}  // namespace wb
