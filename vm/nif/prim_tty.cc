// The native functions of OTP's prim_tty: the terminal, standard input and output, for the shell of
// OTP 26 and later (that of 25 is the driver tty_sl, vm/port/terminal.h).
//
// A terminal is a resource. Its reader selects standard input, and up to OTP 27 a pipe through
// which OsSignals tells of SIGWINCH and SIGCONT; from 28 on those go to erl_signal_server. The mode
// is kept by the machine (vm/port/terminal_mode.h), which restores it at its end. Reading runs on a
// dirty thread: while the break menu has standard input it waits.
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <clocale>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "vm/io/file_names.h"
#include "vm/io/signals.h"
#include "vm/nif/environment.h"
#include "vm/nif/static_libraries.h"
#include "vm/nif/terminfo.h"
#include "vm/port/ports.h"
#include "vm/process/native.h"

namespace wb {
namespace {

constexpr unsigned kReadAtOnce = 1024;

struct Tty {
  Vm* vm;
  int in, out;
  int signals[2];  ///< a pipe; -1: there is none
  bool ours;       ///< the mode is wanted
  termios wanted;
  bool monitored;
  ErlNifMonitor monitor;
};

/// The type of terminals is the library's private data.
ErlNifResourceType* tty_type(ErlNifEnv* env) {
  return static_cast<ErlNifResourceType*>(enif_priv_data(env));
}

Term atom(ErlNifEnv* env, const char* name) { return enif_make_atom(env, name); }
Term ok(ErlNifEnv* env, Term value) { return enif_make_tuple2(env, am::ok, value); }
Term error(ErlNifEnv* env, Term reason) { return enif_make_tuple2(env, am::error, reason); }
Term errno_name(ErlNifEnv* env, int number) {
  return number ? tuple_elements(posix_error(*env->heap, number))[1] : atom(env, "errno_0");
}
/// {error, {What, Errno}}
Term failed(ErlNifEnv* env, const char* what, int number) {
  return error(env, enif_make_tuple2(env, atom(env, what), errno_name(env, number)));
}
Term text(ErlNifEnv* env, std::string_view s) {
  ERL_NIF_TERM made;
  memcpy(enif_make_new_binary(env, s.size(), &made), s.data(), s.size());
  return made;
}
Tty* tty_of(ErlNifEnv* env, Term t) {
  void* found;
  return enif_get_resource(env, t, tty_type(env), &found) ? static_cast<Tty*>(found) : nullptr;
}
/// The bytes of iodata, and a zero.
bool name_of(ErlNifEnv* env, Term t, std::string* out) {
  ErlNifBinary bytes;
  if (!enif_inspect_iolist_as_binary(env, t, &bytes)) return false;
  out->assign(reinterpret_cast<const char*>(bytes.data), bytes.size);
  return true;
}
Term option(ErlNifEnv* env, Term options, const char* key) {
  ERL_NIF_TERM value;
  return enif_get_map_value(env, options, atom(env, key), &value) ? value : kNone;
}

#define NIF(name) \
  ERL_NIF_TERM name([[maybe_unused]] ErlNifEnv* env, int argc, const ERL_NIF_TERM* a)

// --- the terminal --------------------------------------------------------------------------------
int standard(Term name) {
  return name == am::stdin_    ? STDIN_FILENO
         : name == am::stdout_ ? STDOUT_FILENO
         : name == am::stderr_ ? STDERR_FILENO
                               : -1;
}

/// kNone: there is no such name.
Term whether_terminal(Term name) {
  const int fd = standard(name);
  if (fd < 0) return kNone;
  if (isatty(fd)) return am::true_;
  return errno == EBADF ? intern("ebadf") : am::false_;
}
NIF(is_a_tty) {
  const Term answer = whether_terminal(a[0]);
  return is_fault(answer) ? enif_make_badarg(env) : answer;
}

Term made_tty(ErlNifEnv* env, int out) {
  auto* tty = static_cast<Tty*>(enif_alloc_resource(tty_type(env), sizeof(Tty)));
  *tty = {.vm = &env->vm,
          .in = STDIN_FILENO,
          .out = out,
          .signals = {-1, -1},
          .ours = false,
          .wanted = {},
          .monitored = false,
          .monitor = {}};
  const Term made = enif_make_resource(env, tty);
  enif_release_resource(tty);
  return ok(env, made);
}
NIF(tty_create) { return made_tty(env, STDOUT_FILENO); }
NIF(tty_create_on) {
  if (a[0] != am::stdout_ && a[0] != am::stderr_) return enif_make_badarg(env);
  return made_tty(env, standard(a[0]));
}

void without(tcflag_t& flags, tcflag_t bits) { flags &= ~bits; }

/// Of characters as they are typed, or of whole lines.
void lines(termios& mode, bool on) {
  if (on) {
    mode.c_iflag |= ICRNL, mode.c_lflag |= ICANON, mode.c_oflag |= OPOST;
  } else {
    without(mode.c_iflag, ICRNL), without(mode.c_lflag, ICANON), without(mode.c_oflag, OPOST);
    mode.c_cc[VMIN] = 1, mode.c_cc[VTIME] = 0;
  }
}
void echo(termios& mode, bool on) {
  if (on)
    mode.c_lflag |= ECHO;
  else
    without(mode.c_lflag, ECHO);
}

/// Until 27: what tty_set/1 sets.
NIF(tty_init_later) {
  Tty* tty = tty_of(env, a[0]);
  if (!tty || !enif_is_map(env, a[2])) return enif_make_badarg(env);
  if (a[1] != am::stdout_ && a[1] != am::stderr_) return enif_make_badarg(env);
  termios mode;
  if (tcgetattr(tty->in, &mode) != 0) return failed(env, "tcgetattr", errno);
  without(mode.c_iflag, ISTRIP);
  if (Term t = option(env, a[2], "canon"); is_value(t)) lines(mode, t == am::true_);
  if (Term t = option(env, a[2], "echo"); is_value(t)) echo(mode, t == am::true_);
  if (Term t = option(env, a[2], "sig"); is_value(t)) {
    if (t == am::true_)
      mode.c_lflag |= ISIG;
    else
      without(mode.c_lflag, ISIG);
  }
  tty->wanted = mode, tty->ours = true;
  return am::ok;
}
NIF(tty_set) {
  Tty* tty = tty_of(env, a[0]);
  if (!tty) return enif_make_badarg(env);
  if (tty->ours) tty->vm->ports->terminal_mode.set(tty->in, tty->wanted);
  return am::ok;
}

/// Since 28: at once.
NIF(tty_init_now) {
  Tty* tty = tty_of(env, a[0]);
  if (!tty || !enif_is_map(env, a[1])) return enif_make_badarg(env);
  const Term input = option(env, a[1], "input"), output = option(env, a[1], "output");
  if (is_fault(input) || is_fault(output)) return enif_make_badarg(env);
  TerminalMode& mode = tty->vm->ports->terminal_mode;
  termios raw;
  const bool is_terminal = tcgetattr(tty->in, &raw) == 0;
  if (input != atom(env, "raw")) {
    const bool no_break_key = is_terminal && raw.c_cc[VINTR] == _POSIX_VDISABLE;  // +Bc
    mode.restore();
    if (no_break_key && tcgetattr(tty->in, &raw) == 0) {
      raw.c_cc[VINTR] = _POSIX_VDISABLE;
      mode.set(tty->in, raw);
    }
    return am::ok;
  }
  if (!is_terminal) return error(env, atom(env, "enotsup"));
  without(raw.c_iflag, ISTRIP);
  lines(raw, false), echo(raw, false);
  mode.set(tty->in, raw);
  return am::ok;
}

NIF(tty_is_open) {
  Tty* tty = tty_of(env, a[0]);
  const int fd = standard(a[1]);
  if (!tty || fd < 0) return enif_make_badarg(env);
  pollfd p = {fd, 0, 0};
  const bool open = poll(&p, 1, 0) >= 0 && !(p.revents & (POLLHUP | POLLERR | POLLNVAL));
  return open ? am::true_ : am::false_;
}

NIF(tty_window_size) {
  Tty* tty = tty_of(env, a[0]);
  if (!tty) return enif_make_badarg(env);
  winsize size;
  const bool known = ioctl(tty->out, TIOCGWINSZ, &size) == 0;
  // Nobody may have told it its size (below run_erl, say).
  if (!known || size.ws_col == 0) return error(env, atom(env, "enotsup"));
  return ok(env, enif_make_tuple2(env, make_small(size.ws_col), make_small(size.ws_row)));
}

NIF(tty_setlocale) {
  setlocale(LC_CTYPE, "");  // numbers are still written as C writes them
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? am::true_ : am::false_;
}
NIF(tty_encoding) { return am::utf8; }

// --- reading and writing -------------------------------------------------------------------------
void select_read(ErlNifEnv* env, Tty* tty, int fd, Term ref) {
  enif_select(env, fd, ERL_NIF_SELECT_READ, tty, nullptr, ref);
}

/// The process that reads has ended: nobody wants standard input.
void reader_down(ErlNifEnv* env, void* object, ErlNifPid*, ErlNifMonitor*) {
  auto* tty = static_cast<Tty*>(object);
  tty->monitored = false;
  enif_select(env, tty->in, ERL_NIF_SELECT_STOP, tty, nullptr, am::undefined);
  if (tty->signals[0] < 0) return;
  if (OsSignals* signals = tty->vm->os_signals) signals->tell_terminal(-1);
  enif_select(env, tty->signals[0], ERL_NIF_SELECT_STOP, tty, nullptr, am::undefined);
}
void stopped(ErlNifEnv*, void* object, ErlNifEvent fd, int) {
  auto* tty = static_cast<Tty*>(object);
  if (fd != tty->signals[0]) return;
  for (int& end : tty->signals) close(end), end = -1;
}

Term selected(ErlNifEnv* env, Tty* tty, Term ref) {
  ErlNifPid self;
  enif_self(env, &self);
  if (tty->monitored) enif_demonitor_process(env, tty, &tty->monitor);
  tty->monitored = enif_monitor_process(env, tty, &self, &tty->monitor) == 0;
  select_read(env, tty, tty->in, ref);
  return am::ok;
}
NIF(tty_select) {
  Tty* tty = tty_of(env, a[0]);
  if (!tty) return enif_make_badarg(env);
  return selected(env, tty, a[1]);
}
NIF(tty_select_with_signals) {
  Tty* tty = tty_of(env, a[0]);
  if (!tty) return enif_make_badarg(env);
  if (tty->signals[0] < 0 && pipe2(tty->signals, O_CLOEXEC | O_NONBLOCK) != 0)
    return failed(env, "pipe", errno);
  if (OsSignals* signals = tty->vm->os_signals) signals->tell_terminal(tty->signals[1]);
  select_read(env, tty, tty->signals[0], a[1]);
  return selected(env, tty, a[2]);
}

NIF(tty_read_signal) {
  Tty* tty = tty_of(env, a[0]);
  if (!tty) return enif_make_badarg(env);
  char said = 0;
  if (tty->signals[0] < 0 || read(tty->signals[0], &said, 1) < 1)
    return error(env, errno_name(env, EAGAIN));
  select_read(env, tty, tty->signals[0], a[1]);
  return ok(env, atom(env, said == 'c' ? "cont" : "winch"));
}

/// The break menu may have taken what was there.
bool has_input(int fd) {
  pollfd p = {fd, POLLIN, 0};
  return poll(&p, 1, 0) != 0;
}
Term read_input(ErlNifEnv* env, Term t, Term ref, unsigned most) {
  Tty* tty = tty_of(env, t);
  if (!tty) return enif_make_badarg(env);
  tty->vm->ports->await_standard_input();
  std::string bytes(most, '\0');
  ssize_t n = -1;
  errno = EAGAIN;
  if (has_input(tty->in)) n = read(tty->in, bytes.data(), bytes.size());
  const bool again = n < 0 && (errno == EAGAIN || errno == EINTR);
  if (n <= 0 && !again) return error(env, am::closed);
  select_read(env, tty, tty->in, ref);
  return ok(env, text(env, {bytes.data(), again ? 0 : static_cast<size_t>(n)}));
}
NIF(read_nif) { return read_input(env, a[0], a[1], kReadAtOnce); }
NIF(read_some_nif) {
  unsigned most;
  if (!enif_get_uint(env, a[2], &most)) return enif_make_badarg(env);
  return read_input(env, a[0], a[1], most && most < kReadAtOnce ? most : kReadAtOnce);
}

NIF(write_nif) {
  Tty* tty = tty_of(env, a[0]);
  ErlNifIOVec local, *v = &local;
  ERL_NIF_TERM rest;
  if (!tty || !enif_inspect_iovec(env, SIZE_MAX, a[1], &rest, &v)) return enif_make_badarg(env);
  std::vector<iovec> parts;
  for (int k = 0; k < v->iovcnt; ++k) parts.push_back({v->iov[k].iov_base, v->iov[k].iov_len});
  size_t at = 0;
  while (at < parts.size()) {
    const size_t count = std::min<size_t>(parts.size() - at, IOV_MAX);
    ssize_t n = writev(tty->out, parts.data() + at, static_cast<int>(count));
    if (n < 0 && errno == EAGAIN) {
      pollfd p = {tty->out, POLLOUT, 0};
      poll(&p, 1, -1);
    } else if (n < 0 && errno != EINTR) {
      return failed(env, "writev", errno);
    }
    for (; n >= 0 && at < parts.size(); ++at) {
      iovec& part = parts[at];
      if (static_cast<size_t>(n) < part.iov_len) {
        part.iov_base = static_cast<char*>(part.iov_base) + n, part.iov_len -= n;
        break;
      }
      n -= static_cast<ssize_t>(part.iov_len);
    }
  }
  return am::ok;
}

// --- characters ----------------------------------------------------------------------------------
NIF(is_printable) {
  int c;
  if (!enif_get_int(env, a[0], &c)) return enif_make_badarg(env);
  return c >= 0 && c <= UCHAR_MAX && isprint(c) ? am::true_ : am::false_;
}
Term width(ErlNifEnv* env, int columns) {
  return columns >= 0 ? make_small(columns) : error(env, atom(env, "not_printable"));
}
NIF(width_of_char) {
  int c;
  if (!enif_get_int(env, a[0], &c)) return enif_make_badarg(env);
  return width(env, wcwidth(c));
}
NIF(width_of_text) {
  ErlNifBinary bytes;
  if (!enif_inspect_iolist_as_binary(env, a[0], &bytes)) return enif_make_badarg(env);
  std::vector<wchar_t> chars(bytes.size / sizeof(wchar_t));
  memcpy(chars.data(), bytes.data, chars.size() * sizeof(wchar_t));
  const Term columns = width(env, wcswidth(chars.data(), chars.size()));
  return is_small(columns) ? ok(env, columns) : columns;
}
NIF(size_of_char) { return make_small(sizeof(wchar_t)); }

// --- the database --------------------------------------------------------------------------------
Term no_database(ErlNifEnv* env) { return error(env, atom(env, "enotsup")); }

/// `db` and, of the first argument, `name`.
#define WB_CAPABILITY                                           \
  std::string name;                                             \
  if (!name_of(env, a[0], &name)) return enif_make_badarg(env); \
  Terminfo* db = Terminfo::get();                               \
  if (!db) return no_database(env);

NIF(tgetent) {
  WB_CAPABILITY
  return db->load_termcap(name.c_str()) ? am::ok : failed(env, "tgetent", errno);
}
NIF(setup) {
  Terminfo* db = Terminfo::get();
  if (!db) return no_database(env);
  return db->setup() ? am::ok : failed(env, "setupterm", errno);
}
NIF(number) {
  WB_CAPABILITY
  return make_small(db->number(name.c_str()));
}
NIF(flag) {
  WB_CAPABILITY
  return db->flag(name.c_str()) ? am::true_ : am::false_;
}
NIF(termcap_text) {
  WB_CAPABILITY
  const auto found = db->termcap_text(name.c_str());
  return found ? ok(env, text(env, *found)) : am::false_;
}
NIF(terminfo_text) {
  WB_CAPABILITY
  std::string found;
  switch (db->text(name.c_str(), &found)) {
    case Terminfo::Found::yes:
      return ok(env, text(env, found));
    case Terminfo::Found::absent:
      return am::false_;
    case Terminfo::Found::unknown:
      break;
  }
  return enif_make_badarg(env);
}
NIF(go_to) {
  WB_CAPABILITY
  int at[2] = {0, 0};
  for (int k = 1; k < argc; ++k) {
    if (!enif_get_int(env, a[k], &at[k - 1])) return enif_make_badarg(env);
  }
  return ok(env, text(env, db->go_to(name.c_str(), at[0], at[1])));
}
NIF(fill) {
  WB_CAPABILITY
  std::vector<long> parameters;
  ERL_NIF_TERM head, tail = a[1];
  while (enif_get_list_cell(env, tail, &head, &tail)) {
    long value;
    if (!enif_get_long(env, head, &value)) return enif_make_badarg(env);
    if (parameters.size() == Terminfo::kParameters) return enif_make_badarg(env);
    parameters.push_back(value);
  }
  if (!enif_is_empty_list(env, tail)) return enif_make_badarg(env);
  return ok(env, text(env, db->fill(name.c_str(), parameters)));
}

Term all_names(ErlNifEnv* env, const Terminfo& db, Terminfo::Sort sort) {
  Term list = kNil;
  for (const Terminfo::Name& n : db.names(sort)) {
    ERL_NIF_TERM one = enif_make_new_map(env);
    enif_make_map_put(env, one, atom(env, "code"), enif_make_string(env, n.code, ERL_NIF_LATIN1),
                      &one);
    enif_make_map_put(env, one, atom(env, "name"), enif_make_string(env, n.name, ERL_NIF_LATIN1),
                      &one);
    enif_make_map_put(env, one, atom(env, "full_name"),
                      enif_make_string(env, n.full, ERL_NIF_LATIN1), &one);
    list = enif_make_list_cell(env, one, list);
  }
  return list;
}
NIF(database_names) {
  Terminfo* db = Terminfo::get();
  if (!db) return no_database(env);
  ERL_NIF_TERM all = enif_make_new_map(env);
  enif_make_map_put(env, all, atom(env, "bool"), all_names(env, *db, Terminfo::Sort::flag), &all);
  enif_make_map_put(env, all, atom(env, "num"), all_names(env, *db, Terminfo::Sort::number), &all);
  enif_make_map_put(env, all, atom(env, "str"), all_names(env, *db, Terminfo::Sort::text), &all);
  return ok(env, all);
}

// --- the library ---------------------------------------------------------------------------------
int open_types(ErlNifEnv* env, void** data) {
  const ErlNifResourceTypeInit callbacks = {
      .dtor = nullptr, .stop = stopped, .down = reader_down, .members = 3, .dyncall = nullptr};
  constexpr auto kHow = static_cast<ErlNifResourceFlags>(ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER);
  *data = enif_open_resource_type_x(env, "tty", &callbacks, kHow, nullptr);
  return *data ? 0 : 1;
}
int load(ErlNifEnv* env, void** data, ERL_NIF_TERM) { return open_types(env, data); }
int upgrade(ErlNifEnv* env, void** data, void**, ERL_NIF_TERM) { return open_types(env, data); }

constexpr unsigned kDirty = ERL_NIF_DIRTY_JOB_IO_BOUND;
ErlNifFunc functions[] = {
    {"isatty", 1, is_a_tty, 0},
    {"tty_create", 0, tty_create, 0},
    {"tty_create", 1, tty_create_on, 0},
    {"tty_init", 3, tty_init_later, 0},
    {"tty_init", 2, tty_init_now, kDirty},
    {"tty_set", 1, tty_set, kDirty},
    {"tty_is_open", 2, tty_is_open, 0},
    {"setlocale", 1, tty_setlocale, 0},
    {"tty_select", 3, tty_select_with_signals, 0},
    {"tty_select", 2, tty_select, 0},
    {"tty_window_size", 1, tty_window_size, 0},
    {"tty_encoding", 1, tty_encoding, 0},
    {"write_nif", 2, write_nif, kDirty},
    {"read_nif", 2, read_nif, kDirty},
    {"read_nif", 3, read_some_nif, kDirty},
    {"isprint", 1, is_printable, 0},
    {"wcwidth", 1, width_of_char, 0},
    {"wcswidth", 1, width_of_text, 0},
    {"sizeof_wchar", 0, size_of_char, 0},
    {"tgetent_nif", 1, tgetent, kDirty},
    {"setupterm_nif", 0, setup, kDirty},
    {"tgetnum_nif", 1, number, 0},
    {"tigetnum_nif", 1, number, 0},
    {"tgetflag_nif", 1, flag, 0},
    {"tigetflag_nif", 1, flag, 0},
    {"tgetstr_nif", 1, termcap_text, 0},
    {"tigetstr_nif", 1, terminfo_text, 0},
    {"tgoto_nif", 1, go_to, 0},
    {"tgoto_nif", 2, go_to, 0},
    {"tgoto_nif", 3, go_to, 0},
    {"tputs_nif", 2, fill, 0},
    {"tinfo_nif", 0, database_names, 0},
    {"tty_read_signal", 2, tty_read_signal, 0},
};

}  // namespace

const ErlNifEntry* prim_tty_library() {
  static const ErlNifEntry entry = {
      .major = ERL_NIF_MAJOR_VERSION,
      .minor = ERL_NIF_MINOR_VERSION,
      .name = "prim_tty",
      .num_of_funcs = static_cast<int>(std::size(functions)),
      .funcs = functions,
      .load = load,
      .reload = nullptr,
      .upgrade = upgrade,
      .unload = nullptr,
      .vm_variant = ERL_NIF_VM_VARIANT,
      .options = 1,
      .sizeof_ErlNifResourceTypeInit = sizeof(ErlNifResourceTypeInit),
      .min_erts = ERL_NIF_MIN_ERTS_VERSION,
  };
  return &entry;
}

BIF(prim_tty, isatty, 1)
{
  const Term answer = whether_terminal(a[0]);
  return is_fault(answer) ? kBadarg : answer;
}

}  // namespace wb
