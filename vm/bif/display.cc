// erlang:display/1 writes a term to standard output; display_string/1 and display_nl/0 write to
// standard error. All bypass the I/O system: they are for looking at a VM whose I/O does not work.
#include <unistd.h>
#include <cerrno>

#include "term/print.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

std::string display(Process& p, Term t) {
  std::string text = to_text(t, kDisplay);
  p.charge(static_cast<int64_t>(text.size() / 100));
  write_all(STDOUT_FILENO, text + "\r\n");
  return text;
}

}  // namespace

BIF(erlang, display, 1)
{
  display(p, a[0]);
  return am::true_;
}

BIF(erts_debug, display, 1)
{
  std::string text = display(p, a[0]) + '\n';
  return bytes_to_list(p.heap, reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

BIF(erlang, display_string, 1)
{
  std::string text;
  Term list = a[0];
  for (; is_cons(list); list = tail(list)) {
    Term c = head(list);
    if (!is_character(c)) return kBadarg;
    append_utf8(text, static_cast<uint32_t>(small_value(c)));
  }
  if (!is_nil(list)) return kBadarg;
  write_all(STDERR_FILENO, text);
  return am::true_;
}

BIF(erlang, display_nl, 0)
{
  write_all(STDERR_FILENO, "\r\n");
  return am::true_;
}

}  // namespace wb
