#include "tools/observer/web_server.h"

#include <civetweb.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tools/observer/machine_list.h"
#include "tools/observer/open_metrics.h"
#include "tools/observer/web/page.h"
#include "tools/observer/web_access.h"
#include "tools/observer/web_relay.h"

namespace wb {
namespace {

/// The machine serves 16 connections, and each open page holds one of them and a thread of ours.
constexpr const char* kThreads = "20";

struct Server {
  const WebOptions& options;
  std::atomic<const WebAccess*> access = nullptr;  ///< set when the port is known
  std::atomic<bool> over = false;                  ///< we are to end
  std::string why;                                 ///< civetweb's complaint at the start
  MachineList list;
};

Server& server_of(const mg_connection* c) {
  return *static_cast<Server*>(mg_get_user_data(mg_get_context(c)));
}

std::string_view header(const mg_connection* c, const char* name) {
  const char* value = mg_get_header(c, name);
  return value ? value : "";
}

void respond(mg_connection* c, int status, const char* type, std::string_view body) {
  mg_printf(c,
            "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
            "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
            "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
            status, mg_get_response_code_text(c, status), type, body.size());
  mg_write(c, body.data(), body.size());
}

constexpr const char* kOpenMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A field of the address's query; empty: there is none, or it is too long.
std::string query_field(const mg_connection* c, const char* name) {
  const char* query = mg_get_request_info(c)->query_string;
  char value[64];
  const int length = query ? mg_get_var(query, strlen(query), name, value, sizeof value) : -1;
  return {value, static_cast<size_t>(std::max(length, 0))};
}

/// Which machine an address means: that of the command line, else by a pid and by nothing else, or
/// the only one. False: an address that is none.
bool machine_of(const mg_connection* c, const WebOptions& options, std::string* machine) {
  const std::string wanted = query_field(c, "machine");
  *machine = options.machine.empty() ? wanted : options.machine;
  return (wanted.empty() || options.machine.empty() || wanted == options.machine) &&
         wanted.size() < 10 &&
         std::ranges::all_of(wanted, [](char d) { return d >= '0' && d <= '9'; });
}

/// The machine is looked for each time: it may be another one by now.
void respond_with_metrics(mg_connection* c, const std::string& machine,
                          const std::atomic<bool>& over) {
  constexpr int kPatience = 10;  // seconds for each answer
  std::string error, text;
  const std::string socket = find_machine(machine, &error);
  ObserverClient client;
  client.late = [&over](int seconds) { return seconds < kPatience && !over; };
  if (!socket.empty()) error = client.connect(socket);
  if (error.empty()) {
    text = open_metrics_text(client);
    if (text.empty()) error = client.error();
  }
  if (error.empty()) return respond(c, 200, kOpenMetrics, text);
  respond(c, 503, "text/plain", error + "\n");
}

std::string refusal(int status) {
  return status == 401   ? "401: the token of this page's address is missing or wrong.\n"
         : status == 403 ? "403: not from elsewhere.\n"
                         : fmt::format("{}\n", status);
}

/// Every request comes by here first. 0: civetweb goes on with it, which is how a WebSocket begins.
int begin_request(mg_connection* c) {
  const mg_request_info& info = *mg_get_request_info(c);
  const std::string token = query_field(c, "token");
  std::string_view shown = token;
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = header(c, "Authorization");
  if (token.empty() && authorization.starts_with(kBearer))
    shown = authorization.substr(kBearer.size());
  WebAccess::Request request{info.request_method, header(c, "Host"), header(c, "Origin"), shown};
  const WebAccess* access = server_of(c).access;
  int status = access ? access->refuses(request) : 503;
  std::string_view path = info.local_uri ? info.local_uri : "";
  std::string machine;
  if (status == 0 && !machine_of(c, server_of(c).options, &machine)) status = 404;
  if (status == 0 && path == "/ws") return 0;
  if (status == 0 && path == "/metrics") {
    respond_with_metrics(c, machine, server_of(c).over);
    return 200;
  }
  if (status == 0 && path != "/") status = 404;
  if (status == 0) {
    respond(c, 200, "text/html; charset=utf-8", observer_page());
  } else {
    respond(c, status, "text/plain", refusal(status));
  }
  return status ? status : 200;
}

// --- the WebSocket: one thread a page, which asks the machine and waits
int ws_connect(const mg_connection*, void*) { return 0; }
void ws_ready(mg_connection* c, void* server) {
  auto& s = *static_cast<Server*>(server);
  std::string machine;
  machine_of(c, s.options, &machine);
  MachineList* const list = s.options.machine.empty() ? &s.list : nullptr;
  auto* relay = new WebRelay(std::move(machine), list, s.options.actions, s.over);
  mg_set_user_connection_data(c, relay);
}
int ws_data(mg_connection* c, int flags, char* data, size_t size, void*) {
  constexpr int kFinal = 0x80, kOpcode = 0x0f;
  int opcode = flags & kOpcode;
  if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG) return 1;
  auto* relay = static_cast<WebRelay*>(mg_get_user_connection_data(c));
  if (opcode != MG_WEBSOCKET_OPCODE_TEXT || !(flags & kFinal) || !relay) return 0;
  std::string answer = relay->reply_to({data, size});
  return mg_websocket_write(c, MG_WEBSOCKET_OPCODE_TEXT, answer.data(), answer.size()) > 0;
}
void ws_close(const mg_connection* c, void*) {
  delete static_cast<WebRelay*>(mg_get_user_connection_data(c));
}

int remember_complaint(const mg_connection* c, const char* message) {
  Server& server = server_of(c);
  if (!server.access) server.why = message;
  return 1;
}

std::string address(const WebOptions& options, int port, const std::string& token) {
  std::string url = fmt::format("http://127.0.0.1:{}/?token={}", port, token);
  if (options.interval != 1) url += fmt::format("&interval={}", options.interval);
  if (!options.filter.empty()) {
    std::string encoded(options.filter.size() * 3 + 1, '\0');
    mg_url_encode(options.filter.c_str(), encoded.data(), encoded.size());
    url += fmt::format("&filter={}", encoded.c_str());
  }
  return url;
}

}  // namespace

std::string serve_web(const WebOptions& options,
                      const std::function<void(const std::string&)>& say) {
  sigset_t ends;
  sigemptyset(&ends);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, s);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before there are threads, which inherit it
  signal(SIGPIPE, SIG_IGN);

  std::string token = options.token.empty() ? random_token() : options.token;
  if (token.empty()) return "the system has no randomness";
  std::string listen = fmt::format("127.0.0.1:{}", options.port);
  const char* settings[] = {"listening_ports",
                            listen.c_str(),
                            "num_threads",
                            kThreads,
                            "request_timeout_ms",
                            "10000",
                            "websocket_timeout_ms",
                            "30000",
                            "enable_websocket_ping_pong",
                            "yes",
                            "tcp_nodelay",
                            "1",
                            nullptr};
  Server server{.options = options, .why = {}, .list = {}};
  mg_callbacks callbacks = {};
  callbacks.begin_request = begin_request;
  callbacks.log_message = remember_complaint;
  mg_init_library(MG_FEATURES_WEBSOCKET);
  mg_context* context = mg_start(&callbacks, &server, settings);
  mg_server_port port = {};
  if (!context || mg_get_server_ports(context, 1, &port) != 1) {
    if (context) mg_stop(context);
    return fmt::format("port {}: {}", options.port, server.why.empty() ? "taken" : server.why);
  }
  mg_set_websocket_handler(context, "/ws", ws_connect, ws_ready, ws_data, ws_close, &server);
  WebAccess access(token, port.port);
  server.access = &access;
  say(address(options, port.port, token));
  int which;
  sigwait(&ends, &which);
  server.over = true;
  mg_stop(context);
  mg_exit_library();
  return {};
}

}  // namespace wb
