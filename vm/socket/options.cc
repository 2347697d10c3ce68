// setopt, getopt: the system's options (option_values.h), native ones, and those of ours, level
// `otp`.
#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "term/binary.h"
#include "term/copy.h"
#include "vm/socket/address_terms.h"
#include "vm/socket/option_values.h"
#include "vm/socket/socket_bif.h"

namespace wb {
namespace {

/// As prim_socket numbers them.
enum class OwnOption : int {
  debug = 1001,
  inform_of_wraps = 1002,
  controlling_process = 1003,
  read_buffer = 1004,
  read_control_buffer = 1006,
  write_control_buffer = 1007,
  descriptor = 1008,
  meta = 1009,
  use_registry = 1010,
  domain = 1999,
};

constexpr size_t kReadSize = NativeSocket::Settings().read_size;
constexpr size_t kControlSize = NativeSocket::Settings().read_control_size;

bool read_flag(Term t, bool* out) {
  if (t != am::true_ && t != am::false_) return false;
  *out = t == am::true_;
  return true;
}
/// A positive number of bytes, or `default`.
bool read_size(Term t, size_t usual, size_t* out) {
  if (t == am::default_) return *out = usual, true;
  uint64_t n;
  if (!to_uint64(t, &n) || n == 0) return false;
  *out = n;
  return true;
}
/// Size or {Reads, Size}.
bool read_read_buffer(Term t, NativeSocket::Settings* s) {
  if (!is_tuple_of(t, 2)) {
    if (!read_size(t, kReadSize, &s->read_size)) return false;
    s->reads = 0;
    return true;
  }
  uint32_t reads;
  size_t size;
  if (!read_unsigned(boxed_ptr(t)[1], &reads) || reads == 0 ||
      !read_size(boxed_ptr(t)[2], kReadSize, &size))
    return false;
  s->reads = reads, s->read_size = size;
  return true;
}

Term not_owner(Process& p) { return error_tuple(p, invalid(p, am::not_owner)); }
Term bad_value(Process& p) { return invalid(p, am::value); }
Term said(Process& p, bool good) { return good ? am::ok : bad_value(p); }

Term set_owner(Process& p, NativeSocket& s, Term to) {
  if (!is_local_pid(to)) return bad_value(p);
  {
    NativeSocket::Guard guard(s.lock);
    if (!s.is_open()) return closed_error(p);
    if (s.owner != p.id) return not_owner(p);
  }
  if (to != p.id) s.give_to(to);
  return am::ok;
}

Term set_own(Process& p, NativeSocket& s, int number, Term value) {
  switch (static_cast<OwnOption>(number)) {
    case OwnOption::controlling_process:
      return set_owner(p, s, value);
    case OwnOption::use_registry:
      if (value != am::true_) return bad_value(p);
      {
        NativeSocket::Guard guard(s.lock);
        if (!s.is_open()) return closed_error(p);
      }
      s.enter_registry();
      return am::ok;
    default:
      break;
  }
  NativeSocket::Guard guard(s.lock);
  if (!s.is_open()) return closed_error(p);
  switch (static_cast<OwnOption>(number)) {
    case OwnOption::debug:
      return said(p, read_flag(value, &s.settings.debug));
    case OwnOption::inform_of_wraps:
      return said(p, read_flag(value, &s.settings.inform_of_wraps));
    case OwnOption::read_buffer:
      return said(p, read_read_buffer(value, &s.settings));
    case OwnOption::read_control_buffer:
      return said(p, read_size(value, kControlSize, &s.settings.read_control_size));
    case OwnOption::write_control_buffer:
      return said(p, read_size(value, kControlSize, &s.settings.write_control_size));
    case OwnOption::meta:
      if (s.owner != p.id) return not_owner(p);
      s.meta = HeldTerm(value);
      return am::ok;
    case OwnOption::controlling_process:
    case OwnOption::use_registry:
    case OwnOption::descriptor:
    case OwnOption::domain:
      break;
  }
  return raise_invalid(p, tuple(p.heap, am::otp_socket_option, make_small(number)));
}

Term get_own(Process& p, NativeSocket& s, int number) {
  Heap& h = p.heap;
  auto size = [&](size_t n) { return ok_tuple(p, make_unsigned(h, n)); };
  switch (static_cast<OwnOption>(number)) {
    case OwnOption::debug:
      return ok_tuple(p, make_bool(s.settings.debug));
    case OwnOption::inform_of_wraps:
      return ok_tuple(p, make_bool(s.settings.inform_of_wraps));
    case OwnOption::controlling_process:
      return ok_tuple(p, s.owner);
    case OwnOption::read_buffer: {
      if (!s.settings.reads) return size(s.settings.read_size);
      Term n = make_unsigned(h, s.settings.reads), bytes = make_unsigned(h, s.settings.read_size);
      return ok_tuple(p, tuple(h, n, bytes));
    }
    case OwnOption::read_control_buffer:
      return size(s.settings.read_control_size);
    case OwnOption::write_control_buffer:
      return size(s.settings.write_control_size);
    case OwnOption::descriptor:
      return ok_tuple(p, make_small(s.fd()));
    case OwnOption::meta:
      return ok_tuple(p, copy_term(h, s.meta.get()));
    case OwnOption::use_registry:
      return ok_tuple(p, make_bool(s.registered));
    case OwnOption::domain:
      return ok_tuple(p, domain_term(s.kind.domain));
  }
  return raise_invalid(p, tuple(h, am::otp_socket_option, make_small(number)));
}

/// SOL_SOCKET for `socket`, else a number.
bool read_level(Term t, int* out) {
  if (t == am::socket) return *out = SOL_SOCKET, true;
  return read_int(t, out);
}

/// An option by its number, whatever it is: a number, a truth value or bytes.
Term set_native(Process& p, NativeSocket& s, int level, int number, Term value) {
  int n;
  const bool truth = value == am::true_ || value == am::false_;
  int result;
  if (truth || read_int(value, &n)) {
    if (truth) n = value == am::true_;
    result = set_option(s.fd(), level, number, &n, sizeof n);
  } else if (is_bitstring(value)) {
    ByteView bytes(value);
    result = set_option(s.fd(), level, number, bytes.data(), static_cast<socklen_t>(bytes.size()));
  } else {
    return error_tuple(p, invalid(p, am::value));
  }
  return result == 0 ? am::ok : posix_error(p.heap, errno);
}

}  // namespace

BIF(prim_socket, nif_setopt, 5)
{
  int level, number, native;
  WB_SOCKET(s, a[0]);
  if (!read_int(a[2], &number) || !read_int(a[4], &native)) return kBadarg;
  if (a[1] == am::otp && !native) return set_own(p, *s, number, a[3]);
  if (!read_level(a[1], &level)) return kBadarg;
  NativeSocket::Guard guard(s->lock);
  if (!s->is_open()) return closed_error(p);
  if (native) return set_native(p, *s, level, number, a[3]);
  const NumberedOption* option = find_socket_option(level, number);
  if (!option) return invalid(p, am::socket_option);
  Term answer = set_socket_option(p.heap, s->fd(), *option, a[3]);
  if (answer == kBadValue) return bad_value(p);
  return answer == kRefused ? invalid(p, am::socket_option) : answer;
}

BIF(prim_socket, nif_getopt, 3)
{
  int level, number;
  if (!read_int(a[2], &number)) return kBadarg;
  if (a[1] != am::otp && !read_level(a[1], &level)) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  if (a[1] == am::otp) return get_own(p, *s, number);
  const NumberedOption* option = find_socket_option(level, number);
  Term answer = option ? get_socket_option(p.heap, s->fd(), *option) : kRefused;
  return answer == kRefused ? invalid(p, am::socket_option) : answer;
}

/// An option by its number, as `integer`, `boolean`, or so many bytes.
BIF(prim_socket, nif_getopt, 4)
{
  int level, number, asked = 0;
  if (!read_int(a[2], &number) || !read_level(a[1], &level)) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  const Term spec = a[3];
  if (spec == am::integer || spec == am::boolean) {
    int n = 0;
    socklen_t size = sizeof n;
    if (ask_option(s->fd(), level, number, &n, &size) != 0) return posix_error(p.heap, errno);
    return ok_tuple(p, spec == am::boolean ? make_bool(n != 0) : make_small(n));
  }
  constexpr int kMost = 1 << 20;  // no option is longer
  std::vector<uint8_t> room;
  if (is_bitstring(spec)) {
    ByteView bytes(spec);
    room.assign(bytes.data(), bytes.data() + bytes.size());
    room.reserve(1);
    asked = static_cast<int>(room.size());
  } else if (read_int(spec, &asked)) {
    asked = std::min(asked, kMost);
    room.resize(asked > 0 ? static_cast<size_t>(asked) : 0);
  } else {
    return invalid(p, am::value);
  }
  // Without room BEAM asks with null pointers.
  if (asked == 0 && !is_bitstring(spec)) return posix_error(p.heap, EFAULT);
  socklen_t size = static_cast<socklen_t>(asked);
  if (ask_option(s->fd(), level, number, room.data(), &size) != 0)
    return posix_error(p.heap, errno);
  return ok_tuple(p, make_binary(p.heap, room.data(), std::min<size_t>(size, room.size())));
}

/// Of a native option; or with a value, which only SCTP has.
BIF(prim_socket, nif_getopt, 5)
{
  if (!is_atom(a[3]) || atom_text(a[3]) != "native") return invalid(p, intern("socket_option"));
  const Term native[] = {a[0], a[1], a[2], a[4]};
  return prim_socket_nif_getopt_4(p, native);
}

}  // namespace wb
