#include "vm/embed.h"

#include <cstdio>

#include "gc/fragment.h"
#include "loader/code_server.h"
#include "term/atom.h"
#include "vm/process/run.h"
#include "vm/vm.h"

namespace wb {

static std::string directory_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}
static bool ends_with(const std::string& s, std::string_view end) {
  return s.size() >= end.size() && s.compare(s.size() - end.size(), end.size(), end) == 0;
}
static Term text_list(Heap& h, const std::string& text) {
  Term list = kNil;
  for (size_t k = text.size(); k-- > 0;) {
    list = cons(h, make_small(static_cast<uint8_t>(text[k])), list);
  }
  return list;
}

static Module* load_program(Vm& vm, const std::string& program) {
  std::string module = program;
  if (ends_with(program, ".beam")) {
    vm.code->path.add_first(directory_of(program));
    size_t slash = module.rfind('/');
    if (slash != std::string::npos) module = module.substr(slash + 1);
    module.resize(module.size() - 5);
  }
  CodeServer::Loaded r = vm.code->load_from_path(intern(module));
  if (r) return *r;
  fprintf(stderr, "whitebeam: cannot load %s: %s\n", program.c_str(), r.error().message.c_str());
  return nullptr;
}

int run_program(const RunOptions& o) {
  VmOptions options;
  options.schedulers = o.schedulers > 0 ? static_cast<uint32_t>(o.schedulers) : 0;
  options.gc_stress = o.gc_stress;
  options.seed = o.seed;
  options.code_paths = o.code_paths;
  options.code_paths.push_back(".");
  if (!o.otp_root.empty()) options.library_roots.push_back(o.otp_root);
  options.library_roots.push_back("/usr/lib/elixir");
  Vm vm(options);
  Module* m = load_program(vm, o.program);
  if (!m) return 2;
  Term function = intern(o.function);
  auto exported = [&](uint32_t arity) {
    Export* e = vm.code->find_export(m->name, function, arity);
    return e && e->loaded;
  };
  FragmentHeap h(64);
  Term args = kNil;
  if (exported(1)) {
    Term strings = kNil;
    for (size_t k = o.args.size(); k-- > 0;) strings = cons(h, text_list(h, o.args[k]), strings);
    args = cons(h, strings, kNil);
  } else if (!exported(0)) {
    fprintf(stderr, "whitebeam: %s has no function %s/1 or %s/0\n",
            std::string(atom_text(m->name)).c_str(), o.function.c_str(), o.function.c_str());
    return 2;
  }
  vm.main_pid = spawn_process(vm, nullptr, m->name, function, args);
  vm.start();
  return vm.wait();
}

}  // namespace wb
