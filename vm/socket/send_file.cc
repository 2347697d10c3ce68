// sendfile: a part of a file goes out without passing through here.
//
// The file has a descriptor of its own from the first call on, in the socket, until all is sent, or
// it fails, or sendfile/1 (its sender is gone) gives it back. A call sends as much as the socket
// takes, at most kInARow: a fast reader must not keep a scheduler.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/recording.h"
#include "vm/bif/files.h"
#include "vm/io/network.h"
#include "vm/process/exec.h"
#include "vm/socket/socket_bif.h"

namespace wb {
namespace {

constexpr uint64_t kInARow = 1 << 20;

void close_file(NativeSocket& s) {
  if (s.file >= 0) close_descriptor(s.file);
  s.file = -1;
}

/// kNone: the caller's turn.
Term sending_turn(Process& p, NativeSocket& s) {
  if (s.write_state & NativeSocket::kConnecting || s.read_state & NativeSocket::kAccepting)
    return error_tuple(p, invalid(p, am::state));
  s.sent_files = true;
  ++s.counters.sendfile;
  return kNone;
}

Term send_part(Process& p, NativeSocket& s, int64_t offset, uint64_t count, Term handle) {
  NativeCounters& c = s.counters;
  uint64_t sent = 0;
  ++c.sendfile_tries;
  off_t at = offset;
  const uint64_t most = count ? std::min(count, kInARow) : kInARow;
  bool done = false, waits = false;
  int failed = 0;
  while (!done && !waits && sent < most) {
    ssize_t n = s.network().send_file(s.fd(), s.file, &at, most - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      waits = true;
    } else if (n < 0) {
      failed = errno;
      break;
    } else {
      sent += static_cast<uint64_t>(n);
      done = n == 0 || (count && sent == count);
    }
  }
  p.exec->worker->counters.bytes_out.add(sent);
  p.charge(static_cast<int64_t>(20 + sent / 1000));
  if (sent) {
    ++c.sendfile_pkg;
    c.sendfile_byte += sent;
    c.sendfile_max = std::max(c.sendfile_max, sent);
    c.sendfile_pkg_max = std::max(c.sendfile_pkg_max, sent);
  }
  if (failed) {
    ++c.sendfile_fails;
    close_file(s);
    Term reason = posix_atom(failed);
    s.abort(s.writers, reason, p.id);
    return error_tuple(p, reason);
  }
  if (done) {
    close_file(s);
    s.done(s.writers, p.id);
    return ok_tuple(p, make_unsigned(p.heap, sent));
  }
  if (waits) ++c.sendfile_waits;
  s.wait(s.writers, p.id, handle);
  return sent ? tuple(p.heap, am::select, make_unsigned(p.heap, sent)) : am::select;
}

struct FileArguments {
  int64_t offset;
  uint64_t count;
};
bool read_arguments(Term handle, Term offset, Term count, FileArguments* out) {
  return is_ref(handle) && to_int64(offset, &out->offset) && to_uint64(count, &out->count);
}

}  // namespace

/// The first call of a file.
BIF(prim_socket, nif_sendfile, 5)
{
  FileArguments in;
  const std::optional<int> file = descriptor_of_file(a[4]);
  if (!file || !read_arguments(a[1], a[2], a[3], &in)) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  Term other = sending_turn(p, *s);
  if (other != kNone) return other;
  switch (s->turn(s->writers, p.id)) {
    case NativeSocket::Turn::queued:
      return raise_invalid(p, am::state);
    case NativeSocket::Turn::queue:
      s->wait(s->writers, p.id, a[1]);
      return am::select;
    case NativeSocket::Turn::now:
      break;
  }
  if (*file < 0) return posix_error(p.heap, EINVAL);  // closed
  if (s->file >= 0) return error_tuple(p, invalid(p, am::state));
  s->file = duplicate(*file);
  if (s->file < 0) return posix_error(p.heap, errno);
  Term answer = send_part(p, *s, in.offset, in.count, a[1]);
  // Nothing went out: the next call names the file again.
  if (answer == am::select) close_file(*s);
  return answer;
}

/// It goes on.
BIF(prim_socket, nif_sendfile, 4)
{
  FileArguments in;
  if (!read_arguments(a[1], a[2], a[3], &in)) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  Term other = sending_turn(p, *s);
  if (other != kNone) return other;
  if (s->file < 0) return raise_invalid(p, am::state);
  if (s->turn(s->writers, p.id) != NativeSocket::Turn::now) return raise_invalid(p, am::state);
  return send_part(p, *s, in.offset, in.count, a[1]);
}

/// Who sent it is gone.
BIF(prim_socket, nif_sendfile, 1)
{
  WB_SOCKET(s, a[0]);
  NativeSocket::Guard guard(s->lock);
  if (s->is_open()) {
    Term other = sending_turn(p, *s);
    if (other != kNone) return other;
  }
  if (s->file < 0) return error_tuple(p, invalid(p, am::state));
  close_file(*s);
  return am::ok;
}

}  // namespace wb
