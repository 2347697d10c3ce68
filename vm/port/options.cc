#include "vm/port/options.h"

#include <algorithm>
#include <string_view>

#include "term/atom.h"
#include "term/binary.h"
#include "term/number.h"
#include "vm/io/file_names.h"

namespace wb {
namespace {

constexpr uint64_t kNoLimit = ~uint64_t{0};
constexpr uint64_t kUsualLine = 512;  ///< of option `line`
constexpr std::string_view kRamFileDriver = "ram_file_drv";
constexpr std::string_view kTraceFileDriver = "trace_file_drv";
constexpr std::string_view kTerminalDriver = "tty_sl";

/// A command or file: characters, an atom or bytes, without zeros.
bool text_of(Term t, std::string* out) {
  if (is_atom(t)) {
    *out = atom_text(t);
  } else if (is_binary(t)) {
    ByteView v(t);
    out->assign(reinterpret_cast<const char*>(v.data()), v.size());
  } else if (!is_list(t) || !name_bytes(t, out)) {
    return false;
  }
  return out->find('\0') == std::string::npos;
}

bool read_arguments(Term list, std::vector<std::string>* out) {
  for (; is_cons(list); list = tail(list)) {
    std::string text;
    if (!text_of(head(list), &text)) return false;
    out->push_back(std::move(text));
  }
  return is_nil(list);
}

bool read_environment(Term list, PortOptions* o) {
  o->environment.clear();
  for (; is_cons(list); list = tail(list)) {
    if (!is_tuple_of(head(list), 2)) return false;
    const Term* e = tuple_elements(head(list));
    std::string name, value;
    if (!is_list(e[0]) || !name_bytes(e[0], &name)) return false;
    if (name.find('=') != std::string::npos) return false;
    if (e[1] == am::false_) {
      o->environment.emplace_back(std::move(name), std::nullopt);
    } else if (is_list(e[1]) && name_bytes(e[1], &value)) {
      o->environment.emplace_back(std::move(name), std::move(value));
    } else {
      return false;
    }
  }
  return is_nil(list);
}

/// {Low, High} or `disabled`.
bool read_limits(Term t, size_t* low, size_t* high) {
  *low = *high = kNoLimit;
  if (t == am::disabled) return true;
  if (!is_tuple_of(t, 2)) return false;
  uint64_t l, h;
  if (!to_uint64(tuple_elements(t)[0], &l) || !to_uint64(tuple_elements(t)[1], &h)) return false;
  *low = std::min(l, h), *high = h;
  return true;
}

bool read_flag(Term option, PortOptions* o) {
  switch (option) {
    case am::stream:
      o->framing = {};
      return true;
    case am::line:
      o->framing = {Framing::Mode::line, kUsualLine};
      return true;
    case am::use_stdio:
      o->use_stdio = true;
      return true;
    case am::nouse_stdio:
      o->use_stdio = false;
      return true;
    case am::stderr_to_stdout:
      o->stderr_to_stdout = true;
      return true;
    case am::exit_status:
      o->exit_status = true;
      return true;
    case am::eof:
      o->eof = true;
      return true;
    case am::in:
      o->in = true;
      return true;
    case am::out:
      o->out = true;
      return true;
    case am::binary:
      o->binary = true;
      return true;
    case am::hide:
    case am::overlapped_io:  // of another operating system
      return true;
    default:
      return false;
  }
}

bool read_pair(Term key, Term value, PortOptions* o) {
  switch (key) {
    case am::packet:
      if (value != make_small(1) && value != make_small(2) && value != make_small(4)) return false;
      o->framing = {Framing::Mode::packet, static_cast<uint64_t>(small_value(value))};
      return true;
    case am::line:
      if (!is_small(value) || small_value(value) <= 0) return false;
      o->framing = {Framing::Mode::line, static_cast<uint64_t>(small_value(value))};
      return true;
    case am::env:
      return read_environment(value, o);
    case am::args:
      return read_arguments(value, &o->args.emplace());
    case am::arg0:
      return text_of(value, &o->arg0.emplace());
    case am::cd:
      o->directory.clear();
      o->bad_directory = !text_of(value, &o->directory);
      return true;
    case am::parallelism:
      o->parallelism = value == am::true_;
      return value == am::true_ || value == am::false_;
    case am::busy_limits_port:
      return read_limits(value, &o->busy_low, &o->busy_high);
    case am::busy_limits_msgq:
      return read_limits(value, &o->front_low, &o->front_high);
    default:
      return false;
  }
}

bool read_settings(Term list, PortOptions* o) {
  for (; is_cons(list); list = tail(list)) {
    Term option = head(list);
    bool known = is_tuple_of(option, 2)
                     ? read_pair(tuple_elements(option)[0], tuple_elements(option)[1], o)
                     : read_flag(option, o);
    if (!known) return false;
  }
  if (!o->in && !o->out) o->in = o->out = true;
  return is_nil(list);
}

Term read_name(Term name, PortOptions* o) {
  Term what = am::spawn, of = name;
  if (is_tuple_of(name, 2)) {
    what = tuple_elements(name)[0], of = tuple_elements(name)[1];
  } else if (is_tuple_of(name, 3) && tuple_elements(name)[0] == am::fd) {
    const Term* e = tuple_elements(name);
    int64_t in, out;
    if (!to_int64(e[1], &in) || !to_int64(e[2], &out)) return am::badarg;
    if (in < 0 || out < 0 || in > INT32_MAX || out > INT32_MAX) return am::einval;
    o->kind = PortOptions::Kind::descriptors;
    o->fd_in = static_cast<int>(in), o->fd_out = static_cast<int>(out);
    return am::ok;
  } else if ((is_atom(name) || is_list(name)) && otp_release() < 27) {
    o->kind = PortOptions::Kind::file;
    return text_of(name, &o->command) && !o->command.empty() ? am::ok : am::badarg;
  } else {
    return am::badarg;
  }
  bool driver = what == am::spawn_driver;
  if (what != am::spawn && what != am::spawn_executable && !driver) return am::badarg;
  if (what == am::spawn_executable) o->kind = PortOptions::Kind::executable;
  if (!text_of(of, &o->command) || o->command.empty()) return am::badarg;
  if (what == am::spawn_executable) return am::ok;
  if (o->command.substr(0, o->command.find(' ')) == kRamFileDriver) {
    o->kind = PortOptions::Kind::ram_file;
    o->framing = {};
    return am::ok;
  }
  if (o->command.substr(0, o->command.find(' ')) == kTraceFileDriver) {
    o->kind = PortOptions::Kind::trace_file;
    return am::ok;
  }
  if (o->command.substr(0, o->command.find(' ')) == kTerminalDriver) {
    o->kind = PortOptions::Kind::terminal;
    o->framing = {};
    return am::ok;
  }
  if (!driver) return am::ok;
  if (o->command == "tcp_inet") o->kind = PortOptions::Kind::tcp;
  if (o->command == "udp_inet") o->kind = PortOptions::Kind::udp;
  if (!o->is_driver()) o->kind = PortOptions::Kind::linked;
  return am::ok;
}

}  // namespace

Term parse_port_options(Term name, Term settings, PortOptions* o) {
  if (!read_settings(settings, o)) return am::badopt;
  if (Term named = read_name(name, o); named != am::ok) return named;
  if (o->bad_directory) return am::badarg;
  bool for_executable = o->args || o->arg0;
  return for_executable && o->kind != PortOptions::Kind::executable ? am::badarg : am::ok;
}

}  // namespace wb
