#include "base/recording.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

using namespace wb;

namespace {

struct File {
  std::string path;
  File() {
    char name[] = "/tmp/wb-recording-XXXXXX";
    close(mkstemp(name));
    path = name;
  }
  ~File() { unlink(path.c_str()); }
  void cut(size_t n) const { REQUIRE(truncate(path.c_str(), static_cast<off_t>(n)) == 0); }
  size_t size() const {
    FILE* f = fopen(path.c_str(), "rb");
    fseek(f, 0, SEEK_END);
    const auto n = static_cast<size_t>(ftell(f));
    fclose(f);
    return n;
  }
};

std::unique_ptr<Recording> opened(const File& file) {
  Recording::Made made = Recording::open(file.path);
  REQUIRE(made);
  return std::move(*made);
}
std::unique_ptr<Recording> created(const File& file) {
  Recording::Made made = Recording::create(file.path, "how it was started");
  REQUIRE(made);
  return std::move(*made);
}
/// The exit code of a process that does this.
template <class F>
int exit_code_of(F f) {
  const pid_t pid = fork();
  if (pid == 0) {
    freopen("/dev/null", "w", stderr);
    f();
    _exit(77);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("recording: what was answered comes again, and the system is not asked") {
  const File file;
  {
    const auto r = created(file);
    CHECK(r->number(Input::seed, 17) == 17);
    CHECK(r->text(Input::text, "HOME=/root") == "HOME=/root");
    CHECK(r->call([] { return 5; }) == 5);
    errno = 0;
    CHECK(r->call([] { return errno = ENOENT, -1; }) == -1);
    char bytes[8] = {};
    CHECK(r->call_reading([&] { return memcpy(bytes, "abc", 3), 3; }, bytes, sizeof bytes) == 3);
    int status = 0;
    CHECK(r->call([&] { return status = 9, 0; }, {{&status, sizeof status}}) == 0);
    CHECK(r->finish(4).empty());
  }
  const auto r = opened(file);
  CHECK(r->head() == "how it was started");
  const auto never = [] {
    abort();
    return 0;
  };
  CHECK(r->number(Input::seed, 1) == 17);
  CHECK(r->text(Input::text, "") == "HOME=/root");
  CHECK(r->call(never) == 5);
  errno = 0;
  CHECK(r->call(never) == -1);
  CHECK(errno == ENOENT);
  char bytes[8] = {};
  CHECK(r->call_reading(never, bytes, sizeof bytes) == 3);
  CHECK(std::string(bytes) == "abc");
  int status = 0;
  CHECK(r->call(never, {{&status, sizeof status}}) == 0);
  CHECK(status == 9);
  CHECK(r->finish(5) == "the replay has ended with exit code 5, the recorded run with 4");
}

TEST_CASE(
    "recording: what comes between slices comes after as many, however often it is asked for") {
  const File file;
  {
    const auto r = created(file);
    std::vector<Recording::Report> none, some = {{7, 1}, {8, 4}};
    r->slice_ended();
    r->reports(&none);
    r->slice_ended();
    for (int k = 0; k < 3; ++k) r->reports(&none);
    r->reports(&some);
    r->post_signal(15);
    r->handle_signals();
    r->finish(0);
  }
  const auto r = opened(file);
  int signal = 0;
  r->signal_handler = &signal;
  r->on_signal = [](void* to, int s) { *static_cast<int*>(to) = s; };
  std::vector<Recording::Report> got;
  for (int k = 0; k < 9; ++k) {
    r->reports(&got);
    CHECK(got.empty());
  }
  r->slice_ended();
  for (int k = 0; k < 9; ++k) {
    r->reports(&got);
    CHECK(got.empty());
  }
  r->slice_ended();
  for (int k = 0; k < 3; ++k) {
    r->reports(&got);
    CHECK(got.empty());
  }
  r->handle_signals();
  CHECK(signal == 0);
  r->reports(&got);
  REQUIRE(got.size() == 2);
  CHECK((got[1].name == 8 && got[1].events == 4));
  r->handle_signals();
  CHECK(signal == 15);
  CHECK(r->finish(0).empty());
}

TEST_CASE("recording: time stands still until it is looked at, and is what it was") {
  const File file;
  std::vector<uint64_t> seen;
  {
    const auto r = created(file);
    seen.push_back(r->read_clock());
    for (int k = 0; k < 50; ++k) {
      CHECK(r->last_time() == seen.back());
      usleep(k % 5 ? 0 : 100);
      seen.push_back(k % 2 ? r->read_clock() : r->time(50'000));
      if (k % 7 == 0) r->slice_ended();
    }
    r->finish(0);
  }
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  const auto r = opened(file);
  size_t at = 0;
  CHECK(r->read_clock() == seen[at++]);
  for (int k = 0; k < 50; ++k) {
    CHECK((k % 2 ? r->read_clock() : r->time(50'000)) == seen[at++]);
    if (k % 7 == 0) r->slice_ended();
  }
  CHECK(r->finish(0).empty());
}

TEST_CASE("recording: native work of another thread is answered apart") {
  const File file;
  {
    const auto r = created(file);
    Recording::Answers answers;
    std::thread([&] {
      Recording::JobScope scope(answers);
      CHECK(r->call([] { return 3; }) == 3);
    }).join();
    std::thread([&] { CHECK(r->call([] { return 99; }) == 99); }).join();  // of nobody's
    CHECK(r->call([] { return 1; }) == 1);
    r->end_job(12, answers);
    r->finish(0);
  }
  const auto r = opened(file);
  uint64_t number = 0;
  Recording::Answers answers;
  CHECK(!r->take_job(&number, &answers));
  CHECK(r->call([] { return 0; }) == 1);
  REQUIRE(r->take_job(&number, &answers));
  CHECK(number == 12);
  {
    Recording::JobScope scope(answers);
    CHECK(r->call([] { return 0; }) == 3);
  }
  CHECK(r->finish(0).empty());
}

TEST_CASE("recording: another question than then, a cut and a damaged file end the replay") {
  const File file;
  {
    const auto r = created(file);
    for (uint64_t k = 0; k < 1000; ++k) r->number(Input::seed, k);
    r->finish(0);
  }
  CHECK(exit_code_of([&] { (*Recording::open(file.path))->text(Input::text, ""); }) ==
        Recording::kExitDeparts);
  const size_t whole = file.size();
  CHECK(exit_code_of([&] {
          const auto r = opened(file);
          for (uint64_t k = 0; k < 1001; ++k) r->number(Input::seed, 0);
        }) == Recording::kExitDeparts);
  file.cut(whole - 1);
  CHECK(exit_code_of([&] { (*Recording::open(file.path))->number(Input::seed, 0); }) == 0);
  file.cut(50);
  CHECK(!Recording::open(file.path));
  file.cut(0);
  CHECK(Recording::open(file.path).error() == file.path + ": no recording");
  CHECK(!Recording::open("/nowhere/file"));
  CHECK(!Recording::create("/nowhere/file", ""));
}
