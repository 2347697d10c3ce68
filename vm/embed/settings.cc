// Machines: their settings, creation and end.
#include <cstring>

#include "loader/otp_root.h"
#include "term/atom.h"
#include "vm/embed/environment.h"
#include "vm/machine/embed.h"

namespace wb {
namespace {

constexpr uint32_t kKnownFlags = WB_STEPPED;
constexpr uint32_t kMaxSchedulers = 1024, kMaxProcesses = 1u << 27;

wb_result bad(std::string_view why) { return fail_with(WB_BAD_SETTING, why); }

/// The settings as this version knows them, of a program that may know fewer, or more that it does
/// not use.
wb_result read_settings(const wb_settings* given, wb_settings* s) {
  *s = WB_SETTINGS_INIT;
  if (!given) return WB_OK;
  if (given->size < sizeof(size_t) + sizeof(uint32_t)) return bad("settings of no size");
  const auto* bytes = reinterpret_cast<const char*>(given);
  for (size_t k = sizeof *s; k < given->size; ++k) {
    if (bytes[k]) return bad("a setting that this version does not know");
  }
  memcpy(s, given, std::min(given->size, sizeof *s));
  s->size = sizeof *s;
  return WB_OK;
}

bool jit_mode(const std::string& name, JitMode* mode) {
  if (name == "off")
    *mode = JitMode::off;
  else if (name == "baseline")
    *mode = JitMode::baseline;
  else if (name == "full")
    *mode = JitMode::full;
  else
    return false;
  return true;
}

wb_result machine_options(const wb_settings& s, VmOptions* o) {
  if (s.flags & ~kKnownFlags) return bad("flags that this version does not know");
  if (s.schedulers > kMaxSchedulers) return bad("schedulers: from 1 to 1024");
  if (s.max_processes && (s.max_processes < 1024 || s.max_processes > kMaxProcesses)) {
    return bad("max_processes: from 1024 to 134217728");
  }
  o->stepped = s.flags & WB_STEPPED;
  if (o->stepped && s.schedulers > 1) return bad("schedulers: a stepped machine has one");
  o->schedulers = s.schedulers;
  o->max_memory = s.max_memory;
  if (s.max_processes) o->max_processes = s.max_processes;
  const std::string jit = s.jit ? s.jit : kDefaultJit;
  if (!jit_mode(jit, &o->jit)) return bad("jit: off, baseline or full, not \"" + jit + "\"");
  const std::string root = s.otp_root ? s.otp_root : "";
  o->otp_root = find_otp_root(root);
  if (o->otp_root.empty()) {
    return bad(root.empty() ? "otp_root: there is no OTP in /usr/lib/erlang, and no erl in PATH"
                            : "otp_root: no lib/stdlib-*/ebin in \"" + root + "\"");
  }
  o->otp = read_otp_release(o->otp_root);
  for (auto* path = s.code_paths; path && *path; ++path) o->code_paths.push_back(*path);
  return WB_OK;
}

wb_result set_number(const char* name, const char* value, uint64_t most, uint64_t* to) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long n = strtoull(value, &end, 10);
  const bool is_number = *value >= '0' && *value <= '9' && !*end && !errno;
  if (!is_number || n > most) {
    return bad(std::string(name) + ": a number up to " + std::to_string(most) + ", not \"" + value +
               "\"");
  }
  *to = n;
  return WB_OK;
}

}  // namespace
}  // namespace wb

using namespace wb;

uint32_t wb_version(void) { return WB_VERSION_MAJOR * 1000 + WB_VERSION_MINOR; }

const char* wb_result_text(wb_result result) {
  switch (result) {
    case WB_OK:
      return "done";
    case WB_TIMEOUT:
      return "not in time";
    case WB_EXCEPTION:
      return "an Erlang exception";
    case WB_BAD_ARGUMENT:
      return "an argument that cannot be so";
    case WB_BAD_SETTING:
      return "a setting that cannot be so";
    case WB_BAD_MODULE:
      return "a module that cannot be loaded";
    case WB_NOT_FOUND:
      return "not found";
    case WB_ENDED:
      return "the machine has ended";
    case WB_FAILED:
      return "the machine cannot go on";
    case WB_EXITED:
      return "the process has ended";
    case WB_WRONG_THREAD:
      return "not by this thread";
    case WB_WOULD_WAIT:
      return "would wait for itself";
    case WB_LIMIT:
      return "a limit of the system";
  }
  return "no result of this version";
}

wb_result wb_settings_set(wb_settings* settings, const char* name, const char* value) {
  if (!settings || !name || !value) return fail_with(WB_BAD_ARGUMENT, "a null pointer");
  if (settings->size < sizeof *settings) return bad("settings of another version");
  const std::string what = name;
  uint64_t n = 0;
  wb_result r = WB_OK;
  if (what == "schedulers") {
    r = set_number(name, value, kMaxSchedulers, &n);
    if (r == WB_OK) settings->schedulers = static_cast<uint32_t>(n);
  } else if (what == "max_memory") {
    r = set_number(name, value, SIZE_MAX, &n);
    if (r == WB_OK) settings->max_memory = n;
  } else if (what == "max_processes") {
    r = set_number(name, value, kMaxProcesses, &n);
    if (r == WB_OK) settings->max_processes = static_cast<uint32_t>(n);
  } else if (what == "stepped") {
    r = set_number(name, value, 1, &n);
    if (r == WB_OK)
      settings->flags = n ? settings->flags | WB_STEPPED : settings->flags & ~WB_STEPPED;
  } else if (what == "jit") {
    JitMode ignored;
    if (!jit_mode(value, &ignored)) return bad("jit: off, baseline or full");
    settings->jit = value;
  } else if (what == "otp_root") {
    settings->otp_root = value;
  } else {
    return bad("there is no setting \"" + what + "\"");
  }
  return r;
}

wb_result wb_vm_create(const wb_settings* settings, wb_vm** vm) {
  if (!vm) return fail_with(WB_BAD_ARGUMENT, "a null pointer");
  wb_settings s;
  VmOptions options;
  if (const wb_result r = read_settings(settings, &s); r != WB_OK) return r;
  if (const wb_result r = machine_options(s, &options); r != WB_OK) return r;
  auto made = std::make_shared<EmbeddedVm>();
  if (const wb_result r = made->create(options); r != WB_OK) return r;
  *vm = new wb_vm{HandleKind::vm, std::move(made)};
  return WB_OK;
}

static bool is_vm(const wb_vm* vm) { return vm && vm->kind == HandleKind::vm; }
static wb_result no_vm() { return fail_with(WB_BAD_ARGUMENT, "no machine"); }

wb_result wb_vm_destroy(wb_vm* vm) {
  if (!is_vm(vm)) return no_vm();
  if (const wb_result r = vm->vm->close(); r != WB_OK) return r;
  vm->kind = HandleKind::none;
  delete vm;
  return WB_OK;
}
wb_result wb_vm_status(wb_vm* vm, int* exit_code) {
  return is_vm(vm) ? vm->vm->status(exit_code) : no_vm();
}
wb_result wb_vm_step(wb_vm* vm, uint64_t microseconds) {
  return is_vm(vm) ? vm->vm->step(microseconds) : no_vm();
}
wb_result wb_vm_next(wb_vm* vm, uint64_t* microseconds) {
  if (!microseconds) return fail_with(WB_BAD_ARGUMENT, "a null pointer");
  return is_vm(vm) ? vm->vm->next(microseconds) : no_vm();
}
int wb_vm_descriptor(wb_vm* vm) { return is_vm(vm) ? vm->vm->descriptor() : -1; }
