// erlang:load_nif/2. Libraries cannot be loaded; of some modules the native functions are here
// anyway (static_nifs.def), and what they ask for is granted.
#include <unistd.h>

#include <string>
#include <string_view>

#include "loader/code_table.h"
#include "term/lists.h"
#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/process/exec.h"
#include "vm/process/native.h"

namespace wb {

namespace {
struct StaticNif {
  std::string_view module, library;
};
constexpr StaticNif kStaticNifs[] = {
#define STATIC_NIF(module, library) {#module, #library},
#include "vm/boot/static_nifs.def"
};

/// Is `library` (a path, or the name of one that is linked into BEAM) that of `module`?
bool is_static(std::string_view module, std::string_view library) {
  std::string_view name = library.substr(library.rfind('/') + 1);
  for (const StaticNif& nif : kStaticNifs) {
    if (nif.module == module && nif.library == name) return true;
  }
  return false;
}

Term failed(Heap& h, Term reason, const std::string& text) {
  auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  return tuple(h, am::error, tuple(h, reason, bytes_to_list(h, bytes, text.size())));
}
}  // namespace

BIF(erlang, load_nif, 2)
{
  std::string library;
  if (!is_list(a[0]) || !name_bytes(a[0], &library)) return kBadarg;
  const Module* caller = p.vm().code->module_at(p.exec->pc);
  if (caller && is_static(atom_text(caller->name), library)) return am::ok;
  std::string file = library + ".so";
  const char* why = access(file.c_str(), R_OK) == 0
                        ? "native libraries are not supported by this machine"
                        : "cannot open shared object file: No such file or directory";
  return failed(p.heap, intern("load_failed"),
                "Failed to load NIF library: '" + file + ": " + why + "'");
}

}  // namespace wb
