// The natives below lib/whitebeam_*.erl.
#include <sys/ioctl.h>
#include <unistd.h>

#include "term/print.h"
#include "vm/bif/bif.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/io/iolist.h"
#include "vm/io/services.h"
#include "vm/process/exec.h"

namespace wb {

static Descriptor* descriptor(Process& p, Term fd) {
  if (!is_small(fd) || small_value(fd) < 0 || small_value(fd) > 2 || !p.vm().services)
    return nullptr;
  return &p.vm().services->descriptor(static_cast<size_t>(small_value(fd)));
}

/// write(Fd, Binary)
BIF(whitebeam, write, 2)
{
  Descriptor* d = descriptor(p, a[0]);
  if (!d || d->fd() == 0 || !is_binary(a[1])) return kBadarg;
  ByteView bytes(a[1]);
  p.charge(static_cast<int64_t>(bytes.size() / 200));
  return d->write(p.id, bytes.data(), bytes.size());
}
BIF(whitebeam, read, 1)
{
  Descriptor* d = descriptor(p, a[0]);
  if (!d || d->fd() != 0) return kBadarg;
  return d->read(p.heap, p.id);
}
/// {Columns, Rows} or error
BIF(whitebeam, terminal_size, 1)
{
  Descriptor* d = descriptor(p, a[0]);
  winsize size;
  if (!d || ioctl(d->fd(), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return am::error;
  return tuple(p.heap, make_small(size.ws_col), make_small(size.ws_row));
}
BIF(whitebeam, await_registration, 0)
{
  if (p.vm().services) p.vm().services->await_registration();
  return am::ok;
}
BIF(whitebeam, service_ready, 0)
{
  if (p.vm().services) p.vm().services->ready(p.id);
  return am::ok;
}
BIF(whitebeam, otp_root, 0)
{
  const std::string& root = p.vm().options.otp_root;
  return make_binary(p.heap, root.data(), root.size());
}
/// Can that process' node take Unicode output requests? All nodes there can be do.
BIF(net_kernel, dflag_unicode_io, 1)
{
  return is_pid(a[0]) ? am::true_ : kBadarg;
}
BIF(error_logger, warning_map, 0)
{
  return p.vm().settings->warning_map.load();
}
BIF(io, printable_range, 0)
{
  return p.vm().settings->printable_range.load();
}

BIF(whitebeam, exit, 1)
{
  if (!is_small(a[0])) return kBadarg;
  p.vm().halt(static_cast<int>(small_value(a[0]) & 255));
  return am::ok;
}
BIF(whitebeam, text, 1)
{
  PrintOptions options;
  options.strings = true;
  std::string text = to_text(a[0], options);
  return make_binary(p.heap, text.data(), text.size());
}
/// Was the machine started with -nostick?
BIF(whitebeam, nostick, 0)
{
  return make_bool(p.vm().services && p.vm().services->nostick());
}
/// The program's arguments as binaries.
BIF(whitebeam, arguments, 0)
{
  ListBuilder list(p.heap);
  if (p.vm().services) {
    for (const std::string& s : p.vm().services->arguments()) {
      list.add(make_binary(p.heap, s.data(), s.size()));
    }
  }
  return list.finish();
}

}  // namespace wb
