#include "vm/io/file_names.h"

#include <langinfo.h>
#include <locale.h>

#include <cctype>
#include <cerrno>
#include <cstring>

#include "base/stack.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/utf8.h"

namespace wb {

bool locale_is_utf8() {
  locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (!locale) return false;
  const bool is = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
  freelocale(locale);
  return is;
}

static bool put_character(Term c, std::string* out, bool latin1) {
  if (!is_character(c) || c == make_small(0)) return false;
  if (latin1 && small_value(c) > 255) return false;
  if (latin1 || WB_LIKELY(small_value(c) < 0x80)) {
    out->push_back(static_cast<char>(small_value(c)));
    return true;
  }
  uint8_t bytes[4];
  size_t n = utf8_encode(static_cast<uint32_t>(small_value(c)), bytes);
  out->append(reinterpret_cast<char*>(bytes), n);
  return true;
}

bool name_bytes(Term t, std::string* out, bool latin1) {
  Stack<Term> rest;
  for (;;) {
    for (; is_cons(t); t = tail(t)) {
      const Term c = head(t);
      if (WB_UNLIKELY(is_list(c))) break;
      if (!put_character(c, out, latin1)) return false;
    }
    if (is_cons(t)) {
      rest.push(tail(t));
      t = head(t);
      continue;
    }
    if (!is_nil(t)) return false;
    if (rest.empty()) return true;
    t = rest.pop();
  }
}

bool native_path(Term t, std::string* out) {
  if (!is_binary(t)) return false;
  ByteView v(t);
  if (v.size() == 0 || v.data()[v.size() - 1] != 0) return false;
  out->assign(reinterpret_cast<const char*>(v.data()), v.size() - 1);
  return out->find('\0') == std::string::npos;
}

Term posix_atom(int error) {
  if (error == ENOTSUP) return intern("enotsup");  // Linux has two names for it
  const char* name = strerrorname_np(error);
  std::string text = name ? name : "unknown";
  for (char& c : text) c = static_cast<char>(tolower(c));
  return intern(text);
}
Term posix_error(Heap& h, int error) { return tuple(h, am::error, posix_atom(error)); }

}  // namespace wb
