// Runs a program of event-based actors: `start` is the behaviour of one that stands for Erlang's
// main process; the number that it sends to the actor it is given is the result.
#pragma once

#include <caf/all.hpp>
#include <string>
#include <thread>

#include "tests/bench/native/bench.h"

namespace actors {

using caf::actor;
using caf::behavior;
using caf::event_based_actor;
using go_atom = caf::atom_constant<caf::atom("go")>;
using done_atom = caf::atom_constant<caf::atom("done")>;

using Start = behavior (*)(event_based_actor* self, const actor& result);

/// `text` makes of the number what Erlang's program returns.
inline int main(
    char** argv, Start start, bench::Unit unit,
    const std::function<std::string(long)>& text = [](long n) { return bench::text(n); }) {
  caf::actor_system_config config;
  config.set("scheduler.max-threads", std::thread::hardware_concurrency());
  caf::actor_system system(config);
  return bench::main(
      argv,
      [&] {
        caf::scoped_actor waiting(system);
        // Held, for an actor that nobody refers to ends.
        actor running = system.spawn(
            [&waiting, start](event_based_actor* self) { return start(self, actor(waiting)); });
        long result = 0;
        waiting->receive([&](long n) { result = n; });
        return text(result);
      },
      unit);
}

inline std::string done(long) { return "done"; }

}  // namespace actors
