#include "tools/doctor_modules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "loader/code_table.h"
#include "term/atom.h"
#include "tools/native_library.h"
#include "tools/progress.h"
#include "vm/jit/baseline.h"
#include "vm/machine/machine.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

/// Those below `directory` whose names end so, in order.
void add_files(const std::string& directory, std::string_view ending,
               std::vector<std::string>* files) {
  const auto before = static_cast<ptrdiff_t>(files->size());
  std::error_code ec;
  auto all = fs::recursive_directory_iterator(directory,
                                              fs::directory_options::skip_permission_denied, ec);
  for (auto it = all; !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
    if (it->path().string().ends_with(ending) && it->is_regular_file(ec))
      files->push_back(it->path());
  }
  std::sort(files->begin() + before, files->end());
}

/// Loads it as a program would, then drops it: a module may be there under several paths. Empty, or
/// why it is refused. `*calls`: what it calls of other modules.
std::string try_module(Vm& vm, const std::string& path, bool native,
                       std::vector<std::string>* calls = nullptr) {
  CodeTable::Prepared prepared =
      vm.code->prepare(read_file_bytes(path).value_or(std::vector<uint8_t>{}), path);
  if (!prepared) return prepared.error().message;
  if (calls) {
    for (const Export* e : (*prepared)->imports) {
      calls->push_back(
          fmt::format("{}:{}/{}", atom_text(e->module), atom_text(e->function), e->arity));
    }
  }
  const bool on_load = (*prepared)->on_load_entry != 0;
  CodeTable::Loaded loaded = vm.code->commit(*prepared);
  if (!loaded) return loaded.error().message;
  if (on_load) vm.code->end_on_load((*loaded)->name, true);  // nothing runs: taken for content
  if (native) vm.baseline->compile_all(**loaded);
  Term name = (*loaded)->name;
  vm.code->delete_module(name);
  vm.code->purge_module(name);
  return {};
}

void report_native_code(const BaselineCounters& made) {
  double ns = double(made.ns), instructions = double(made.instructions);
  fmt::print(
      "{} functions of {} instructions compiled in {:.1f} ms ({:.0f} ns each) to {:.1f} MB ({:.1f} "
      "bytes each), "
      "{} refused\n",
      made.functions.load(), made.instructions.load(), ns / 1e6, ns / instructions,
      double(made.bytes) / 1e6, double(made.bytes) / instructions, made.refused.load());
}

/// What of a directory does not run here, as it is found.
class Examination {
 public:
  Examination(std::string directory, const std::vector<std::string>& absent)
      : directory_(std::move(directory)), absent_(absent) {}

  int run() {
    modules();
    libraries();
    emulators();
    fmt::print("{} modules, {} native libraries: {}\n", modules_, libraries_,
               found_ ? fmt::format("{} of what is above will not run here", found_)
                      : "all of it runs here");
    return found_ || modules_ + libraries_ == 0 ? 1 : 0;
  }

 private:
  void say(const std::string& path, const std::string& what) {
    fmt::print("{}: {}\n", fs::path(path).lexically_relative(directory_).string(), what);
    ++found_;
  }
  void modules();
  void libraries();
  void emulators();

  const std::string directory_;
  const std::vector<std::string>& absent_;
  size_t modules_ = 0, libraries_ = 0, found_ = 0;
};

void Examination::modules() {
  VmOptions options;
  options.jit = JitMode::off;
  Machine vm(options);
  InstanceScope scope(vm.instance);
  vm.code->use(nullptr);
  std::vector<std::string> paths;
  add_files(directory_, ".beam", &paths);
  Progress progress("modules", paths.size());
  for (const std::string& path : paths) {
    std::vector<std::string> calls;
    std::string why = try_module(vm, path, false, &calls);
    progress.step();
    ++modules_;
    if (!why.empty()) progress.clear(), say(path, why);
    std::erase_if(calls, [&](const std::string& function) {
      return !std::binary_search(absent_.begin(), absent_.end(), function);
    });
    if (!calls.empty()) {
      progress.clear();
      say(path, fmt::format("calls {}, not there yet", fmt::join(calls, " ")));
    }
  }
}

void Examination::libraries() {
  std::vector<std::string> paths;
  add_files(directory_, ".so", &paths);
  for (const std::string& path : paths) {
    NativeLibrary library;
    if (!read_native_library(path, &library)) {
      say(path, "no library, or a damaged one");
      continue;
    }
    if (library.is_foreign) say(path, "made for another kind of processor");
    if (!library.is_nif && !library.is_driver) continue;
    ++libraries_;
    if (!library.missing.empty()) {
      say(path, fmt::format("{} wants {}, not there yet", library.is_nif ? "library" : "driver",
                            fmt::join(library.missing, " ")));
    }
  }
}

/// A release may include its emulator.
void Examination::emulators() {
  std::vector<std::string> paths;
  add_files(directory_, "/beam.smp", &paths);
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (bytes.find("libwhitebeam-jit.so") == std::string::npos) {
      say(path, "another emulator: make the release with the `erl` of `whitebeam install`");
    }
  }
}

}  // namespace

int load_all_modules(const std::vector<std::string>& directories, bool native) {
  VmOptions options;
  options.jit = native ? JitMode::baseline : JitMode::off;
  Machine vm(options);  // not started: nothing runs,
  InstanceScope scope(vm.instance);
  vm.code->use(nullptr);  // so nobody has to let go of code before it is freed
  native = native && vm.baseline;
  size_t loaded = 0, refused = 0;
  std::vector<std::string> paths;
  for (const std::string& directory : directories) add_files(directory, ".beam", &paths);
  Progress progress("modules", paths.size());
  for (const std::string& path : paths) {
    std::string why = try_module(vm, path, native);
    ++(why.empty() ? loaded : refused);
    if (!why.empty()) progress.clear(), fmt::print("{}: {}\n", path, why);
    progress.step();
  }
  progress.clear();
  fmt::print("{} modules load, {} are refused\n", loaded, refused);
  if (native && loaded) report_native_code(vm.baseline->counters);
  if (loaded + refused == 0) fmt::print(stderr, "whitebeam: no .beam files there\n");
  return refused || !loaded ? 1 : 0;
}

int examine_directory(const std::string& directory, const std::vector<std::string>& absent) {
  std::error_code ec;
  if (!fs::is_directory(directory, ec)) {
    fmt::print(stderr, "whitebeam: {}: no directory\n", directory);
    return 2;
  }
  return Examination(directory, absent).run();
}

}  // namespace wb
