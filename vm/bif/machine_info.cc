// What erlang:system_info/1 says of the machine: versions, build, operating system, and the reports
// that are texts.
#include "vm/bif/machine_info.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include "base/recording.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/binary.h"
#include "term/identifiers.h"
#include "term/number.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"
#include "vm/bif/machine_report.h"
#include "vm/bif/system_info.h"
#include "vm/core/clock.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/dist/node_report.h"
#include "vm/port/port_report.h"

namespace wb {
namespace {

#if defined __x86_64__
constexpr const char* kArchitecture = "x86_64-pc-linux-gnu";
#else
constexpr const char* kArchitecture = "aarch64-unknown-linux-gnu";
#endif

Term text(Heap& h, const std::string& s) {
  return bytes_to_list(h, reinterpret_cast<const uint8_t*>(s.data()), s.size());
}
Term binary(Heap& h, const std::string& s) { return make_binary(h, s.data(), s.size()); }

/// The machine's own command line.
Term emu_args(Heap& h) {
  std::ifstream file("/proc/self/cmdline");
  ListBuilder list(h);
  std::istringstream args(recorded_text({std::istreambuf_iterator<char>(file), {}}));
  for (std::string arg; std::getline(args, arg, '\0');) list.add(list_of_text(h, arg));
  return list.finish();
}

}  // namespace

std::string system_version(Vm& vm) {
  Scheduler& s = *vm.scheduler;
  uint32_t cpu = s.dirty(DirtyKind::cpu).limit(), io = s.dirty(DirtyKind::io).limit();
  return fmt::format(
      "Erlang/OTP {} [erts-{}] [source] [64-bit] [smp:{}:{}] [ds:{}:{}:{}] [async-threads:{}]{}\n",
      vm.options.otp.name, vm.options.otp.erts, s.worker_count(), s.online(), cpu, cpu, io,
      vm.settings->async_threads.load(),
      !vm.baseline                 ? ""
      : vm.options.otp.number < 26 ? " [jit]"
                                   : " [jit:ns]");
}

namespace {

Term os_version(Heap& h) {
  utsname name;
  int major = 0, minor = 0, patch = 0;
  if (uname(&name) == 0) sscanf(name.release, "%d.%d.%d", &major, &minor, &patch);
  return tuple(h, make_small(major), make_small(minor), make_small(patch));
}

Term time_source(Heap& h, const char* clock, int64_t ns, bool monotonic) {
  ListBuilder list(h);
  list.add(tuple(h, am::function, am::clock_gettime));
  list.add(tuple(h, am::clock_id, intern(clock)));
  list.add(tuple(h, am::resolution, make_small(1'000'000'000)));
  if (monotonic) list.add(tuple(h, am::extended, am::no));
  list.add(tuple(h, am::parallel, am::yes));
  list.add(tuple(h, am::time, make_integer(h, ns)));
  return list.finish();
}

Term compile_info(Heap& h) {
  ListBuilder list(h);
  list.add(tuple(h, am::ldflags, kNil));
  list.add(tuple(h, am::cflags, kNil));
  list.add(tuple(h, am::config_h, kNil));
  return list.finish();
}

/// One set of descriptors, which workers poll; in OTP there are several, and threads of their own.
Term check_io(Vm& vm, Heap& h) {
  ListBuilder list(h);
  auto add = [&](const char* name, Term value) { list.add(tuple(h, intern(name), value)); };
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const Term armed = make_small(vm.scheduler->watched_fds());
  add("name", am::erts_poll);
  add("primary", am::epoll);
  add("kernel_poll", am::epoll);
  add("memory_size", make_small(sizeof(IoPoller)));
  add("total_poll_set_size", armed);
  add("lazy_updates", am::false_);
  add("pending_updates", make_small(0));
  add("batch_updates", am::false_);
  add("concurrent_updates", am::true_);
  add("fallback", am::false_);
  add("max_fds", make_unsigned(h, files.rlim_cur));
  add("active_fds", make_small(0));
  add("poll_threads", make_small(1));
  return cons(h, list.finish(), kNil);
}

/// The native functions that OTP's machine has, too.
Term every_bif(Vm& vm, Heap& h) {
  ListBuilder list(h);
  for (const BifInfo& bif : vm.natives) {
    if (!is_bif_in_otp(bif, vm.options.otp.number)) continue;
    list.add(tuple(h, intern(bif.module), intern(bif.name), make_small(bif.arity)));
  }
  list.add(tuple(h, am::erlang, am::hibernate, make_small(3)));  // an instruction here
  return list.finish();
}

}  // namespace

bool is_bif_in_otp(const BifInfo& bif, int release) {
  std::string_view module = bif.module, name = bif.name;
  if (bif.since > release) return false;
  if (release < 26 && module == "erlang" && (name == "min" || name == "max")) return false;
  for (std::string_view nifs : {"prim_buffer", "whitebeam", "asn1rt_nif", "erl_tracer"}) {
    if (module == nifs) return false;
  }
  if (module != "erlang" && (name.starts_with("nif_") || name.ends_with("_nif"))) return false;
  if (module == "erlang" && (name == "yield" || name == "bif_return_trap")) return false;
  return name != "ets_search";
}

Term machine_info(Process& p, Term item) {
  Vm& vm = p.vm();
  Heap& h = p.heap;
  switch (item) {
    case am::otp_release:
      return text(h, vm.options.otp.name);
    case am::version:
      return text(h, vm.options.otp.erts);
    case am::system_version:
      return text(h, system_version(vm));
    case am::system_architecture:
      return text(h, kArchitecture);
    case am::machine:
      return text(h, "BEAM");
    case am::nif_version:
      return text(h, otp_release() < 26 ? "2.16" : otp_release() < 29 ? "2.17" : "2.18");
    case am::driver_version:
      return text(h, "3.3");
    case am::build_type:
    case am::emu_type:
      return am::opt;
    case am::emu_flavor:
      return vm.baseline ? am::jit : am::emu;
    case am::endian:
      return am::little;
    case am::os_type:
      return tuple(h, am::unix_, am::linux_);
    case am::os_version:
      return os_version(h);
    case am::os_monotonic_time_source:
      return time_source(h, "CLOCK_MONOTONIC", static_cast<int64_t>(vm.clock->os_monotonic_ns()),
                         true);
    case am::os_system_time_source:
      return time_source(h, "CLOCK_REALTIME", vm.clock->os_system_ns(), false);
    case am::compile_info:
      return compile_info(h);
    case am::emu_args:
      return emu_args(h);
    case am::c_compiler_used:
      return tuple(h, am::clang,
                   tuple(h, make_small(__clang_major__), make_small(__clang_minor__),
                         make_small(__clang_patchlevel__)));
    case am::check_io:
      return check_io(vm, h);
    case am::snifs:
      return every_bif(vm, h);
    case am::loaded:
      return binary(h, code_report(vm));
    case am::procs:
      return binary(h, process_report(vm, &p) + port_report(vm));
    case am::dist:
      return binary(h, node_report(vm));
    case am::info:
      return binary(h, info_report(vm));
    default:
      return kNone;
  }
}

}  // namespace wb
