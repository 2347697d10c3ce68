#include "vm/embed.h"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "gc/fragment.h"
#include "loader/code_server.h"
#include "loader/disasm_loaded.h"
#include "term/atom.h"
#include "term/utf8.h"
#include "vm/io/services.h"
#include "vm/process/run.h"
#include "vm/run_stats.h"
#include "vm/vm.h"

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

static CodeServer::Loaded load_program(Vm& vm, const std::string& program) {
  if (!program.ends_with(".beam")) return vm.code->load_from_path(intern(program));
  std::ifstream in(program, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return vm.code->load(std::move(bytes), program);
}

static Module* load_or_complain(Vm& vm, const std::string& program) {
  CodeServer::Loaded r = load_program(vm, program);
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
  Module* m = load_or_complain(vm, o.program);
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
  vm.services = std::make_unique<Services>(vm, o.args);
  vm.main_pid = spawn_process(vm, nullptr, m->name, function, args);
  vm.start();
  int exit_code = vm.wait();
  if (o.stats) print_run_stats(vm);
  return exit_code;
}

bool disassemble_loaded_file(const std::string& path, const std::string& function,
                             std::string* out) {
  auto bytes = read_file_bytes(path);
  if (!bytes) {
    *out = path + ": cannot be read";
    return false;
  }
  Vm vm({});
  CodeServer::Loaded r = vm.code->load(std::move(*bytes), path);
  if (!r) {
    *out = r.error().message;
    return false;
  }
  *out = disassemble_loaded(*vm.code, **r, function.substr(0, function.find('/')));
  return true;
}

}  // namespace wb
