// prim_file: what the file system knows about names.
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/file_waits.h"
#include "vm/io/file_names.h"
#include "vm/io/outside.h"

namespace wb {

BIF(prim_file, get_handle_nif, 1);  // files.cc

static Term done(Process& p, int result) {
  return result < 0 ? posix_error(p.heap, errno) : am::ok;
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
  bool r = access(path, R_OK) == 0, w = access(path, W_OK) == 0;
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
  bool follow = a[1] == make_small(1);
  if ((follow ? stat(path.c_str(), &s) : lstat(path.c_str(), &s)) < 0) {
    return posix_error(p.heap, errno);
  }
  return file_info(p.heap, s, access_of(path.c_str()));
}
BIF(prim_file, read_handle_info_nif, 1)
{
  Term fd = prim_file_get_handle_nif_1(p, a);
  if (!is_binary(fd)) return fd;
  int n;
  memcpy(&n, ByteView(fd).data(), sizeof n);
  struct stat s;
  if (fstat(n, &s) < 0) return posix_error(p.heap, errno);
  std::string link = "/proc/self/fd/" + std::to_string(n);
  return file_info(p.heap, s, access_of(link.c_str()));
}
BIF(prim_file, set_permissions_nif, 2)
{
  WB_PATH(path, a[0]);
  uint64_t mode;
  if (!to_uint64(a[1], &mode)) return kBadarg;
  return done(p, chmod(path.c_str(), static_cast<mode_t>(mode & 07777)));
}
BIF(prim_file, set_owner_nif, 3)
{
  WB_PATH(path, a[0]);
  int64_t uid, gid;
  if (!to_int64(a[1], &uid) || !to_int64(a[2], &gid)) return kBadarg;
  return done(p, chown(path.c_str(), static_cast<uid_t>(uid), static_cast<gid_t>(gid)));
}
BIF(prim_file, set_time_nif, 4)
{
  WB_PATH(path, a[0]);
  int64_t accessed, modified;
  if (!to_int64(a[1], &accessed) || !to_int64(a[2], &modified)) return kBadarg;
  timespec times[2] = {{accessed, 0}, {modified, 0}};
  return done(p, utimensat(AT_FDCWD, path.c_str(), times, 0));
}

// --- links, names --------------------------------------------------------------------------------
BIF(prim_file, read_link_nif, 1)
{
  WB_PATH(path, a[0]);
  char to[PATH_MAX];
  ssize_t n = readlink(path.c_str(), to, sizeof to);
  if (n < 0) return posix_error(p.heap, errno);
  return tuple(p.heap, am::ok, make_binary(p.heap, to, static_cast<size_t>(n)));
}
BIF(prim_file, make_hard_link_nif, 2)
{
  WB_PATH(from, a[0]);
  WB_PATH(to, a[1]);
  return done(p, link(from.c_str(), to.c_str()));
}
BIF(prim_file, make_soft_link_nif, 2)
{
  WB_PATH(from, a[0]);
  WB_PATH(to, a[1]);
  return done(p, symlink(from.c_str(), to.c_str()));
}
BIF(prim_file, rename_nif, 2)
{
  WB_PATH(from, a[0]);
  WB_PATH(to, a[1]);
  note_change_of_files(p.vm());
  auto move = [&] { return rename(from.c_str(), to.c_str()); };
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
  auto remove = [&] { return unlink(path.c_str()); };
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
BIF(prim_file, list_dir_nif, 1)
{
  WB_PATH(path, a[0]);
  DIR* d = opendir(path.c_str());
  if (!d) return posix_error(p.heap, errno);
  Term list = kNil;
  int64_t count = 0;
  while (dirent* entry = readdir(d)) {
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    list = cons(p.heap, make_binary(p.heap, name.data(), name.size()), list);
    ++count;
  }
  closedir(d);
  p.charge(count / 4);
  return tuple(p.heap, am::ok, list);
}
BIF(prim_file, make_dir_nif, 1)
{
  WB_PATH(path, a[0]);
  note_change_of_files(p.vm());
  return done(p, mkdir(path.c_str(), 0777));
}
static bool is_current_directory(const std::string& path) {
  struct stat s, here;
  if (stat(path.c_str(), &s) < 0 || stat(".", &here) < 0) return false;
  return s.st_ino == here.st_ino && s.st_dev == here.st_dev;
}
BIF(prim_file, del_dir_nif, 1)
{
  WB_PATH(path, a[0]);
  note_change_of_files(p.vm());
  int r = rmdir(path.c_str());
  if (r < 0 && (errno == ENOTEMPTY || errno == EEXIST))
    errno = is_current_directory(path) ? EINVAL : EEXIST;
  return done(p, r);
}
BIF(prim_file, get_cwd_nif, 0)
{
  char path[PATH_MAX];
  if (!getcwd(path, sizeof path)) return posix_error(p.heap, errno);
  return tuple(p.heap, am::ok, make_binary(p.heap, path, strlen(path)));
}
BIF(prim_file, set_cwd_nif, 1)
{
  WB_PATH(path, a[0]);
  return done(p, chdir(path.c_str()));
}
BIF(prim_file, get_device_cwd_nif, 1)
{
  return posix_error(p.heap, ENOTSUP);
}

}  // namespace wb
