// Children that load and run mutants, and what became of them (README.md).
//
// The parent forks a child for a batch of mutants of one module. Before each the child writes its
// number into memory they share; when a child does not end well that number is the finding, and the
// next child goes on behind it. A child that says nothing for long is ended, and is a finding, too.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "base/out_of_memory.h"
#include "term/atom.h"
#include "tests/hostile/mutator/editable_module.h"
#include "tests/hostile/mutator/mutation.h"
#include "tests/hostile/mutator/victim.h"

using namespace wb;
using namespace wb::mutator;

namespace {

constexpr uint64_t kBatch = 1000;  ///< mutants of a child
constexpr double kSilence = 60;    ///< seconds of processor time of a child that says nothing
constexpr double kPatience = 600;  ///< the same by the clock: others may keep the machine busy
constexpr int kErrorBytes = 4000;  ///< kept of what a child said at its end

struct Options {
  double seconds = 1e9;
  uint64_t count = UINT64_MAX;  ///< mutants of all modules together
  uint64_t seed = 1, only = UINT64_MAX, first = 0;
  uint64_t batch = kBatch;
  std::string jit;  ///< empty: in turns
  std::optional<bool> gc_stress;
  bool load_only = false;
  std::string findings = "build/hostile/mutants";
  std::vector<std::string> files;
};

/// What parent and child share.
struct Shared {
  std::atomic<uint64_t> at;  ///< the mutant at hand
  std::atomic<uint64_t> refused, loaded, calls;
};

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Tier {
  const char* name;
  JitMode mode;
};
constexpr Tier kTiers[] = {{"off", JitMode::off},
                           {"baseline-eager", JitMode::baseline_eager},
                           {"full", JitMode::full},
                           {"always", JitMode::always}};

VmOptions vm_options(const Options& o, uint64_t batch, std::string* said) {
  VmOptions v;
  v.schedulers = 1;
  v.otp_root = "/usr/lib/erlang";
  const Tier* tier = &kTiers[batch % std::size(kTiers)];
  for (const Tier& t : kTiers)
    if (o.jit == t.name) tier = &t;
  v.jit = tier->mode;
  v.gc_stress = o.gc_stress ? *o.gc_stress : batch / std::size(kTiers) % 2;
  v.max_memory = size_t{2} << 30;
  *said = fmt::format("--jit {}{}", tier->name, v.gc_stress ? " --gc-stress" : "");
  return v;
}

[[noreturn]] void child(const EditableModule& m, const Options& o, const VmOptions& v,
                        Shared* shared, uint64_t from, uint64_t to, double end, int error) {
  dup2(error, 2);
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0);
  dup2(nothing, 1);
  install_new_handler();
  Victim victim(v, !o.load_only);
  for (uint64_t n = from; n < to && now() < end; ++n) {
    shared->at = n;
    if (ftruncate(2, 0) == 0) lseek(2, 0, SEEK_SET);
    Mutant mutant = make_mutant(m, o.seed, n);
    std::string why;
    uint64_t calls = 0;
    bool refused = victim.run(mutant, o.seed ^ n, &why, &calls) == Outcome::refused;
    (refused ? shared->refused : shared->loaded)++;
    shared->calls += calls;
    if (o.only == n)
      fprintf(stderr, "%s: %s\n", mutant.what.c_str(), refused ? why.c_str() : "ran");
  }
  shared->at = to;
  _exit(0);  // whatever still runs
}

std::string contents(int fd) {
  std::string text(kErrorBytes, '\0');
  ssize_t n = pread(fd, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return text;
}

double processor_time_of(pid_t pid) {
  clockid_t clock;
  timespec t;
  if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t)) return 0;
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct End {
  int status = 0;  ///< 0: it ended well
  bool silent = false;
};

std::string text_of(const End& end) {
  if (end.silent) return "says nothing any more";
  if (WIFSIGNALED(end.status)) return fmt::format("signal {}", WTERMSIG(end.status));
  return fmt::format("exit {}", WEXITSTATUS(end.status));
}

End wait_for(pid_t pid, const Shared& shared) {
  End end;
  uint64_t at = UINT64_MAX;
  double since = now(), worked = 0;
  while (waitpid(pid, &end.status, WNOHANG) == 0) {
    if (shared.at != at) at = shared.at, since = now(), worked = processor_time_of(pid);
    if (now() - since > kPatience ||
        (now() - since > kSilence && processor_time_of(pid) - worked > kSilence)) {
      kill(pid, SIGABRT);
      since = now(), end.silent = true;
    }
    usleep(5000);
  }
  return end;
}

void keep(const Options& o, const EditableModule& m, uint64_t n, const Mutant& mutant) {
  mkdir("build/hostile", 0777);
  mkdir(o.findings.c_str(), 0777);
  std::string path = fmt::format("{}/{}-{}-{}.beam", o.findings, m.name(), o.seed, n);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(mutant.file.data()),
             static_cast<std::streamsize>(mutant.file.size()));
  fmt::print("  kept as {}\n", path);
}

bool number_option(int argc, char** argv, int* k, const char* name, uint64_t* to) {
  if (strcmp(argv[*k], name) != 0 || *k + 1 >= argc) return false;
  *to = strtoull(argv[++*k], nullptr, 10);
  return true;
}

Options parse(int argc, char** argv) {
  Options o;
  for (int k = 1; k < argc; ++k) {
    uint64_t seconds;
    if (number_option(argc, argv, &k, "--seconds", &seconds)) {
      o.seconds = static_cast<double>(seconds);
    } else if (number_option(argc, argv, &k, "--count", &o.count) ||
               number_option(argc, argv, &k, "--seed", &o.seed) ||
               number_option(argc, argv, &k, "--only", &o.only) ||
               number_option(argc, argv, &k, "--first", &o.first) ||
               number_option(argc, argv, &k, "--batch", &o.batch)) {
    } else if (!strcmp(argv[k], "--jit") && k + 1 < argc) {
      o.jit = argv[++k];
    } else if (!strcmp(argv[k], "--findings") && k + 1 < argc) {
      o.findings = argv[++k];
    } else if (!strcmp(argv[k], "--load-only")) {
      o.load_only = true;
    } else if (!strcmp(argv[k], "--gc-stress")) {
      o.gc_stress = true;
    } else if (!strcmp(argv[k], "--no-gc-stress")) {
      o.gc_stress = false;
    } else {
      o.files.push_back(argv[k]);
    }
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  Options o = parse(argc, argv);
  set_atom_limit(16u << 20);
  std::vector<EditableModule> modules;
  for (const std::string& file : o.files) {
    EditableModule m;
    std::string why;
    if (m.read(file, &why) && !m.functions().empty())
      modules.push_back(std::move(m));
    else
      fmt::print("{}: {}\n", file, why);
  }
  if (modules.empty()) return 2;
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  double start = now(), end = start + o.seconds;
  uint64_t findings = 0, done = 0, batch = 0;
  for (uint64_t from = o.first; now() < end && done < o.count; from += o.batch) {
    for (const EditableModule& m : modules) {
      if (now() >= end || done >= o.count) break;
      uint64_t first = o.only == UINT64_MAX ? from : o.only,
               last = o.only == UINT64_MAX ? from + std::min(o.batch, o.count - done) : o.only + 1;
      std::string how;
      VmOptions v = vm_options(o, batch++, &how);
      while (first < last && now() < end) {
        int error = memfd_create("stderr", 0);
        shared->at = first;
        pid_t pid = fork();
        if (pid == 0) child(m, o, v, shared, first, last, end, error);
        const End ended = wait_for(pid, *shared);
        const int status = ended.status;
        std::string said = contents(error);
        close(error);
        if (o.only != UINT64_MAX) fmt::print("{}", said);
        if (status == 0) break;
        uint64_t n = shared->at;
        // Memory out is an end like others: see Where things end in docs/architecture.md.
        bool bad = !WIFEXITED(status) || WEXITSTATUS(status) != kExitOutOfMemory;
        if (bad) {
          findings++;
          Mutant mutant = make_mutant(m, o.seed, n);
          fmt::print("FINDING: {} mutant {} of {} ({}), {}: {}\n{}\n", m.name(), n, o.seed, how,
                     text_of(ended), mutant.what, said);
          keep(o, m, n, mutant);
        }
        first = n + 1;
      }
      done += last - std::min(last, o.only == UINT64_MAX ? from : o.only);
    }
    if (o.only != UINT64_MAX) break;
  }
  double took = now() - start;
  uint64_t refused = shared->refused, loaded = shared->loaded;
  fmt::print(
      "{} mutants in {:.0f} s ({:.0f} a second): {} refused, {} loaded, {} calls; {} findings\n",
      refused + loaded, took, static_cast<double>(refused + loaded) / took, refused, loaded,
      shared->calls.load(), findings);
  return findings > 0;
}
