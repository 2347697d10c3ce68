// erl_ddll: what programs say is read here, and done by Drivers.
#include "term/lists.h"
#include "term/number.h"
#include "term/utf8.h"
#include "vm/core/vm.h"
#include "vm/driver/drivers.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/process/native.h"
#include "vm/process/signal.h"

namespace wb {
namespace {

bool is_text(Term t, std::string_view text) { return is_atom(t) && atom_text(t) == text; }

/// An atom or an iolist.
bool read_name(Term t, std::string* name) {
  if (is_atom(t)) return name->assign(atom_text(t)), true;
  return (is_list(t) || is_binary(t)) && iolist_to_bytes(t, name) &&
         name->find('\0') == std::string::npos;
}
bool read_path(Term t, std::string* path) {
  if (is_atom(t)) return path->assign(atom_text(t)), true;
  return is_list(t) && name_bytes(t, path) && path->find('\0') == std::string::npos;
}

bool read_pending(Term t, Drivers::Pending* to) {
  *to = is_text(t, "pending")          ? Drivers::Pending::any
        : is_text(t, "pending_driver") ? Drivers::Pending::driver
                                       : Drivers::Pending::none;
  return *to != Drivers::Pending::none;
}
bool read_driver_options(Term list, Drivers::Request* r) {
  for (; is_cons(list); list = tail(list)) {
    if (!is_text(head(list), "kill_ports")) return false;
    r->kill_ports = true;
  }
  return is_nil(list);
}
bool read_option(Term option, bool loads, Drivers::Request* r) {
  if (!loads && is_text(option, "kill_ports")) return r->kill_ports = true;
  if (!is_tuple_of(option, 2)) return false;
  const Term* e = tuple_elements(option);
  if (e[0] == am::monitor) return read_pending(e[1], &r->monitor);
  if (!loads) return false;
  if (is_text(e[0], "reload")) return read_pending(e[1], &r->reload);
  return is_text(e[0], "driver_options") && read_driver_options(e[1], r);
}
bool read_options(Term list, bool loads, Drivers::Request* r) {
  for (; is_cons(list); list = tail(list)) {
    if (!read_option(head(list), loads, r)) return false;
  }
  return is_nil(list);
}

struct ErrorText {
  std::string_view name, text;
};
constexpr ErrorText kErrors[] = {
    {"linked_in_driver", "Driver is statically linked and cannot be loaded/unloaded"},
    {"inconsistent",
     "Driver name and/or driver options are inconsistent with currently loaded driver"},
    {"permanent", "DDLL driver is permanent an cannot be unloaded/loaded"},
    {"not_loaded_by_this_process", "DDLL driver was not loaded by this process"},
    {"not_loaded", "DDLL driver is not loaded"},
    {"pending_reload", "Driver reloading is already pending"},
    {"pending_process",
     "Driver is loaded by others when attempting option {reload, pending_driver}"},
    {"bad_driver_name", "Bad driver name"},
    {"no_driver_init", "No driver init in dynamic library"},
    {"driver_init_failed", "Driver init failed"},
    {"driver_incorrect_version", "Driver compiled with incorrect version of erl_driver.h"}};

}  // namespace

BIF(erl_ddll, try_load, 3)
{
  Drivers::Request r;
  if (!read_path(a[0], &r.path) || !read_name(a[1], &r.name)) return kBadarg;
  if (!read_options(a[2], true, &r)) return kBadarg;
  p.charge(1000);
  if (p.vm().oracle->recording()) return tuple(p.heap, am::error, am::notsup);
  return drivers_of(p.vm()).load(p, r);
}
BIF(erl_ddll, try_unload, 2)
{
  Drivers::Request r;
  if (!read_name(a[0], &r.name) || !read_options(a[1], false, &r)) return kBadarg;
  return drivers_of(p.vm()).unload(p, r);
}
BIF(erl_ddll, loaded_drivers, 0)
{
  ListBuilder names(p.heap);
  for (const std::string& n : drivers_of(p.vm()).names()) names.add(list_of_text(p.heap, n));
  return tuple(p.heap, am::ok, names.finish());
}
BIF(erl_ddll, info, 2)
{
  std::string name;
  if (!read_name(a[0], &name) || !is_atom(a[1])) return kBadarg;
  const Term value = drivers_of(p.vm()).info(p.heap, name, atom_text(a[1]));
  return is_value(value) ? value : kBadarg;
}
BIF(erl_ddll, format_error_int, 1)
{
  int64_t code;
  if (is_tuple_of(a[0], 2) && is_text(tuple_elements(a[0])[0], "open_error") &&
      to_int64(tuple_elements(a[0])[1], &code)) {
    return list_of_text(p.heap, drivers_of(p.vm()).open_error(code));
  }
  for (const ErrorText& e : kErrors) {
    if (is_text(a[0], e.name)) return list_of_text(p.heap, e.text);
  }
  return kBadarg;
}
BIF(erl_ddll, monitor, 2)
{
  std::string name;
  if (!is_text(a[0], "driver") || !is_tuple_of(a[1], 2)) return kBadarg;
  const Term* item = tuple_elements(a[1]);
  if (!read_name(item[0], &name)) return kBadarg;
  using When = Drivers::When;
  When when = When::loaded;
  if (is_text(item[1], "unloaded")) {
    when = When::unloaded;
  } else if (is_text(item[1], "unloaded_only")) {
    when = When::unloaded_only;
  } else if (!is_text(item[1], "loaded")) {
    return kBadarg;
  }
  return drivers_of(p.vm()).monitor(p, name, item[0], when);
}
BIF(erl_ddll, demonitor, 1)
{
  if (!is_local_ref(a[0])) return kBadarg;
  drivers_of(p.vm()).demonitor(ref_number(a[0]));
  return am::true_;
}

}  // namespace wb
