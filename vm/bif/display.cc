// erlang:display/1 writes a term to standard output; display_string/1 and display_nl/0 write to
// standard error, display_string/2 to where it is told. All bypass the I/O system: they are for
// looking at a VM whose I/O does not work.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "term/binary.h"
#include "term/print.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"
#include "vm/io/file_names.h"

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

Term write_to_terminal(Process& p, const std::string& text) {
  const int terminal = open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0) return p.badarg(posix_atom(errno));
  write_all(terminal, text);
  close(terminal);
  return am::true_;
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
  if (!list_to_utf8(a[0], &text)) return kBadarg;
  write_all(STDERR_FILENO, text);
  return am::true_;
}
BIF(erlang, display_string, 2)
{
  std::string text;
  if (is_binary(a[1])) {
    ByteView bytes(a[1]);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else if (!list_to_utf8(a[1], &text)) {
    return kBadarg;
  }
  switch (a[0]) {
    case am::stdout_:
      write_all(STDOUT_FILENO, text);
      return am::true_;
    case am::stderr_:
      write_all(STDERR_FILENO, text);
      return am::true_;
    case am::stdin_:
      return write_to_terminal(p, text);
    default:
      return kBadarg;
  }
}

/// What is longer than `a[1]` characters is cut.
BIF(erts_internal, term_to_string, 2)
{
  const bool all = a[1] == am::undefined;
  if (!all && (!is_small(a[1]) || small_value(a[1]) < 1)) return kBadarg;
  PrintOptions options = kDisplay;
  const size_t limit = all ? SIZE_MAX : static_cast<size_t>(small_value(a[1]));
  if (!all) options.limit = limit + 1;
  std::string text = to_text(a[0], options);
  p.charge(static_cast<int64_t>(text.size() / 100));
  if (text.size() > limit) text = text.substr(0, limit) + "... ";
  return bytes_to_list(p.heap, reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

BIF(erlang, display_nl, 0)
{
  write_all(STDERR_FILENO, "\r\n");
  return am::true_;
}

}  // namespace wb
