// The whitebeam command.
#include <fcntl.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "base/allocator.h"
#include "base/cannot_start.h"
#include "scheduler/thread.h"
#include "tools/command_line.h"
#include "tools/start_bundle.h"
#include "vm/explore/fork_ready.h"

/// jemalloc reads this at its start: larger blocks stay in the thread's cache, so that heaps that
/// come and go cost no trip to the shared arenas. Blocks of up to 256 MB, a large message say, are
/// reused instead of being unmapped at once (page by page that costs more than all the copying),
/// and what nobody has wanted for a fifth of a second is given back (not after ten seconds, its
/// default: a program whose blocks grow would keep all sizes that there were). Processes come in
/// slabs of 256, not of 64: a million of them are spawned in four fifths of the time.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf =
    "lg_tcache_max:17,oversize_threshold:268435456,dirty_decay_ms:200,slab_sizes:448-448:28";
}

namespace {
struct Dispatch {
  int operator()(int exit_code) const { return exit_code; }
  int operator()(const wb::RunCommand& command) const { return wb::cmd_run(command); }
  int operator()(const wb::DisasmCommand& command) const { return wb::cmd_disasm(command); }
  int operator()(const wb::ObserveCommand& command) const { return wb::cmd_observe(command); }
  int operator()(const wb::DoctorCommand& command) const { return wb::cmd_doctor(command); }
  int operator()(const wb::InstallCommand& command) const { return wb::cmd_install(command); }
  int operator()(const wb::ImageCommand& command) const { return wb::cmd_image(command); }
  int operator()(const wb::BuildCommand& command) const { return wb::cmd_build(command); }
  int operator()(const wb::ExploreCommand& command) const { return wb::cmd_explore(command); }
  int operator()(const wb::ReplayCommand& command) const { return wb::cmd_replay(command); }
  int operator()(const wb::BindirCommand& command) const { return wb::cmd_bindir(command); }
};
}  // namespace

namespace {
struct Command {
  int argc;
  char** argv;
  int exit_code;

  int dispatch() {
    if (wb::is_started_as_emulator()) return wb::emulator_main(argc, argv);
    if (argc > 1 && std::string_view(argv[1]) == "erl") return wb::cmd_erl(argv + 1);
    return std::visit(Dispatch{}, wb::parse_command_line(argc, argv));
  }
  static void run(void* self) {
    auto& c = *static_cast<Command*>(self);
    c.exit_code = c.dispatch();
  }
};

/// A descriptor that is closed must not become one of ours, which would then be read and written as
/// standard input and output. What is opened in its place fails as the closed one would; in place
/// of the emulator's, which BEAM opens, too, it is empty and takes everything.
void hold_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    const int refused = fd == 0 ? O_WRONLY : O_RDONLY;
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", wb::is_started_as_emulator() ? O_RDWR : refused);
  }
}

bool has_small_stack() {
  rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < (2u << 20);
}

/// With a small `ulimit -s`, everything happens on a thread with a stack of our own size. What ends
/// the machine in order (vm/io/signals.h) must then not end it here first.
void run_on_a_thread(Command& command) {
  sigset_t set;
  sigemptyset(&set);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1}) sigaddset(&set, s);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  wb::Thread thread;
  if (!thread.start("wb-main", Command::run, &command)) {
    wb::cannot_start("no thread with a larger stack", errno);
  }
}
}  // namespace

int main(int argc, char** argv) {
  if (!wb::is_started_as_emulator()) {
    if (std::optional<int> failed = wb::start_bundle(argv)) return *failed;
  }
  hold_standard_descriptors();
  // What forks has no other threads.
  if (argc > 1 && std::string_view(argv[1]) == "explore")
    wb::restart_for_forks(argv);
  else
    wb::give_back_in_background();
  Command command{argc, argv, 0};
  if (has_small_stack())
    run_on_a_thread(command);
  else
    Command::run(&command);
  return command.exit_code;
}
