#include "vm/io/packet_http.h"

#include <algorithm>
#include <string>

#include "term/atom.h"
#include "term/binary.h"
#include "vm/io/iolist.h"

namespace wb {

namespace {
constexpr size_t kMaxNormalised = 50;  // a longer unknown header name is left as it is

// The place in this list (from 1) is the number programs see.
constexpr std::string_view kHeaders[] = {"Cache-Control",
                                         "Connection",
                                         "Date",
                                         "Pragma",
                                         "Transfer-Encoding",
                                         "Upgrade",
                                         "Via",
                                         "Accept",
                                         "Accept-Charset",
                                         "Accept-Encoding",
                                         "Accept-Language",
                                         "Authorization",
                                         "From",
                                         "Host",
                                         "If-Modified-Since",
                                         "If-Match",
                                         "If-None-Match",
                                         "If-Range",
                                         "If-Unmodified-Since",
                                         "Max-Forwards",
                                         "Proxy-Authorization",
                                         "Range",
                                         "Referer",
                                         "User-Agent",
                                         "Age",
                                         "Location",
                                         "Proxy-Authenticate",
                                         "Public",
                                         "Retry-After",
                                         "Server",
                                         "Vary",
                                         "Warning",
                                         "Www-Authenticate",
                                         "Allow",
                                         "Content-Base",
                                         "Content-Encoding",
                                         "Content-Language",
                                         "Content-Length",
                                         "Content-Location",
                                         "Content-Md5",
                                         "Content-Range",
                                         "Content-Type",
                                         "Etag",
                                         "Expires",
                                         "Last-Modified",
                                         "Accept-Ranges",
                                         "Set-Cookie",
                                         "Set-Cookie2",
                                         "X-Forwarded-For",
                                         "Cookie",
                                         "Keep-Alive",
                                         "Proxy-Connection"};
constexpr std::string_view kMethods[] = {"OPTIONS", "GET",    "HEAD", "POST",
                                         "PUT",     "DELETE", "TRACE"};

bool is_token_char(char c) {
  unsigned char u = static_cast<unsigned char>(c);
  return u > 32 && u < 128 &&
         std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
}
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view without_line_end(std::string_view s) {
  if (s.ends_with('\n')) s.remove_suffix(1);
  if (s.ends_with('\r')) s.remove_suffix(1);
  return s;
}

/// Reads a line from left to right.
struct Cursor {
  std::string_view rest;

  template <class Test>
  std::string_view take_while(Test test) {
    size_t n = 0;
    while (n < rest.size() && test(rest[n])) ++n;
    std::string_view taken = rest.substr(0, n);
    rest.remove_prefix(n);
    return taken;
  }
  bool skip_blanks() { return !take_while(is_blank).empty(); }
  std::string_view token() { return take_while(is_token_char); }
  std::string_view word() {
    return take_while([](char c) { return !is_blank(c); });
  }
  bool skip(std::string_view text) {
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  }
  /// At least one digit; too large numbers wrap around.
  bool number(int32_t* v) {
    std::string_view digits = take_while(is_digit);
    uint32_t n = 0;
    for (char c : digits) n = n * 10 + static_cast<uint32_t>(c - '0');
    *v = static_cast<int32_t>(n);
    return !digits.empty();
  }
};

class Maker {
 public:
  Maker(Heap& h, bool binaries) : heap_(h), binaries_(binaries) {}

  Term text(std::string_view s) {
    if (binaries_) return make_binary(heap_, s.data(), s.size());
    return bytes_to_list(heap_, reinterpret_cast<const uint8_t*>(s.data()), s.size());
  }
  Term error(std::string_view line) { return tuple(heap_, am::http_error, text(line)); }

  Term first_line(std::string_view line) {
    Cursor c{without_line_end(line)};
    Term t = c.rest.starts_with("HTTP/") ? response(c) : request(c);
    return t == kNone ? error(line) : t;
  }

  Term header(std::string_view line) {
    Cursor c{without_line_end(line)};
    if (c.rest.empty()) return am::http_eoh;
    std::string_view name = c.token();
    if (!c.skip(":")) return error(line);
    c.skip_blanks();
    int64_t number;
    Term field = field_name(name, &number);
    return tuple(heap_, am::http_header, make_small(number), field, text(name), text(c.rest));
  }

 private:
  bool version(Cursor& c, Term* t) {
    int32_t major, minor;
    if (!c.skip("HTTP/") || !c.number(&major) || !c.skip(".") || !c.number(&minor)) return false;
    *t = tuple(heap_, make_small(major), make_small(minor));
    return true;
  }

  Term response(Cursor& c) {
    Term v;
    int32_t status;
    if (!version(c, &v) || !c.skip_blanks() || !c.number(&status)) return kNone;
    if (!c.rest.empty() && !c.skip_blanks()) return kNone;
    return tuple(heap_, am::http_response, v, make_small(status), text(c.rest));
  }

  Term request(Cursor& c) {
    std::string_view method = c.token();
    if (method.empty() || !c.skip_blanks()) return kNone;
    std::string_view uri_text = c.word();
    if (uri_text.empty()) return kNone;
    c.skip_blanks();
    Term v = tuple(heap_, make_small(0), make_small(9));
    if (!c.rest.empty() && !version(c, &v)) return kNone;
    bool known = std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
    Term m = known ? intern(method) : text(method);
    return tuple(heap_, am::http_request, m, uri(uri_text), v);
  }

  Term uri(std::string_view s) {
    if (s == "*") return am::times;
    if (s.starts_with('/')) return tuple(heap_, am::abs_path, text(s));
    if (same_word(s.substr(0, 7), "http://")) return absolute(am::http, s.substr(7));
    if (same_word(s.substr(0, 8), "https://")) return absolute(am::https, s.substr(8));
    size_t colon = s.find(':');
    if (colon == s.npos) return text(s);
    return tuple(heap_, am::scheme, text(s.substr(0, colon)), text(s.substr(colon + 1)));
  }

  Term absolute(Term scheme, std::string_view s) {
    size_t slash = s.find('/');
    std::string_view host = s.substr(0, slash);
    std::string_view path = slash == s.npos ? "/" : s.substr(slash);
    Term port = am::undefined;
    if (size_t colon = host.find(':'); colon != host.npos) {
      Cursor c{host.substr(colon + 1)};
      int32_t number;
      if (c.number(&number) && c.rest.empty()) port = make_small(number);
      host = host.substr(0, colon);
    }
    return tuple(heap_, am::absoluteURI, scheme, text(host), port, text(path));
  }

  Term field_name(std::string_view name, int64_t* number) {
    for (size_t i = 0; i < std::size(kHeaders); ++i) {
      if (!same_word(name, kHeaders[i])) continue;
      *number = static_cast<int64_t>(i) + 1;
      return intern(kHeaders[i]);
    }
    *number = 0;
    if (name.size() > kMaxNormalised) return text(name);
    std::string normal(name);
    bool capital = true;  // of two hyphens in a row the second counts as the capital
    for (char& c : normal) {
      c = capital ? upper(c) : lower(c);
      capital = c == '-' && !capital;
    }
    return text(normal);
  }

  Heap& heap_;
  bool binaries_;
};
}  // namespace

Term http_first_line(Heap& h, std::string_view line, bool binaries) {
  return Maker(h, binaries).first_line(line);
}

Term http_header_line(Heap& h, std::string_view line, bool binaries) {
  return Maker(h, binaries).header(line);
}

}  // namespace wb
