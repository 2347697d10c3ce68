// nodes: the connections to other nodes, what went over them, and what hangs on them.
#include <algorithm>

#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/port/ports.h"

namespace wb {

static const char* state_text(Connection::State state) {
  switch (state) {
    case Connection::State::pending:
      return "pending";
    case Connection::State::up:
      return "up";
    case Connection::State::down:
      return "down";
  }
}

static void write_node(JsonWriter& w, Connection& c) {
  const bool up = c.is_up();
  w.open('{').text("name", atom_text(c.node)).text("state", state_text(c.state()));
  w.boolean("hidden", up && !c.is_visible());
  w.text("controller", up ? to_text(c.controller()) : "");
  w.number("creation", up ? c.creation() : 0);
  const Connection::Statistics s = c.statistics();
  w.number("packets_in", s.packets_in).number("packets_out", s.packets_out);
  w.number("bytes_in", s.bytes_in).number("bytes_out", s.bytes_out);
  w.number("queued_packets", s.waiting_packets).number("queued_bytes", s.waiting_bytes);
  w.number("large_out", s.sequences);
  w.boolean("busy", s.busy).number("senders_waiting", s.senders_waiting);
  w.number("links", s.links).number("monitors", s.monitors).number("monitored_by", s.watched);
  w.close('}');
}

/// {"limit": 200}
std::string answer_nodes(RequestContext& a) {
  std::vector<std::shared_ptr<Connection>> all = a.vm.ports->distribution->all();
  std::sort(all.begin(), all.end(),
            [](const auto& x, const auto& y) { return atom_text(x->node) < atom_text(y->node); });
  const auto limit = static_cast<size_t>(a.request.number("limit", 200, 1, 5000));
  JsonWriter& w = a.out;
  w.text("own", Distribution::is_alive() ? atom_text(local_node().name) : "nonode@nohost");
  w.number("total", all.size()).array("rows");
  for (size_t k = 0; k < all.size() && k < limit; ++k) write_node(w, *all[k]);
  w.close(']');
  return {};
}

}  // namespace wb
