// What open_port/2 is asked for.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "term/term.h"
#include "vm/port/framing.h"

namespace wb {

struct PortOptions {
  enum class Kind : uint8_t {
    command,
    executable,
    descriptors,
    file,
    ram_file,
    trace_file,
    tcp,
    udp,
    terminal,
    linked  ///< a driver in a library
  };
  Kind kind = Kind::command;
  bool is_driver() const {
    return kind == Kind::tcp || kind == Kind::udp || kind == Kind::trace_file ||
           kind == Kind::terminal || kind == Kind::linked;
  }
  std::string command;  ///< for the shell, or the file to execute or open
  int fd_in = -1, fd_out = -1;

  Framing framing;
  bool in = false, out = false;  ///< in the end: which directions there are
  bool binary = false, eof = false, exit_status = false;
  bool use_stdio = true, stderr_to_stdout = false, parallelism = false;
  size_t busy_low = 4096, busy_high = 8192;    ///< bytes that wait to be written
  size_t front_low = 4096, front_high = 8192;  ///< that wait for a linked-in driver (front.h)

  std::optional<std::vector<std::string>> args;
  std::optional<std::string> arg0;
  std::string directory;
  bool bad_directory = false;  ///< {cd, 1} is a badarg, not a badopt
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  ///< changes
};

/// am::ok, or why not: am::badarg, am::badopt, am::einval.
Term parse_port_options(Term name, Term settings, PortOptions* out);

}  // namespace wb
