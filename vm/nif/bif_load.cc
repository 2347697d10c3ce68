// erlang:load_nif/2.
//
// Texts are OTP's, bit by bit. What BEAM dies of, a file that is damaged (library_file.h) and an
// entry that leads nowhere (claims.h), is refused in words of ours.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "loader/code_table.h"
#include "term/lists.h"
#include "term/print.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/nif/checker.h"
#include "vm/nif/claims.h"
#include "vm/nif/functions.h"
#include "vm/nif/library.h"
#include "vm/nif/library_file.h"
#include "vm/nif/newer_functions.h"
#include "vm/nif/recorded_random.h"
#include "vm/nif/static_libraries.h"
#include "vm/process/exec.h"
#include "vm/process/native.h"

namespace wb {
namespace {

struct Failure {
  Term why;
  std::string text;
};
using Checked = std::optional<Failure>;  ///< nothing: it is fine

Term error_tuple(Heap& h, const Failure& f) {
  auto bytes = reinterpret_cast<const uint8_t*>(f.text.data());
  const Term text = bytes_to_list(h, bytes, f.text.size());
  return tuple(h, am::error, tuple(h, f.why, text));
}

/// The module whose code calls: of the instruction, or if that is no module's (apply/3) of the one
/// that is returned to.
Module* calling_module(Exec& c) {
  const CodeTable& code = *c.vm->code;
  const Module* m = code.module_at(c.pc);
  for (const Term* e = c.e(); !m && e < c.p->heap.stack_base(); ++e) {
    if (is_code(*e)) m = code.module_at(reinterpret_cast<const Word*>(*e) - 1);
  }
  return const_cast<Module*>(m);
}

/// A list (of lists) of characters or a binary, as a file name of the system.
bool path_text(Term t, std::string* path) {
  if (is_binary(t)) {
    ByteView bytes(t);
    path->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return path->find('\0') == std::string::npos;
  }
  return is_list(t) && name_bytes(t, path);
}

// --- libraries that are part of the machine
// -------------------------------------------------------
/// Is it that of `m`? By a path, or the name of one that is linked into BEAM.
bool is_static(const Module& m, std::string_view path) {
  struct Row {
    std::string_view module, library;
  };
  static constexpr Row kRows[] = {
#define STATIC_NIF(module, library) {#module, #library},
#include "vm/nif/static_nifs.def"
  };
  const std::string_view library = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(
      kRows, [&](const Row& r) { return r.module == atom_text(m.name) && r.library == library; });
}

// --- files ---------------------------------------------------------------------------------------
Failure load_failed(const std::string& why) {
  return {am::load_failed, fmt::format("Failed to load NIF library: '{}'", why)};
}

/// *entry: what its init function gives.
Checked open_library(const std::string& file, void** handle, const ErlNifEntry** entry) {
  WB_CHECK(!nif_functions().empty());  // so they are linked, all of them
  const std::string damage = damage_of_library_file(file);
  if (!damage.empty()) return load_failed(file + ": " + damage);
  *handle = dlopen(file.c_str(), RTLD_NOW);
  if (!*handle) return load_failed(dlerror());
  using Init = ErlNifEntry* (*)();
  auto init = reinterpret_cast<Init>(dlsym(*handle, "nif_init"));
  if (!init) init = reinterpret_cast<Init>(dlsym(*handle, "_nif_init"));
  if (!init) {
    return Failure{am::bad_lib,
                   fmt::format("Failed to find library init function: '{}'", dlerror())};
  }
  *entry = init();
  if (!*entry) return Failure{am::bad_lib, "Library init-call unsuccessful"};
  return {};
}

// --- what it says of itself ----------------------------------------------------------------------
std::string name_text(Term module, const char* function, unsigned arity) {
  return fmt::format("{}:{}/{}", atom_source(module), function, arity);
}

Checked check_version(const NifEntry& e) {
  if (e->major < ERL_NIF_MIN_REQUIRED_MAJOR_VERSION_ON_LOAD) {
    return Failure{
        am::bad_lib,
        fmt::format("That old NIF library ({}.{}) is not compatible with this erts "
                    "runtime ({}.{}). Try recompile the NIF lib.",
                    e->major, e->minor, ERL_NIF_MAJOR_VERSION, nif_minor_of(otp_release()))};
  }
  const bool newer = e->major > ERL_NIF_MAJOR_VERSION || e->minor > kNewestNifMinor;
  if (newer) {
    const char* erts = e.min_erts() ? e.min_erts() : "?";
    return Failure{am::bad_lib,
                   fmt::format("That '{}' NIF library needs {} or newer. Either try to recompile "
                               "the NIF lib or use a newer erts runtime.",
                               e->name, erts)};
  }
  if (strcmp(e.variant(), ERL_NIF_VM_VARIANT) != 0) {
    return Failure{am::bad_lib, fmt::format("Library ({}) not compiled for this vm variant ({}).",
                                            e.variant(), ERL_NIF_VM_VARIANT)};
  }
  return {};
}

const Module::Function* function_named(const Module& m, Term name, unsigned arity) {
  for (const Module::Function& f : m.functions) {
    if (f.name == name && f.arity == arity) return &f;
  }
  return nullptr;
}
bool is_replaceable(const Module& m, const Module::Function& f) {
  const auto index = static_cast<uint32_t>(&f - m.functions.data());
  return std::ranges::binary_search(m.replaceable, index);
}

/// A function of the module, and what takes its place.
struct Replacement {
  const Module::Function* function;
  const NifFunction* native;
};
Checked take_functions(NifLibrary& library, const Module& m, std::vector<Replacement>* all,
                       bool if_declared) {
  std::set<const Module::Function*> seen;
  const NifEntry& e = library.entry();
  for (size_t k = 0; k < e.functions(); ++k) {
    const ErlNifFunc f = e.function(k);
    const Term name = find_atom(f.name);
    const Module::Function* at = is_value(name) ? function_named(m, name, f.arity) : nullptr;
    if (if_declared && (!at || !is_replaceable(m, *at))) continue;
    const std::string text = name_text(m.name, f.name, f.arity);
    if (!at) return Failure{am::bad_lib, "Function not found " + text};
    if (!is_replaceable(m, *at)) {
      return Failure{am::bad_lib, "Function not declared as nif " + text};
    }
    if (!NifFunction::caller(f.flags, false)) {
      return Failure{am::bad_lib,
                     fmt::format("Illegal flags field value {} for NIF {}", f.flags, text)};
    }
    if (!seen.insert(at).second) return Failure{am::bad_lib, "Duplicate NIF entry for " + text};
    all->push_back({at, &library.add_function(f, name)});
  }
  return {};
}

// --- its callbacks -------------------------------------------------------------------------------
/// The library of the version before, whose private data the new one takes over.
NifLibrary* library_before(const CodeTable& code, const Module& m) {
  const Module* current = code.find_module(m.name);
  const bool waits = current && current != &m;  // for the end of on_load
  const Module* before = waits ? current : code.find_old_module(m.name);
  return before ? library_of(*before) : nullptr;
}

Checked call_load(Exec& c, NifLibrary& library, Module& m, Term info) {
  NifEnv env{*c.vm, &c.p->heap, c.p, &library, NifEnv::Kind::call};
  const NifEntry& e = library.entry();
  NifLibrary* before = library_before(*c.vm->code, m);
  CheckedCall call(env, {.library = &library, .callback = before ? "upgrade" : "load"}, {&info, 1});
  library.loading(true);
  Checked failure;
  if (before) {
    if (!e->upgrade) {
      failure = Failure{am::upgrade, "Upgrade not supported by this NIF library."};
    } else if (int r = e->upgrade(&env, library.priv_data(), before->priv_data(), info)) {
      failure = Failure{am::upgrade, fmt::format("Library upgrade-call unsuccessful ({}).", r)};
    }
  } else if (e->load) {
    if (int r = e->load(&env, library.priv_data(), info)) {
      failure = Failure{am::load, fmt::format("Library load-call unsuccessful ({}).", r)};
    }
  }
  library.loading(false);
  return failure;
}

/// `known`: one that is linked in; else it is in `file`.
Checked load_into(Exec& c, Module& m, const ErlNifEntry* known, const std::string& file,
                  Term info) {
  void* handle = nullptr;
  const ErlNifEntry* entry = nullptr;
  if (known) {
    entry = known;
  } else if (Checked failure = open_library(file, &handle, &entry)) {
    if (handle) dlclose(handle);
    return failure;
  }
  if (!known) c.vm->nifs->add_taint(m.name);
  if (!known && c.vm->oracle->recording()) record_random_numbers();
  auto* library = new NifLibrary(*c.vm, handle, entry, m.name);
  library->path = file;
  if (library->is_checked()) check_imports_of(handle);
  std::vector<Replacement> all;
  Checked failure;
  if (std::string wrong = wrong_in_entry(library->entry(), m.functions.size()); !wrong.empty())
    failure = Failure{am::bad_lib, "Library entry is damaged: " + wrong};
  if (!failure) failure = check_version(library->entry());
  if (!failure && find_atom(entry->name) != m.name) {
    failure = Failure{am::bad_lib,
                      fmt::format("Library module name '{}' does not match calling module '{}'",
                                  entry->name, atom_source(m.name))};
  }
  if (!failure) failure = take_functions(*library, m, &all, known != nullptr);
  if (!failure) failure = call_load(c, *library, m, info);
  if (failure) {
    library->release();
    return failure;
  }
  library->attach(m);
  for (const Replacement& r : all) {
    m.native_slot(*r.function)
        .store(reinterpret_cast<Word>(static_cast<const NativeFunction*>(r.native)),
               std::memory_order_release);
  }
  return {};
}

}  // namespace

BIF(erlang, load_nif, 2)
{
  std::string path;
  if (!path_text(a[0], &path)) return kBadarg;
  Exec& c = *p.exec;
  Module* m = calling_module(c);
  if (!m) return kBadarg;
  if (is_static(*m, path)) return am::ok;
  if (p.vm().code->find_old_module(m->name) == m) {
    return error_tuple(
        p.heap, {am::old_code, fmt::format("Calling load_nif from old module '{}' not allowed",
                                           atom_source(m->name))});
  }
  if (m->nifs) {
    return error_tuple(
        p.heap, {am::reload, "NIF library already loaded (reload disallowed since OTP 20)."});
  }
  const ErlNifEntry* known = atom_text(m->name) == path ? static_library(path) : nullptr;
  const Checked failure = load_into(c, *m, known, path + ".so", a[1]);
  return failure ? error_tuple(p.heap, *failure) : am::ok;
}

}  // namespace wb
