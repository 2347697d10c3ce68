// enif_fprintf, enif_snprintf and their like: printf with %T, which prints a term.
//
// The format is taken apart into its conversions. Each but %T is given to the C library with the
// arguments that it takes; a va_list goes forward by exactly those.
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "term/print.h"
#include "vm/nif/environment.h"

using namespace wb;

namespace {

/// Where the conversion that begins at `p` (a percent sign) ends, and what it takes.
struct Conversion {
  std::string text;
  int stars = 0;
  std::string length;
  char kind = 0;
};
Conversion read_conversion(const char** at) {
  Conversion c;
  const char* p = *at;
  c.text.push_back(*p++);
  while (*p && strchr("-+ #0123456789.*'", *p)) {
    c.stars += *p == '*';
    c.text.push_back(*p++);
  }
  while (*p && strchr("hlqjztL", *p)) {
    c.length.push_back(*p);
    c.text.push_back(*p++);
  }
  if (*p) c.kind = *p, c.text.push_back(*p++);
  *at = p;
  return c;
}

template <class T>
void put(std::string* to, const Conversion& c, const int* stars, T value) {
  char few[128];
  auto print = [&](char* buffer, size_t size) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-security"
    switch (c.stars) {
      case 0:
        return snprintf(buffer, size, c.text.c_str(), value);
      case 1:
        return snprintf(buffer, size, c.text.c_str(), stars[0], value);
      default:
        return snprintf(buffer, size, c.text.c_str(), stars[0], stars[1], value);
    }
#pragma clang diagnostic pop
  };
  const int n = print(few, sizeof few);
  if (n < 0) return;
  if (static_cast<size_t>(n) < sizeof few) {
    to->append(few, static_cast<size_t>(n));
    return;
  }
  std::string many(static_cast<size_t>(n) + 1, 0);
  print(many.data(), many.size());
  to->append(many, 0, static_cast<size_t>(n));
}

/// A va_list that is passed on by address.
struct Arguments {
  va_list list;
};

void put_integer(std::string* to, const Conversion& c, const int* stars, Arguments& a) {
  if (c.length == "l")
    put(to, c, stars, va_arg(a.list, long));
  else if (c.length == "ll" || c.length == "q" || c.length == "L")
    put(to, c, stars, va_arg(a.list, long long));
  else if (c.length == "z" || c.length == "j" || c.length == "t")
    put(to, c, stars, va_arg(a.list, ptrdiff_t));
  else
    put(to, c, stars, va_arg(a.list, int));
}

std::string formatted(const char* format, Arguments& a) {
  std::string text;
  while (*format) {
    if (*format != '%') {
      text.push_back(*format++);
      continue;
    }
    const Conversion c = read_conversion(&format);
    int stars[2] = {};
    for (int k = 0; k < c.stars && k < 2; ++k) stars[k] = va_arg(a.list, int);
    switch (c.kind) {
      case 'T':
        text += to_text(from_library(va_arg(a.list, ERL_NIF_TERM)), kDisplay);
        break;
      case '%':
        text.push_back('%');
        break;
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
      case 'c':
        put_integer(&text, c, stars, a);
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (c.length == "L")
          put(&text, c, stars, va_arg(a.list, long double));
        else
          put(&text, c, stars, va_arg(a.list, double));
        break;
      case 's':
        put(&text, c, stars, va_arg(a.list, const char*));
        break;
      case 'p':
        put(&text, c, stars, va_arg(a.list, void*));
        break;
      case 'n':
        *va_arg(a.list, int*) = static_cast<int>(text.size());
        break;
      default:
        text += c.text;
        break;
    }
  }
  return text;
}

}  // namespace

int enif_vfprintf(FILE* file, const char* format, va_list list) {
  if (!this_instance) vm_of_thread();
  Arguments a;
  va_copy(a.list, list);
  const std::string text = formatted(format, a);
  va_end(a.list);
  return static_cast<int>(fwrite(text.data(), 1, text.size(), file));
}
int enif_fprintf(FILE* file, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = enif_vfprintf(file, format, list);
  va_end(list);
  return n;
}
int enif_vsnprintf(char* buffer, size_t size, const char* format, va_list list) {
  if (!this_instance) vm_of_thread();
  Arguments a;
  va_copy(a.list, list);
  const std::string text = formatted(format, a);
  va_end(a.list);
  if (size) {
    const size_t n = std::min(size - 1, text.size());
    memcpy(buffer, text.data(), n);
    buffer[n] = 0;
  }
  return static_cast<int>(text.size());
}
int enif_snprintf(char* buffer, size_t size, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = enif_vsnprintf(buffer, size, format, list);
  va_end(list);
  return n;
}
