// A server in C++ whose logic is Erlang, and is upgraded while it runs.
//
//   words_server FILE [PORT]
//
// loads module `words` from FILE, listens, and answers each line of each connection by
// words:request(Line). SIGHUP loads the file again: open connections stay, and so do the counts.
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <whitebeam.hpp>

using namespace std::chrono_literals;

static std::string contents(const char* file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

/// One connection, on a thread of its own.
static void serve(whitebeam::Vm& vm, int connection) {
  whitebeam::Env env(vm);
  FILE* in = fdopen(dup(connection), "r");
  char line[4096];
  while (fgets(line, sizeof line, in)) {
    std::string reply;
    try {
      reply = env.call("words", "request", {env.make(line)}, 5s).bytes();
    } catch (const std::exception& e) {  // of this request only
      reply = e.what();
    }
    env.clear();
    reply += '\n';
    if (send(connection, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) break;
  }
  fclose(in);
  close(connection);
}

/// A descriptor that listens on this computer only.
static int listen_on(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (bind(fd, reinterpret_cast<sockaddr*>(&at), size) || listen(fd, 16)) {
    perror("words_server");
    exit(1);
  }
  getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
  printf("port %d\n", ntohs(at.sin_port));
  fflush(stdout);
  return fd;
}

int main(int argc, char** argv) try {
  if (argc < 2) {
    fprintf(stderr, "words_server FILE [PORT]\n");
    return 2;
  }
  // Before the machine has threads: one thread of ours takes the signal.
  sigset_t upgrades;
  sigemptyset(&upgrades);
  sigaddset(&upgrades, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &upgrades, nullptr);

  whitebeam::Vm vm;
  vm.load(contents(argv[1]));
  whitebeam::Env env(vm);
  env.call("words", "start");
  std::thread([&] {
    for (int signal; sigwait(&upgrades, &signal) == 0;) {
      try {
        printf("loaded %s\n", vm.load(contents(argv[1])).c_str());
      } catch (const std::exception& e) {  // the old version goes on
        printf("not loaded: %s\n", e.what());
      }
      fflush(stdout);
    }
  }).detach();

  const int fd = listen_on(static_cast<uint16_t>(argc > 2 ? atoi(argv[2]) : 0));
  for (int connection; (connection = accept(fd, nullptr, nullptr)) >= 0;) {
    std::thread(serve, std::ref(vm), connection).detach();
  }
} catch (const std::exception& e) {
  fprintf(stderr, "words_server: %s\n", e.what());
  return 1;
}
