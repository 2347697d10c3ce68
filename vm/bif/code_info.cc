// What a fun is made of, and whether a function is there.
#include <algorithm>

#include "loader/code_table.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/fun_count.h"
#include "vm/bif/machine_info.h"
#include "vm/core/vm.h"

namespace wb {
namespace {

// --- funs ----------------------------------------------------------------------------------------
const FunEntry& entry_of(Term fun) { return *reinterpret_cast<FunEntry*>(boxed_ptr(fun)[1]); }
const Export& export_of(Term fun) { return *reinterpret_cast<Export*>(boxed_ptr(fun)[1]); }

Term free_variables(Heap& h, Term fun) {
  const Term* t = boxed_ptr(fun);
  Term list = kNil;
  for (uint64_t n = t[2] >> 32; n > 0; --n) list = cons(h, t[3 + n], list);
  return list;
}

/// Nil: its code is not loaded, or just being purged.
Term name_of(const FunEntry& f) { return f.entry.load(std::memory_order_acquire) ? f.name : kNil; }

Term local_fun_item(Heap& h, Term fun, Term item) {
  const FunEntry& f = entry_of(fun);
  switch (item) {
    case am::type:
      return am::local;
    case am::module:
      return f.module;
    case am::name:
      return name_of(f);
    case am::arity:
      return make_small(f.arity);
    case am::env:
      return free_variables(h, fun);
    case am::pid:
      return boxed_ptr(fun)[3];
    case am::index:
      return make_small(f.old_index);
    case am::uniq:
      return make_small(f.old_uniq);
    case am::new_index:
      return make_small(f.index);
    case am::new_uniq:
      return make_binary(h, f.uniq, sizeof f.uniq);
    default:
      return kBadarg;
  }
}

Term export_fun_item(Term fun, Term item) {
  const Export& e = export_of(fun);
  switch (item) {
    case am::type:
      return am::external;
    case am::module:
      return e.module;
    case am::name:
      return e.function;
    case am::arity:
      return make_small(e.arity);
    case am::env:
      return kNil;
    case am::pid:
    case am::index:
    case am::uniq:
    case am::new_index:
    case am::new_uniq:
    case am::refc:
      return am::undefined;
    default:
      return kBadarg;
  }
}

// --- functions -----------------------------------------------------------------------------------
/// Modules that a started OTP system has always loaded, in text order. Where modules are loaded at
/// their first call, a program that asks for one of these must find it all the same.
constexpr const char* kAlwaysThere[] = {"application",
                                        "application_controller",
                                        "application_master",
                                        "atomics",
                                        "beam_lib",
                                        "binary",
                                        "c",
                                        "code",
                                        "code_server",
                                        "counters",
                                        "erl_anno",
                                        "erl_distribution",
                                        "erl_eval",
                                        "erl_features",
                                        "erl_init",
                                        "erl_internal",
                                        "erl_lint",
                                        "erl_parse",
                                        "erl_prim_loader",
                                        "erl_scan",
                                        "erl_signal_handler",
                                        "erl_tracer",
                                        "erlang",
                                        "erpc",
                                        "error_handler",
                                        "error_logger",
                                        "erts_code_purger",
                                        "erts_dirty_process_signal_handler",
                                        "erts_internal",
                                        "erts_literal_area_collector",
                                        "ets",
                                        "file",
                                        "file_io_server",
                                        "file_server",
                                        "filename",
                                        "gb_sets",
                                        "gb_trees",
                                        "gen",
                                        "gen_event",
                                        "gen_server",
                                        "global",
                                        "global_group",
                                        "heart",
                                        "inet",
                                        "inet_config",
                                        "inet_db",
                                        "inet_gethost_native",
                                        "inet_parse",
                                        "inet_udp",
                                        "init",
                                        "io_lib",
                                        "kernel",
                                        "kernel_config",
                                        "kernel_refc",
                                        "lists",
                                        "logger",
                                        "logger_backend",
                                        "logger_config",
                                        "logger_filters",
                                        "logger_formatter",
                                        "logger_h_common",
                                        "logger_handler_watcher",
                                        "logger_olp",
                                        "logger_proxy",
                                        "logger_server",
                                        "logger_simple_h",
                                        "logger_std_h",
                                        "logger_sup",
                                        "maps",
                                        "net_kernel",
                                        "orddict",
                                        "ordsets",
                                        "os",
                                        "otp_internal",
                                        "peer",
                                        "persistent_term",
                                        "prim_buffer",
                                        "prim_eval",
                                        "prim_file",
                                        "prim_inet",
                                        "prim_net",
                                        "prim_socket",
                                        "prim_zip",
                                        "proc_lib",
                                        "proplists",
                                        "queue",
                                        "rand",
                                        "raw_file_io",
                                        "rpc",
                                        "socket_registry",
                                        "standard_error",
                                        "string",
                                        "supervisor",
                                        "supervisor_bridge",
                                        "unicode",
                                        "unicode_util",
                                        "user",
                                        "user_sup",
                                        "zlib"};

void load_if_always_there(CodeTable& code, Term module) {
  if (!code.lazy_loading || code.find_module(module)) return;
  std::string_view name = atom_text(module);
  if (std::binary_search(std::begin(kAlwaysThere), std::end(kAlwaysThere), name)) {
    (void)code.load_from_path(module);  // if it cannot be, it is not there
  }
}

/// Checks M, F, A as the BIFs below take them; -1: badarg, -2: no function has that arity.
int64_t take_mfa(const Term* a) {
  if (!is_atom(a[0]) || !is_atom(a[1]) || !is_small(a[2])) return -1;
  int64_t arity = small_value(a[2]);
  return arity < 0 || arity > 255 ? -2 : arity;
}

}  // namespace

BIF(erlang, fun_info, 2)
{
  if (!is_fun(a[0])) return kBadarg;
  bool local = is_kind(a[0], Kind::fun);
  if (local && a[1] == am::refc) return FunCount::ask(p, a[0]);
  Term value = local ? local_fun_item(p.heap, a[0], a[1]) : export_fun_item(a[0], a[1]);
  return is_fault(value) ? value : tuple(p.heap, a[1], value);
}
BIF(erlang, fun_info_mfa, 1)
{
  if (!is_fun(a[0])) return kBadarg;
  if (is_kind(a[0], Kind::fun)) {
    const FunEntry& f = entry_of(a[0]);
    return tuple(p.heap, f.module, name_of(f), make_small(f.arity));
  }
  const Export& e = export_of(a[0]);
  return tuple(p.heap, e.module, e.function, make_small(e.arity));
}
BIF(erlang, make_fun, 3)
{
  int64_t arity = take_mfa(a);
  if (arity < 0) return kBadarg;
  Term* t = p.heap.alloc(2);
  t[0] = make_header(Kind::export_fun, 1);
  t[1] =
      reinterpret_cast<Word>(p.vm().code->ordered_export(a[0], a[1], static_cast<uint32_t>(arity)));
  return make_boxed(t);
}
BIF(erlang, function_exported, 3)
{
  int64_t arity = take_mfa(a);
  if (arity < 0) return arity == -1 ? kBadarg : am::false_;
  CodeTable& code = *p.vm().code;
  const auto is_loaded = [&] {
    const Export* e = code.find_export(a[0], a[1], static_cast<uint32_t>(arity));
    return e && e->loaded.load(std::memory_order_acquire);
  };
  if (is_loaded()) return am::true_;
  load_if_always_there(code, a[0]);
  return make_bool(is_loaded());
}
/// BEAM's instructions are built in, too.
static bool is_builtin(const Vm& vm, const Export& e) {
  if (e.builtin) return true;
  if (!e.bif) return false;
  const std::string_view module = atom_text(e.module), name = atom_text(e.function);
  if (e.module == am::erlang && name == "yield") return true;
  for (const BifInfo& bif : vm.natives) {
    if (bif.arity == e.arity && name == bif.name && module == bif.module)
      return is_bif_in_otp(bif, otp_release());
  }
  return false;
}
BIF(erlang, module_loaded, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  CodeTable& code = *p.vm().code;
  load_if_always_there(code, a[0]);
  return make_bool(code.find_module(a[0]) != nullptr);
}
BIF(erlang, is_builtin, 3)
{
  int64_t arity = take_mfa(a);
  if (arity < 0) return arity == -1 ? kBadarg : am::false_;
  const Export* e = p.vm().code->find_export(a[0], a[1], static_cast<uint32_t>(arity));
  return make_bool(e && is_builtin(p.vm(), *e));
}

// --- line coverage: native code does not count lines
// ----------------------------------------------
BIF(code, coverage_support, 0)
{
  return am::false_;
}
BIF(code, get_coverage_mode, 0)
{
  return am::none;
}
BIF(code, set_coverage_mode, 1)
{
  return kBadarg;
}
BIF(code, get_coverage_mode, 1)
{
  return is_atom(a[0]) && p.vm().code->find_module(a[0]) ? am::none : kBadarg;
}
BIF(code, get_coverage, 2)
{
  return kBadarg;
}
BIF(code, reset_coverage, 1)
{
  return kBadarg;
}
BIF(erl_debugger, supported, 0)
{
  return am::false_;
}

// --- what OTP's code_server keeps in a table
// -------------------------------------------------------
static Term ask_code_server(Process& p, Term what, Term module) {
  Export* ask = p.vm().code->export_entry(am::whitebeam_code, am::ask, 1);
  return p.trap(ask, {tuple(p.heap, what, module)});
}
BIF(code_server, is_loaded, 1)
{
  return ask_code_server(p, am::is_loaded, a[0]);
}
BIF(code_server, is_sticky, 1)
{
  return ask_code_server(p, am::is_sticky, a[0]);
}

}  // namespace wb
