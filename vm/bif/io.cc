// The natives below lib/whitebeam_*.erl.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "term/print.h"
#include "vm/bif/bif.h"
#include "vm/bif/iolist.h"
#include "vm/interp/exec.h"
#include "vm/io/services.h"
#include "vm/process/extra.h"
#include "vm/vm.h"

namespace wb {

static Descriptor* descriptor(Process& p, Term fd) {
  if (!is_small(fd) || small_value(fd) < 0 || small_value(fd) > 2 || !p.vm().services) return nullptr;
  return &p.vm().services->descriptor(static_cast<size_t>(small_value(fd)));
}

/// write(Fd, Binary)
BIF(whitebeam, write, 2) {
  Descriptor* d = descriptor(p, a[0]);
  if (!d || d->fd() == 0 || !is_binary(a[1])) return kBadarg;
  ByteView bytes(a[1]);
  p.charge(static_cast<int64_t>(bytes.size() / 200));
  return d->write(p.id, bytes.data(), bytes.size());
}
BIF(whitebeam, read, 1) {
  Descriptor* d = descriptor(p, a[0]);
  if (!d || d->fd() != 0) return kBadarg;
  return d->read(p.heap, p.id);
}
/// {Columns, Rows} or error
BIF(whitebeam, terminal_size, 1) {
  Descriptor* d = descriptor(p, a[0]);
  winsize size;
  if (!d || ioctl(d->fd(), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return am::error;
  return tuple(p.heap, make_small(size.ws_col), make_small(size.ws_row));
}
/// The name under which Services has registered the caller.
BIF(whitebeam, adopt_name, 1) {
  if (!is_atom(a[0])) return kBadarg;
  p.rare().registered_name = a[0];
  return am::true_;
}
BIF(whitebeam, exit, 1) {
  if (!is_small(a[0])) return kBadarg;
  p.vm().halt(static_cast<int>(small_value(a[0]) & 255));
  return am::ok;
}
BIF(whitebeam, text, 1) {
  PrintOptions options;
  options.strings = true;
  std::string text = to_text(a[0], options);
  return make_binary(p.heap, text.data(), text.size());
}
/// The program's arguments as binaries.
BIF(whitebeam, arguments, 0) {
  ListBuilder list(p.heap);
  if (p.vm().services) {
    for (const std::string& s : p.vm().services->arguments()) {
      list.add(make_binary(p.heap, s.data(), s.size()));
    }
  }
  return list.finish();
}

// --- erlang:halt ----------------------------------------------------------------------------------------
static Term flush_option(Term options) {
  Term flush = am::true_;
  for (; is_cons(options); options = tail(options)) {
    Term o = head(options);
    if (!is_tuple_of(o, 2) || tuple_elements(o)[0] != am::flush) return kNone;
    flush = tuple_elements(o)[1];
    if (flush != am::true_ && flush != am::false_) return kNone;
  }
  return is_nil(options) ? flush : kNone;
}
/// The caller never goes on.
static Term halt_machine(Process& p, int code, bool flush) {
  Vm& vm = p.vm();
  if (flush && vm.services) vm.services->halt(code);
  else vm.halt(code);
  ++p.suspend_count;
  return kYield;
}
BIF(erlang, halt, 2) {
  Term flush = flush_option(a[1]);
  if (is_fault(flush)) return kBadarg;
  if (is_small(a[0]) && small_value(a[0]) >= 0) {
    return halt_machine(p, static_cast<int>(small_value(a[0]) & 255), flush == am::true_);
  }
  if (a[0] == am::abort) abort();
  std::string slogan;
  if (!list_to_bytes(a[0], &slogan)) return kBadarg;
  fprintf(stderr, "%.*s\n", static_cast<int>(slogan.size()), slogan.data());
  return halt_machine(p, 1, flush == am::true_);
}

}  // namespace wb
