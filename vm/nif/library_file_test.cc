// Libraries with a damaged byte, number or end: who is not refused is opened, in a process of its
// own, which must live. Nothing sound is refused.
#include "vm/nif/library_file.h"

#include <catch2/catch.hpp>

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "base/sanitizers.h"

using namespace wb;

namespace {

using Data = std::vector<uint8_t>;

Data contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string library() {
  const char* folder = getenv("WB_NIFS");
  return (folder ? folder : std::string(WB_SOURCE_DIR "/build/release/nif")) + "/nif_variant_0.so";
}

/// Opens it in a child; the signal that ended it, or 0.
int signal_of_opening(const Data& file) {
  const int fd = memfd_create("damaged", 0);
  REQUIRE(write(fd, file.data(), file.size()) == static_cast<ssize_t>(file.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    close(2);  // an assertion of the loader says its words
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      (void)dlsym(handle, "nif_init");
      (void)dlsym(handle, "surely_not");
    }
    _exit(0);
  }
  close(fd);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/// From where to where the dynamic section goes in the file.
std::pair<size_t, size_t> dynamic_section(const Data& file) {
  Elf64_Ehdr header;
  memcpy(&header, file.data(), sizeof header);
  for (unsigned k = 0; k < header.e_phnum; ++k) {
    Elf64_Phdr s;
    memcpy(&s, &file[header.e_phoff + k * sizeof s], sizeof s);
    if (s.p_type == PT_DYNAMIC) return {s.p_offset, s.p_offset + s.p_filesz};
  }
  return {};
}

}  // namespace

TEST_CASE("library files: what is sound is not refused") {
  size_t seen = 0;
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib/erlang/lib", WB_SOURCE_DIR "/build/release/nif"}) {
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none)) {
      const std::string name = entry.path().filename();
      if (!entry.is_regular_file() || name.find(".so") == std::string::npos) continue;
      INFO(entry.path());
      CHECK(damage_of_library_file(entry.path()) == "");
      ++seen;
    }
  }
  CHECK(seen > 10);
}

TEST_CASE("library files: no library at all is left to dlopen") {
  CHECK(damage_of_library({}) == "");
  CHECK(damage_of_library(Data(1000, 'x')) == "");
  CHECK(damage_of_library_file("/nowhere/at/all.so") == "");
  CHECK(damage_of_library_file("/") == "");
  CHECK(damage_of_library_file("/dev/zero") == "");
  // Programs it refuses before it links them.
  CHECK(damage_of_library_file("/proc/self/exe") == "");
  const std::string pipe = "/tmp/library_file_test." + std::to_string(getpid());
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(damage_of_library_file(pipe) == "a pipe is no library");
  unlink(pipe.c_str());
}

TEST_CASE("library files: cut short") {
  const Data whole = contents(library());
  if (whole.empty()) return;
  size_t refused = 0;
  for (size_t n = 0; n < whole.size(); n += 97) {
    Data cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n));
    if (!damage_of_library(cut).empty()) {
      ++refused;
    } else if (n % 5 == 0) {
      CHECK(signal_of_opening(cut) == 0);
    }
  }
  CHECK(refused > 10);
}

// A byte of a header or of a table, or a word of the dynamic section: who is let through can be
// opened.
TEST_CASE("library files: damaged") {
  if (kAsan) return;  // its runtime does not like to be forked so often
  const Data whole = contents(library());
  if (whole.empty()) return;
  const auto [begin, end] = dynamic_section(whole);
  REQUIRE(begin < end);
  std::minstd_rand random(7);
  size_t refused = 0, opened = 0;
  auto look = [&](const Data& file, const std::string& what) {
    if (!damage_of_library(file).empty()) {
      ++refused;
      return;
    }
    ++opened;
    INFO(what);
    CHECK(signal_of_opening(file) == 0);
  };
  for (int round = 0; round < 1500; ++round) {
    Data file = whole;
    size_t at = 0;
    switch (random() % 3) {
      case 0:  // headers
        at = random() % (sizeof(Elf64_Ehdr) + 10 * sizeof(Elf64_Phdr));
        break;
      case 1:
        at = begin + random() % (end - begin);
        break;
      case 2:  // the tables behind the headers: notes, hash, symbols, names, versions, relocations
        at = random() % 0xa00;
        break;
    }
    const uint8_t values[] = {0,    1,    0x7f,
                              0x80, 0xff, static_cast<uint8_t>(file[at] ^ (1u << random() % 8))};
    file[at] = values[random() % std::size(values)];
    look(file, "byte " + std::to_string(at) + " is " + std::to_string(file[at]));
  }
  for (size_t at = begin; at + 8 <= end; at += 8) {
    for (uint64_t word :
         {uint64_t{0}, uint64_t{1}, uint64_t{0x1000}, uint64_t{1} << 40, ~uint64_t{0}}) {
      Data file = whole;
      memcpy(&file[at], &word, 8);
      look(file, "word " + std::to_string(at) + " is " + std::to_string(word));
    }
  }
  CHECK(refused > 100);
  CHECK(opened > 100);
}
