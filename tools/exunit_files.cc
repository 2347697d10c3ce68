#include "tools/exunit_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "tools/machine.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

/// In the project, compiled: its application, its code path, its configuration.
constexpr const char* kAsk = R"(
c = Mix.Project.config()
read = fn file, options -> if File.exists?(file), do: Config.Reader.read!(file, options), else: [] end
options = [env: Mix.env(), target: Mix.target()]
configuration = read.(c[:config_path], options)
path = Path.join(Path.dirname(c[:config_path]), "runtime.exs")
configuration = Config.Reader.merge(configuration, read.(path, options))
File.write!(System.fetch_env!("WHITEBEAM_PROJECT"), :erlang.term_to_binary({c[:app], :code.get_path(), configuration}))
)";

/// The nearest directory from `from` up, to `last` if that is not empty, that has the file; or
/// empty.
fs::path directory_with(const char* name, fs::path from, const fs::path& last) {
  std::error_code ec;
  for (;; from = from.parent_path()) {
    if (fs::is_regular_file(from / name, ec)) return from;
    if (from == last || from == from.root_path()) return {};
  }
}

std::vector<std::string> test_files(const fs::path& directory) {
  std::vector<std::string> files;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(directory, ec), end; !ec && at != end; at.increment(ec))
    if (at->path().string().ends_with("_test.exs")) files.push_back(at->path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

ExunitFiles find_exunit_files(const std::string& file) {
  ExunitFiles found;
  auto fail = [&](std::string why) {
    found.error = std::move(why);
    return found;
  };
  std::error_code ec;
  const fs::path asked = fs::canonical(file, ec);
  if (ec) return fail(fmt::format("{}: {}", file, ec.message()));
  const bool is_directory = fs::is_directory(asked, ec);
  const std::vector<std::string> tests =
      is_directory ? test_files(asked) : std::vector<std::string>{asked};
  if (tests.empty()) return fail(fmt::format("{}: no files *_test.exs", file));
  if (!is_directory && asked.extension() != ".exs")
    return fail(fmt::format("{}: not a file of tests (.exs)", file));
  if (find_elixir_ebin().empty()) return fail("no Elixir found (Debian: apt-get install elixir)");
  const fs::path beside = is_directory ? asked : asked.parent_path();
  const fs::path project = directory_with("mix.exs", beside, {});
  found.directory = project.empty() ? fs::current_path(ec) : project;
  found.preparation.emplace_back();
  if (!project.empty()) {
    if (find_in_path("mix").empty())
      return fail(
          fmt::format("{} is a project of mix, and there is no mix in PATH", project.string()));
    const int memory = memfd_create("project", MFD_CLOEXEC);
    if (memory < 0) return fail(fmt::format("no memory for a file: {}", strerror(errno)));
    const std::string said = fmt::format("/proc/{}/fd/{}", getpid(), memory);
    setenv("MIX_ENV", "test", false);
    setenv("WHITEBEAM_PROJECT", said.c_str(), true);
    const int code = run_tool({"mix", "run", "--no-start", "-e", kAsk}, project);
    unsetenv("WHITEBEAM_PROJECT");
    if (code) return fail(fmt::format("mix, in {}, ended with {}", project.string(), code));
    found.preparation[0] = said;
  }
  std::set<std::string> helpers;
  for (const std::string& test : tests) {
    const fs::path at = directory_with("test_helper.exs", fs::path(test).parent_path(),
                                       project.empty() ? beside : project);
    const std::string helper = at / "test_helper.exs";
    if (!at.empty() && helpers.insert(helper).second) found.preparation.push_back(helper);
    found.preparation.push_back(test);
  }
  return found;
}

}  // namespace wb
