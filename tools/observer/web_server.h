// `whitebeam observe --web`: the page (web/) on loopback, and a WebSocket behind it for each page
// that is open. The only user of civetweb.
//
//   GET /?token=T     the page, one file; with &machine=PID of that one, else of all that run
//   GET /ws?token=T   WebSocket: requests and answers of docs/observer-protocol.md, one a message
//   GET /metrics      counters as OpenMetrics, asked anew each time; its token may also come as
//                     `Authorization: Bearer T`, which is how Prometheus brings it
#pragma once

#include <functional>
#include <string>

namespace wb {

struct WebOptions {
  std::string machine;  ///< pid or socket; nothing: pages say which, or it is the only one
  std::string filter;
  int port = 0;  ///< 0: any that is free
  bool actions = false;
  double interval = 1;  ///< seconds
  std::string token;    ///< empty: a random one
};

/// Serves until SIGINT or SIGTERM. `say` gets the page's address. Returns why it could not start.
std::string serve_web(const WebOptions& options,
                      const std::function<void(const std::string&)>& say);

}  // namespace wb
