#include "vm/port/port_report.h"

#include <fmt/format.h>

#include "gc/fragment.h"
#include "term/atom.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/port/ports.h"

namespace wb {
namespace {

/// In the words that crashdump_viewer knows.
const char* what_it_controls(const Port& port) {
  if (port.is_own()) return "controls forker process";
  switch (port.options().kind) {
    case PortOptions::Kind::command:
    case PortOptions::Kind::executable:
      return "controls external process";
    case PortOptions::Kind::descriptors:
      return "is UNIX fd not opened by emulator";
    case PortOptions::Kind::file:
    case PortOptions::Kind::ram_file:
      return "is a file";
    case PortOptions::Kind::trace_file:
    case PortOptions::Kind::tcp:
    case PortOptions::Kind::udp:
    case PortOptions::Kind::terminal:
    case PortOptions::Kind::linked:
      return "controls linked-in driver";
  }
}

}  // namespace

std::string port_report(Vm& vm) {
  std::string report;
  FragmentHeap h(64);
  for (Term id : vm.ports->all()) {
    std::shared_ptr<Port> port = vm.ports->find(id);
    if (!port) continue;
    const PortOptions& o = port->options();
    report += fmt::format("=port:{}\nState: CONNECTED{}{}\nSlot: {}\nConnected: {}\n", to_text(id),
                          o.binary ? "|BINARY_IO" : "", o.eof ? "|SOFT_EOF" : "",
                          to_text(port->info(h, am::id)), to_text(port->info(h, am::connected)));
    std::string links;
    for (Term l = port->info(h, am::links); is_cons(l); l = tail(l)) {
      links += (links.empty() ? "" : ", ") + to_text(head(l));
    }
    if (!links.empty()) report += "Links: " + links + "\n";
    report +=
        fmt::format("Port {}: {}\nInput: {}\nOutput: {}\nQueue: {}\n", what_it_controls(*port),
                    port->name(), to_text(port->info(h, am::input)),
                    to_text(port->info(h, am::output)), to_text(port->info(h, am::queue_size)));
  }
  return report;
}

}  // namespace wb
