// prim_file: open files.
//
// A handle is a magic reference that owns the descriptor: it is closed by close/1, or when the last
// reference dies with the heap of its owner. Calls on regular files run on the scheduler: the page
// cache answers in microseconds, a trip to another thread costs as much. But programs are used to
// BEAM's making that trip, and to others getting on meanwhile (what a process that ended before the
// call has set off is done after it): whoever is runnable here gets as long. What has to wait for
// somebody, as a FIFO has, makes the trip (file_waits.h), and so does what waits for the disk:
// synchronising, and writing to a file that was opened to be in step with it.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>

#include "base/recording.h"
#include "scheduler/scheduler.h"
#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/file_waits.h"
#include "vm/bif/files.h"
#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/outside.h"
#include "vm/process/exec.h"

namespace wb {
namespace {

struct File : OffHeapObject {
  int fd = -1;
  bool streams = false;  ///< what it has comes by and by
  bool blocks = false;   ///< others have opened it, so that it may
  bool syncs = false;    ///< writing waits for the disk
};
void destroy_file(OffHeapObject* o) {
  auto* f = static_cast<File*>(o);
  if (f->fd >= 0) close_descriptor(f->fd);
  delete f;
}
File* file_of(Term t) {
  if (!is_kind(t, Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(t);
  return o->destroy == destroy_file ? static_cast<File*>(o) : nullptr;
}
Term new_file(Process& p, int fd, mode_t type, bool blocks, bool syncs) {
  auto* f = new File;
  f->destroy = destroy_file;
  f->fd = fd;
  f->streams = !S_ISREG(type);
  f->blocks = blocks;
  f->syncs = syncs;
  return tuple(p.heap, am::ok, p.vm().new_magic_ref(p.heap, f, 256));
}

}  // namespace

std::optional<int> descriptor_of_file(Term ref) {
  File* f = file_of(ref);
  return f ? std::optional(f->fd) : std::nullopt;
}

namespace {

Term done(Process& p, ssize_t result) { return result < 0 ? posix_error(p.heap, errno) : am::ok; }
bool size_arg(Term t, uint64_t* n) { return to_uint64(t, n) && *n <= INT64_MAX; }

struct Modes {
  bool read = false, write = false, append = false, exclusive = false, sync = false,
       directory = false, any_type = false;
};
/// What is no mode, and what follows an improper list, is left to prim_file.
void modes_of(Term list, Modes* m) {
  for (; is_cons(list); list = tail(list)) {
    Term t = head(list);
    if (t == am::read)
      m->read = true;
    else if (t == am::write)
      m->write = true;
    else if (t == am::append)
      m->append = true;
    else if (t == am::exclusive)
      m->exclusive = true;
    else if (t == am::sync)
      m->sync = true;
    else if (t == am::directory)
      m->directory = true;
    else if (t == am::skip_type_check)
      m->any_type = true;
  }
}
int open_flags(const Modes& m) {
  int flags = O_CLOEXEC | (m.sync ? O_SYNC : 0) | (m.directory ? O_DIRECTORY : 0);
  bool write = m.write || m.append || m.exclusive;
  if (!write) return flags | O_RDONLY;
  flags |= (m.read ? O_RDWR : O_WRONLY) | O_CREAT | (m.exclusive ? O_EXCL : 0);
  if (m.append) return flags | O_APPEND;
  return m.read ? flags : flags | O_TRUNC;
}

ssize_t read_into(int fd, void* bytes, size_t n) {
  return reading_call([=] { return read(fd, bytes, n); }, bytes, n);
}
ssize_t pread_into(int fd, void* bytes, size_t n, uint64_t at) {
  return reading_call([=] { return pread(fd, bytes, n, static_cast<off_t>(at)); }, bytes, n);
}

/// `call`, which reads or writes at most `size` bytes of an open file; that is waited for first, or
/// when it cannot be done at once. Nothing: the process has ended.
template <class F>
std::optional<ssize_t> when_ready(Process& p, const File& f, short events, size_t size, F call) {
  const bool is_long = size >= kLongTransfer || (f.syncs && events == POLLOUT);
  bool waits = f.blocks && f.streams;
  for (;;) {
    if (WB_UNLIKELY(waits) && !wait_until_ready(p, f.fd, events)) return std::nullopt;
    std::optional<ssize_t> n = is_long ? on_io_thread(p, call) : retry(call);
    if (!n || *n >= 0 || errno != EAGAIN) return n;
    waits = true;
  }
}

/// Does this operation on the file go wrong in that way, by choice (vm/io/outside.h)?
bool goes_wrong(const Process& p, const File& f, const char* operation, Fault fault) {
  Outside* outside = outside_of(p.vm());
  if (WB_LIKELY(!outside) || f.streams) return false;
  char name[PATH_MAX];
  const ssize_t n = readlink(("/proc/self/fd/" + std::to_string(f.fd)).c_str(), name, sizeof name);
  if (n < 0) return false;
  return outside->strikes(operation, {name, static_cast<size_t>(n)}, {fault}).has_value();
}

constexpr uint64_t kMostRead = uint64_t{1} << 40;  // bytes: nobody has room for more

/// A binary of what `read_at(bytes, n, done)` delivers, at most `size`. The system gives less than
/// 2 GB at once, so what is that large is read in pieces, to the end of the file; and so is what
/// comes by and by.
/// `give_back(n)`: the last n of them have not been read.
template <class F, class G>
Term read_binary(Process& p, const File& f, uint64_t size, F read_at, G give_back) {
  constexpr uint64_t kAtOnce = 1u << 30;
  if (size > kMostRead) return posix_error(p.heap, ENOMEM);
  uint8_t* bytes;
  Term whole = new_bytes(p.heap, size, &bytes);
  if (is_fault(whole)) return posix_error(p.heap, ENOMEM);
  uint64_t got = 0;
  ssize_t n;
  do {
    const uint64_t piece = std::min(size - got, kAtOnce);
    auto r = when_ready(p, f, POLLIN, piece, [&] { return read_at(bytes + got, piece, got); });
    if (!r) return kCancelled;
    n = *r;
    if (n < 0) return posix_error(p.heap, errno);
    got += static_cast<uint64_t>(n);
  } while ((f.streams || size > kAtOnce) && n > 0 && got < size);
  if (got == 0 && size > 0) return am::eof;
  if (got > 1 && goes_wrong(p, f, "read", Fault::slow_read)) give_back(got - got / 2), got /= 2;
  p.exec->worker->counters.file_bytes_in.add(got);
  p.charge(static_cast<int64_t>(got / 200));
  Term data = got == size      ? whole
              : got < size / 2 ? make_binary(p.heap, bytes, got)
                               : sub_bitstring(p.heap, whole, 0, got * 8);
  return tuple(p.heap, am::ok, data);
}

/// Writes all binaries of a list; `write_some(bytes, n)` writes some. A disk that is full takes
/// some of the first.
template <class F>
Term write_all(Process& p, const File& f, Term iovec, F write_some) {
  const bool full = goes_wrong(p, f, "write", Fault::full_disk);
  for (; is_cons(iovec); iovec = tail(iovec)) {
    if (!is_binary(head(iovec))) return kBadarg;
    ByteView v(head(iovec));
    const size_t end = full ? v.size() / 2 : v.size();
    p.charge(static_cast<int64_t>(v.size() / 200));
    for (size_t at = 0; at < end;) {
      const size_t piece = end - at;
      auto n = when_ready(p, f, POLLOUT, piece, [&] { return write_some(v.data() + at, piece); });
      if (!n) return kCancelled;
      if (*n < 0) return posix_error(p.heap, errno);
      at += static_cast<size_t>(*n);
      p.exec->worker->counters.file_bytes_out.add(static_cast<uint64_t>(*n));
    }
    if (full && v.size() != 0) return posix_error(p.heap, ENOSPC);
  }
  return is_nil(iovec) ? am::ok : kBadarg;
}

/// `result`, after others have had the time that BEAM's trip to a dirty scheduler takes.
Term after_others(Process& p, Term result) {
  constexpr uint64_t kTripNs = 100'000;
  const Worker& w = *p.exec->worker;
  uint64_t until = 0;
  while (w.queue_length() != 0) {
    uint64_t now = p.vm().scheduler->now_ns();
    if (until == 0) until = now + kTripNs;
    if (now >= until) break;
    if (!p.yield_native()) return kCancelled;
  }
  return result;
}

/// The open file of an argument; the others answer `{error, einval}`.
#define WB_FILE(f, term)   \
  File* f = file_of(term); \
  if (!f) return kBadarg;  \
  if (f->fd < 0) return posix_error(p.heap, EINVAL)

}  // namespace

// --- opening, closing ----------------------------------------------------------------------------
BIF(prim_file, open_nif, 2)
{
  std::string path;
  Modes m;
  if (!native_path(a[0], &path) || !is_list(a[1])) return kBadarg;
  modes_of(a[1], &m);
  const std::optional<OpenFile> f = open_file(p, path.c_str(), open_flags(m));
  if (!f) return kCancelled;
  if (f->fd < 0) return after_others(p, posix_error(p.heap, f->error));
  p.exec->worker->counters.files_opened.add(1);
  if (m.write || m.append) note_change_of_files(p.vm());
  if (!m.directory && !m.any_type && S_ISDIR(f->type)) {
    close_descriptor(f->fd);
    return after_others(p, posix_error(p.heap, EISDIR));
  }
  return after_others(p, new_file(p, f->fd, f->type, false, m.sync));
}
BIF(prim_file, file_desc_to_ref_nif, 1)
{
  if (!is_small(a[0]) || small_value(a[0]) < 0 || small_value(a[0]) > INT32_MAX) return kBadarg;
  const int other = static_cast<int>(small_value(a[0]));
  const auto fd = static_cast<int>(system_call([=] { return dup(other); }));
  struct stat s;
  if (fd < 0 || descriptor_status(fd, &s) < 0) return posix_error(p.heap, errno);
  return new_file(p, fd, s.st_mode, true, false);
}
BIF(prim_file, close_nif, 1)
{
  WB_FILE(f, a[0]);
  int fd = f->fd;
  f->fd = -1;
  return after_others(p, done(p, close_descriptor(fd)));
}
BIF(prim_file, delayed_close_nif, 1)
{
  return prim_file_close_nif_1(p, a);
}
BIF(prim_file, get_handle_nif, 1)
{
  WB_FILE(f, a[0]);
  return make_binary(p.heap, &f->fd, sizeof f->fd);
}

// --- reading, writing ----------------------------------------------------------------------------
BIF(prim_file, read_nif, 2)
{
  WB_FILE(f, a[0]);
  uint64_t size;
  if (!size_arg(a[1], &size)) return kBadarg;
  auto read_on = [&](uint8_t* b, size_t n, uint64_t) { return read_into(f->fd, b, n); };
  auto give_back = [&](uint64_t n) { (void)lseek(f->fd, -static_cast<off_t>(n), SEEK_CUR); };
  return after_others(p, read_binary(p, *f, size, read_on, give_back));
}
BIF(prim_file, pread_nif, 3)
{
  WB_FILE(f, a[0]);
  uint64_t offset, size;
  if (!size_arg(a[1], &offset) || !size_arg(a[2], &size)) return kBadarg;
  auto read_at = [&](uint8_t* b, size_t n, uint64_t done) {
    return pread_into(f->fd, b, n, offset + done);
  };
  return after_others(p, read_binary(p, *f, size, read_at, [](uint64_t) {}));
}
BIF(prim_file, write_nif, 2)
{
  WB_FILE(f, a[0]);
  return after_others(p, write_all(p, *f, a[1], [&](const uint8_t* b, size_t n) {
                        return system_call([&] { return write(f->fd, b, n); });
                      }));
}
BIF(prim_file, pwrite_nif, 3)
{
  WB_FILE(f, a[0]);
  uint64_t offset;
  if (!size_arg(a[1], &offset)) return kBadarg;
  return after_others(p, write_all(p, *f, a[2], [&](const uint8_t* b, size_t n) {
                        const auto at = static_cast<off_t>(offset);
                        ssize_t w = system_call([&] { return pwrite(f->fd, b, n, at); });
                        if (w > 0) offset += static_cast<uint64_t>(w);
                        return w;
                      }));
}
/// Size and position of a record (both 32 bits, big endian) at Offset, then the record: dets.
BIF(prim_file, ipread_s32bu_p32bu_nif, 3)
{
  WB_FILE(f, a[0]);
  uint64_t offset, most;
  if (!size_arg(a[1], &offset) || !size_arg(a[2], &most)) return kBadarg;
  uint32_t header[2];
  ssize_t n = retry([&] { return pread_into(f->fd, header, sizeof header, offset); });
  if (n < 0) return posix_error(p.heap, errno);
  if (n < static_cast<ssize_t>(sizeof header)) return am::eof;
  uint64_t size = __builtin_bswap32(header[0]), at = __builtin_bswap32(header[1]);
  if (size > most) return am::eof;
  Term data = am::eof;
  if (size > 0) {
    auto read_at = [&](uint8_t* b, size_t k, uint64_t done) {
      return pread_into(f->fd, b, k, at + done);
    };
    Term r = read_binary(p, *f, size, read_at, [](uint64_t) {});
    if (is_tuple(r) && tuple_elements(r)[0] == am::error) return r;
    if (is_tuple(r)) data = tuple_elements(r)[1];
  }
  return tuple(p.heap, am::ok,
               tuple(p.heap, make_unsigned(p.heap, size), make_unsigned(p.heap, at), data));
}
BIF(prim_file, seek_nif, 3)
{
  WB_FILE(f, a[0]);
  int64_t offset;
  int whence = a[1] == am::bof ? SEEK_SET : a[1] == am::cur ? SEEK_CUR : SEEK_END;
  if (!to_int64(a[2], &offset)) return kBadarg;
  if (whence == SEEK_END && a[1] != am::eof) return kBadarg;
  if (whence == SEEK_SET && offset < 0) return posix_error(p.heap, EINVAL);
  const off_t at = system_call([=] { return lseek(f->fd, offset, whence); });
  if (at < 0) return posix_error(p.heap, errno);
  return tuple(p.heap, am::ok, make_integer(p.heap, at));
}

// --- the rest ------------------------------------------------------------------------------------
BIF(prim_file, sync_nif, 2)
{
  WB_FILE(f, a[0]);
  const int fd = f->fd;
  const bool only_data = a[1] == make_small(1);
  const auto n = on_io_thread(
      p, [=] { return system_call([=] { return only_data ? fdatasync(fd) : fsync(fd); }); });
  return n ? done(p, *n) : kCancelled;
}
BIF(prim_file, truncate_nif, 1)
{
  WB_FILE(f, a[0]);
  const int fd = f->fd;
  const off_t at = system_call([=] { return lseek(fd, 0, SEEK_CUR); });
  if (at < 0) return done(p, -1);
  struct stat s;
  const bool is_long = descriptor_status(fd, &s) == 0 && s.st_size - at >= off_t{kLongTransfer};
  auto cut = [=] { return system_call([=] { return ftruncate(fd, at); }); };
  const auto n = is_long ? on_io_thread(p, cut) : retry(cut);
  return n ? done(p, *n) : kCancelled;
}
BIF(prim_file, allocate_nif, 3)
{
  WB_FILE(f, a[0]);
  int64_t offset, length;
  if (!to_int64(a[1], &offset) || !to_int64(a[2], &length) || offset < 0 || length < 0)
    return kBadarg;
  if (goes_wrong(p, *f, "allocate", Fault::full_disk)) return posix_error(p.heap, ENOSPC);
  const int fd = f->fd;
  const auto e = on_io_thread(
      p, [=] { return system_call([=] { return posix_fallocate(fd, offset, length); }); });
  if (!e) return kCancelled;
  return *e ? posix_error(p.heap, static_cast<int>(*e)) : am::ok;
}
BIF(prim_file, advise_nif, 4)
{
  WB_FILE(f, a[0]);
  int64_t offset, length;
  if (!to_int64(a[1], &offset) || !to_int64(a[2], &length) || offset < 0 || length < 0)
    return kBadarg;
  int advice = a[3] == am::normal       ? POSIX_FADV_NORMAL
               : a[3] == am::random     ? POSIX_FADV_RANDOM
               : a[3] == am::sequential ? POSIX_FADV_SEQUENTIAL
               : a[3] == am::will_need  ? POSIX_FADV_WILLNEED
               : a[3] == am::dont_need  ? POSIX_FADV_DONTNEED
               : a[3] == am::no_reuse   ? POSIX_FADV_NOREUSE
                                        : -1;
  if (advice < 0) return posix_error(p.heap, EINVAL);
  const ssize_t e = system_call([=] { return posix_fadvise(f->fd, offset, length, advice); });
  return e ? posix_error(p.heap, static_cast<int>(e)) : am::ok;
}

/// What there is still to read, into `bytes`; returns what is wrong, 0 if nothing is; nothing: the
/// process has ended.
static std::optional<int> read_to_end(Process& p, const File& f, std::string* bytes) {
  char buffer[65536];
  for (;;) {
    auto n = when_ready(p, f, POLLIN, sizeof buffer,
                        [&] { return read_into(f.fd, buffer, sizeof buffer); });
    if (!n) return std::nullopt;
    if (*n <= 0) return *n < 0 ? errno : 0;
    bytes->append(buffer, static_cast<size_t>(*n));
  }
}
/// Of a file that gets longer meanwhile `bytes` has been read.
static Term read_rest(Process& p, const File& f, std::string bytes) {
  const std::optional<int> error = read_to_end(p, f, &bytes);
  if (!error) return kCancelled;
  if (*error) return posix_error(p.heap, *error);
  Term data = make_binary(p.heap, bytes.data(), bytes.size());
  return is_value(data) ? tuple(p.heap, am::ok, data) : posix_error(p.heap, ENOMEM);
}
/// Of `size` bytes, straight into the binary.
static Term read_known(Process& p, const File& f, uint64_t size) {
  uint8_t* bytes;
  Term whole = size <= kMostRead ? new_bytes(p.heap, size, &bytes) : kNone;
  if (!is_value(whole)) return posix_error(p.heap, ENOMEM);
  uint64_t got = 0;
  for (ssize_t n = 1; n > 0 && got < size; got += static_cast<uint64_t>(n)) {
    const auto r = when_ready(p, f, POLLIN, size - got,
                              [&] { return read_into(f.fd, bytes + got, size - got); });
    if (!r) return kCancelled;
    if (*r < 0) return posix_error(p.heap, errno);
    n = *r;
  }
  p.charge(static_cast<int64_t>(got / 200));
  if (got < size) whole = make_binary(p.heap, bytes, got);
  char more;
  if (got == size && retry([&] { return read_into(f.fd, &more, 1); }) == 1)
    return read_rest(p, f, std::string(reinterpret_cast<char*>(bytes), size) + more);
  return is_value(whole) ? tuple(p.heap, am::ok, whole) : posix_error(p.heap, ENOMEM);
}

BIF(prim_file, read_file_nif, 1)
{
  std::string path;
  if (!native_path(a[0], &path)) return kBadarg;
  const std::optional<OpenFile> opened = open_file(p, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (!opened) return kCancelled;
  if (opened->fd < 0) return posix_error(p.heap, opened->error);
  File f;
  f.fd = opened->fd;
  const bool has_size = S_ISREG(opened->type) && opened->size > 0;
  Term read = S_ISDIR(opened->type) ? posix_error(p.heap, EISDIR)
              : has_size            ? read_known(p, f, static_cast<uint64_t>(opened->size))
                                    : read_rest(p, f, {});
  close_descriptor(f.fd);
  return is_value(read) ? after_others(p, read) : read;
}

}  // namespace wb
