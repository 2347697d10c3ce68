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

bool name_bytes(Term t, std::string* out, bool latin1) {
  Stack<Term> rest;
  for (rest.push(t); !rest.empty();) {
    t = rest.pop();
    if (is_nil(t)) continue;
    if (!is_cons(t)) return false;
    rest.push(tail(t));
    Term c = head(t);
    if (is_list(c)) {
      rest.push(c);
      continue;
    }
    if (!is_character(c) || c == make_small(0)) return false;
    if (latin1) {
      if (small_value(c) > 255) return false;
      *out += static_cast<char>(small_value(c));
      continue;
    }
    uint8_t bytes[4];
    size_t n = utf8_encode(static_cast<uint32_t>(small_value(c)), bytes);
    out->append(reinterpret_cast<char*>(bytes), n);
  }
  return true;
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
