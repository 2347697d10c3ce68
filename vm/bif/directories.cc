// prim_file: what the file system knows about names.
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/recording.h"
#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/file_waits.h"
#include "vm/io/file_names.h"
#include "vm/io/outside.h"

namespace wb {

BIF(prim_file, get_handle_nif, 1);  // files.cc

static Term done(Process& p, ssize_t result) {
  return result < 0 ? posix_error(p.heap, errno) : am::ok;
}
template <class F>
static Term done_outside(Process& p, F call) {
  return done(p, system_call(call));
}
#define WB_PATH(name, term) \
  std::string name;         \
  if (!native_path(term, &name)) return kBadarg

// --- #file_info{} --------------------------------------------------------------------------------
static Term type_of(mode_t mode) {
  if (S_ISREG(mode)) return am::regular;
  if (S_ISDIR(mode)) return am::directory;
  if (S_ISLNK(mode)) return am::symlink;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return am::device;
  return am::other;
}
static Term access_of(const char* path) {
  auto may = [=](int how) { return system_call([=] { return access(path, how); }) == 0; };
  const bool r = may(R_OK), w = may(W_OK);
  return r && w ? am::read_write : r ? am::read : w ? am::write : am::none;
}
static Term file_info(Heap& h, const struct stat& s, Term access) {
  auto integer = [&](uint64_t n) { return make_unsigned(h, n); };
  auto time = [&](const timespec& t) { return make_integer(h, t.tv_sec); };
  return tuple(h, am::file_info, integer(static_cast<uint64_t>(s.st_size)), type_of(s.st_mode),
               access, time(s.st_atim), time(s.st_mtim), time(s.st_ctim), integer(s.st_mode),
               integer(s.st_nlink), integer(s.st_dev), integer(s.st_rdev), integer(s.st_ino),
               integer(s.st_uid), integer(s.st_gid));
}
BIF(prim_file, read_info_nif, 2)
{
  WB_PATH(path, a[0]);
  struct stat s;
  const bool follow = a[1] == make_small(1);
  auto look = [&] { return follow ? stat(path.c_str(), &s) : lstat(path.c_str(), &s); };
  if (system_call(look, {{&s, sizeof s}}) < 0) return posix_error(p.heap, errno);
  return file_info(p.heap, s, access_of(path.c_str()));
}
BIF(prim_file, read_handle_info_nif, 1)
{
  Term fd = prim_file_get_handle_nif_1(p, a);
  if (!is_binary(fd)) return fd;
  int n;
  memcpy(&n, ByteView(fd).data(), sizeof n);
  struct stat s;
  if (descriptor_status(n, &s) < 0) return posix_error(p.heap, errno);
  std::string link = "/proc/self/fd/" + std::to_string(n);
  return file_info(p.heap, s, access_of(link.c_str()));
}
BIF(prim_file, set_permissions_nif, 2)
{
  WB_PATH(path, a[0]);
  uint64_t mode;
  if (!to_uint64(a[1], &mode)) return kBadarg;
  return done_outside(p, [&] { return chmod(path.c_str(), static_cast<mode_t>(mode & 07777)); });
}
BIF(prim_file, set_owner_nif, 3)
{
  WB_PATH(path, a[0]);
  int64_t uid, gid;
  if (!to_int64(a[1], &uid) || !to_int64(a[2], &gid)) return kBadarg;
  return done_outside(
      p, [&] { return chown(path.c_str(), static_cast<uid_t>(uid), static_cast<gid_t>(gid)); });
}
BIF(prim_file, set_time_nif, 4)
{
  WB_PATH(path, a[0]);
  int64_t accessed, modified;
  if (!to_int64(a[1], &accessed) || !to_int64(a[2], &modified)) return kBadarg;
  timespec times[2] = {{accessed, 0}, {modified, 0}};
  return done_outside(p, [&] { return utimensat(AT_FDCWD, path.c_str(), times, 0); });
}

// --- links, names --------------------------------------------------------------------------------
BIF(prim_file, read_link_nif, 1)
{
  WB_PATH(path, a[0]);
  char to[PATH_MAX];
  const ssize_t n =
      reading_call([&] { return readlink(path.c_str(), to, sizeof to); }, to, sizeof to);
  if (n < 0) return posix_error(p.heap, errno);
  return tuple(p.heap, am::ok, make_binary(p.heap, to, static_cast<size_t>(n)));
}
BIF(prim_file, make_hard_link_nif, 2)
{
  WB_PATH(from, a[0]);
  WB_PATH(to, a[1]);
  return done_outside(p, [&] { return link(from.c_str(), to.c_str()); });
}
BIF(prim_file, make_soft_link_nif, 2)
{
  WB_PATH(from, a[0]);
  WB_PATH(to, a[1]);
  return done_outside(p, [&] { return symlink(from.c_str(), to.c_str()); });
}
BIF(prim_file, rename_nif, 2)
{
  WB_PATH(from, a[0]);
  WB_PATH(to, a[1]);
  note_change_of_files(p.vm());
  auto move = [&] { return system_call([&] { return rename(from.c_str(), to.c_str()); }); };
  const auto r = is_long_to_free(to.c_str()) ? on_io_thread(p, move) : retry(move);
  if (!r) return kCancelled;
  if (*r < 0 && errno == ENOTEMPTY)
    errno = EEXIST;
  else if (*r < 0 && from == "/")
    errno = EINVAL;
  return done(p, static_cast<int>(*r));
}
BIF(prim_file, del_file_nif, 1)
{
  WB_PATH(path, a[0]);
  note_change_of_files(p.vm());
  auto remove = [&] { return system_call([&] { return unlink(path.c_str()); }); };
  const auto r = is_long_to_free(path.c_str()) ? on_io_thread(p, remove) : retry(remove);
  if (!r) return kCancelled;
  if (*r < 0 && errno == EISDIR) errno = EPERM;  // as POSIX has it
  return done(p, static_cast<int>(*r));
}
BIF(prim_file, altname_nif, 1)
{
  WB_PATH(path, a[0]);
  return posix_error(p.heap, ENOTSUP);
}

// --- directories ---------------------------------------------------------------------------------
/// Each with a 0 at its end. 0, or errno.
static int read_names(const char* path, std::string* names) {
  DIR* d = opendir(path);
  if (!d) return errno;
  while (dirent* entry = readdir(d)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names->append(name).push_back('\0');
  }
  closedir(d);
  return 0;
}
BIF(prim_file, list_dir_nif, 1)
{
  WB_PATH(path, a[0]);
  std::string names;
  auto read = [&](std::string* to) { return read_names(path.c_str(), to); };
  if (const int error = text_call(read, &names)) return posix_error(p.heap, error);
  Term list = kNil;
  int64_t count = 0;
  for (size_t at = 0; at < names.size(); ++count) {
    const char* name = names.c_str() + at;
    const size_t n = strlen(name);
    list = cons(p.heap, make_binary(p.heap, name, n), list);
    at += n + 1;
  }
  p.charge(count / 4);
  return tuple(p.heap, am::ok, list);
}
BIF(prim_file, make_dir_nif, 1)
{
  WB_PATH(path, a[0]);
  note_change_of_files(p.vm());
  return done_outside(p, [&] { return mkdir(path.c_str(), 0777); });
}
static bool is_current_directory(const std::string& path) {
  struct stat s, here;
  auto look = [](const char* at, struct stat* to) {
    return system_call([=] { return stat(at, to); }, {{to, sizeof *to}}) == 0;
  };
  if (!look(path.c_str(), &s) || !look(".", &here)) return false;
  return s.st_ino == here.st_ino && s.st_dev == here.st_dev;
}
BIF(prim_file, del_dir_nif, 1)
{
  WB_PATH(path, a[0]);
  note_change_of_files(p.vm());
  const ssize_t r = system_call([&] { return rmdir(path.c_str()); });
  if (r < 0 && (errno == ENOTEMPTY || errno == EEXIST))
    errno = is_current_directory(path) ? EINVAL : EEXIST;
  return done(p, r);
}
BIF(prim_file, get_cwd_nif, 0)
{
  char path[PATH_MAX];
  auto look = [&] { return getcwd(path, sizeof path) ? strlen(path) + 1 : -1; };
  if (reading_call(look, path, sizeof path) < 0) return posix_error(p.heap, errno);
  return tuple(p.heap, am::ok, make_binary(p.heap, path, strlen(path)));
}
BIF(prim_file, set_cwd_nif, 1)
{
  WB_PATH(path, a[0]);
  return done_outside(p, [&] { return chdir(path.c_str()); });
}
BIF(prim_file, get_device_cwd_nif, 1)
{
  return posix_error(p.heap, ENOTSUP);
}

}  // namespace wb
