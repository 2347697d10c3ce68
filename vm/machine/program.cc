#include "vm/machine/program.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "gc/fragment.h"
#include "loader/module_images.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/utf8.h"
#include "vm/process/spawn.h"

namespace wb {

/// A command line argument as a list of characters; bytes that are no UTF-8 stand for themselves.
static Term text_list(Heap& h, std::string_view text) {
  std::vector<uint32_t> characters;
  while (!text.empty()) {
    int32_t c = take_utf8(text);
    if (c < 0) {
      c = static_cast<uint8_t>(text[0]);
      text.remove_prefix(1);
    }
    characters.push_back(static_cast<uint32_t>(c));
  }
  Term list = kNil;
  for (size_t k = characters.size(); k-- > 0;) list = cons(h, make_small(characters[k]), list);
  return list;
}

CodeTable::Loaded load_program(Vm& vm, const std::string& program, Term* module) {
  std::string name = program.substr(program.rfind('/') + 1);
  if (name.ends_with(".beam")) name.resize(name.size() - 5);
  *module = intern(name);
  if (!program.ends_with(".beam")) return vm.code->load_from_path(*module);
  auto bytes = read_code(program);
  if (!bytes) return CodeTable::LoadFailure{am::badfile, strerror(errno)};
  CodeTable::Loaded loaded = vm.code->load(std::move(*bytes), program);
  if (loaded) *module = (*loaded)->name;
  return loaded;
}

bool is_elixir(Term module) { return atom_text(module).starts_with("Elixir."); }

Term argument_list(Heap& h, const std::vector<std::string>& args, bool binaries) {
  Term list = kNil;
  for (size_t k = args.size(); k-- > 0;) {
    Term text = binaries ? make_binary(h, args[k].data(), args[k].size()) : text_list(h, args[k]);
    list = cons(h, text, list);
  }
  return list;
}

bool spawn_main(Vm& vm, const RunOptions& o, Term module) {
  const Term function = intern(o.function);
  auto has = [&](Term name, uint32_t arity) {
    Export* e = vm.code->find_export(module, name, arity);
    return e && e->loaded;
  };
  auto exported = [&](uint32_t arity) { return has(function, arity); };
  FragmentHeap h(64);
  Term args = cons(h, argument_list(h, o.args, is_elixir(module)), kNil);
  if (vm.code->waits_for_on_load(module)) {
    args = cons(h, module, cons(h, function, cons(h, args, kNil)));
    vm.main_pid = spawn_process(vm, nullptr, am::whitebeam_code, am::call, args);
  } else if (exported(1) || exported(0)) {
    vm.main_pid = spawn_process(vm, nullptr, module, function, exported(1) ? args : kNil);
  } else {
    std::string name(atom_text(module));
    fprintf(stderr, "whitebeam: %s has no function %s/1 or %s/0\n", name.c_str(),
            o.function.c_str(), o.function.c_str());
    if (has(intern("main"), 1))
      fprintf(stderr, "  arguments of its main follow that name: PROGRAM main %s\n",
              o.function.c_str());
    return false;
  }
  return true;
}

VmOptions machine_options(const RunOptions& o) {
  VmOptions options;
  if (o.max_processes) options.max_processes = o.max_processes;
  options.schedulers = o.schedulers > 0 ? static_cast<uint32_t>(o.schedulers) : 0;
  options.gc_stress = o.gc_stress;
  options.check_nifs = o.check_nifs.empty()      ? NifChecks::off
                       : o.check_nifs == "abort" ? NifChecks::abort
                                                 : NifChecks::report;
  options.seed = o.seed;
  options.event_log = o.event_log;
  options.jit = o.jit == "off"              ? JitMode::off
                : o.jit == "baseline"       ? JitMode::baseline
                : o.jit == "baseline-eager" ? JitMode::baseline_eager
                : o.jit == "always"         ? JitMode::always
                                            : JitMode::full;
  options.jit_report = o.jit_report;
  options.jit_ir = o.jit_ir;
  options.perf_map = o.perf_map;
  options.gdb_symbols = o.gdb_symbols;
  options.code_paths = o.code_paths;
  options.last_paths = o.last_paths;
  options.otp_root = o.otp_root;
  if (!o.otp_root.empty()) options.otp = read_otp_release(o.otp_root);
  options.max_memory = o.max_memory;
  // What a module of an image does not need to be told (atoms of its attributes) programs can see.
  const bool can_be_repeated = o.seed || keeps_or_replays(o);
  if (o.image && !can_be_repeated) options.images = ModuleImages::usual_directory();
  return options;
}

}  // namespace wb
