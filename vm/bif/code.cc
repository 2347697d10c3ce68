// Loading and forgetting code, and what is known of loaded modules.
//
// Code that is prepared but not yet loaded is a magic reference that owns the module.
#include "loader/code.h"

#include <algorithm>
#include <set>

#include "bytecode/container.h"
#include "loader/code_table.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/nif/loaded.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/requests.h"
#include "vm/process/table.h"

namespace wb {
namespace {

struct PreparedCode : OffHeapObject {
  std::unique_ptr<Module> module;
};
void destroy_prepared(OffHeapObject* o) { delete static_cast<PreparedCode*>(o); }
PreparedCode* prepared_code(Term t) {
  if (!is_kind(t, Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(t);
  return o->destroy == destroy_prepared ? static_cast<PreparedCode*>(o) : nullptr;
}
std::vector<uint8_t> bytes_of(Term binary) {
  ByteView v(binary);
  return {v.data(), v.data() + v.size()};
}
bool flat_text(Term t, std::string* out) { return list_to_bytes(t, out); }

}  // namespace

// --- preparing, finishing ------------------------------------------------------------------------
BIF(erts_internal, prepare_loading, 2)
{
  if (!is_atom(a[0]) || !is_binary(a[1])) return kBadarg;
  auto name = std::string(atom_text(a[0]));
  CodeTable::Prepared m = p.vm().code->prepare(bytes_of(a[1]), name + ".beam");
  if (!m || (*m)->name != a[0]) return tuple(p.heap, am::error, am::badfile);
  p.charge(static_cast<int64_t>((*m)->code_words / 4));
  auto* code = new PreparedCode;
  code->destroy = destroy_prepared;
  code->module = std::move(*m);
  return p.vm().new_magic_ref(p.heap, code, code->module->code_words * 8);
}
BIF(erlang, has_prepared_code_on_load, 1)
{
  PreparedCode* c = prepared_code(a[0]);
  if (!c || !c->module) return kBadarg;
  return make_bool(c->module->on_load_entry != 0);
}
/// Before code changes others run, as on BEAM, and whoever was spawned before begins in what was
/// there: the first call suspends the process, and it calls again.
static Term let_others_run(Process& p) {
  p.rare().others_ran = true;
  suspend_until_passed(p);
  return kYield;
}
/// All or nothing: ok, or {Reason, Modules}. {on_load, [M]}: M is there, but its function must be
/// called before others can call it.
BIF(erlang, finish_loading, 1)
{
  int64_t n = list_length(a[0]);
  if (n < 0) return kBadarg;
  const bool others_ran = std::exchange(p.rare().others_ran, false);
  CodeTable& code = *p.vm().code;
  auto one_at_a_time = code.lock_loading();  // others may have the same prepared code
  std::vector<PreparedCode*> all;
  for (Term l = a[0]; is_cons(l); l = tail(l)) {
    PreparedCode* c = prepared_code(head(l));
    if (!c || !c->module) return kBadarg;
    all.push_back(c);
  }
  auto those = [&](Term reason, auto is_one) {
    ListBuilder list(p.heap);
    bool any = false;
    for (PreparedCode* c : all) {
      if (is_one(c)) list.add(c->module->name), any = true;
    }
    return any ? tuple(p.heap, reason, list.finish()) : kNone;
  };
  std::set<Term> seen;
  Term wrong =
      those(am::duplicated, [&](PreparedCode* c) { return !seen.insert(c->module->name).second; });
  if (is_fault(wrong)) {
    wrong = those(am::not_purged, [&](PreparedCode* c) {
      return code.find_module(c->module->name) && code.find_old_module(c->module->name);
    });
  }
  auto has_on_load = [](PreparedCode* c) { return c->module->on_load_entry != 0; };
  if (is_fault(wrong) && n > 1 && std::ranges::any_of(all, has_on_load)) return kSystemLimit;
  if (is_value(wrong)) return wrong;
  if (!others_ran) return let_others_run(p);
  for (PreparedCode* c : all) {
    Term name = c->module->name;
    bool on_load = c->module->on_load_entry != 0;
    CodeTable::Loaded r = code.commit(c->module);
    if (r && on_load) return tuple(p.heap, am::on_load, cons(p.heap, name, kNil));
    if (!r) return tuple(p.heap, r.error().reason, cons(p.heap, c->module->name, kNil));
  }
  return am::ok;
}
/// Calls the function in this BIF's place.
BIF(erlang, call_on_load_function, 1)
{
  Module* m = is_atom(a[0]) ? p.vm().code->find_pending(a[0]) : nullptr;
  if (!m) return kBadarg;
  return p.trap(&m->on_load, {});
}
BIF(erlang, finish_after_on_load, 2)
{
  if (!is_atom(a[0]) || (a[1] != am::true_ && a[1] != am::false_)) return kBadarg;
  return p.vm().code->end_on_load(a[0], a[1] == am::true_) ? am::true_ : kBadarg;
}

// --- forgetting ----------------------------------------------------------------------------------
BIF(erlang, check_old_code, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  return make_bool(p.vm().code->find_old_module(a[0]) != nullptr);
}
BIF(erlang, delete_module, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  const bool others_ran = std::exchange(p.rare().others_ran, false);
  CodeTable& code = *p.vm().code;
  if (!code.find_module(a[0]) && !code.find_old_module(a[0])) {
    return code.has_known(a[0]) ? am::true_ : am::undefined;
  }
  if (!others_ran) return let_others_run(p);
  return code.delete_module(a[0]) ? am::true_ : kBadarg;
}
/// See CodeTable; for the purger only. True: there is an old version to purge, or it has been
/// purged. What on_load has refused is forgotten at once, so there is nothing to prepare.
BIF(erts_internal, purge_module, 2)
{
  if (p.vm().processes->registered(am::erts_code_purger) != p.id) return p.error(am::notsup);
  if (!is_atom(a[0])) return kBadarg;
  CodeTable& code = *p.vm().code;
  if (a[1] == am::prepare) return make_bool(code.prepare_purge(a[0]));
  if (a[1] == am::prepare_on_load) return am::false_;
  if (a[1] == am::abort) return code.abort_purge(a[0]) ? am::false_ : kBadarg;
  if (a[1] == am::complete) {
    if (const Module* old = code.find_old_module(a[0])) library_purged(*old);
    return make_bool(code.purge_module(a[0]));
  }
  return kBadarg;
}

// --- what is loaded ------------------------------------------------------------------------------
/// Modules that OTP has in its emulator; here they are read from files (vm/boot/boot.h).
BIF(erlang, pre_loaded, 0)
{
  static constexpr struct {
    int since;
    const char* name;
  } modules[] = {
#define PRELOADED(since, module) {since, #module},
#include "loader/preloaded.def"
  };
  ListBuilder list(p.heap);
  for (const auto& module : modules) {
    if (module.since <= otp_release()) list.add(intern(module.name));
  }
  return list.finish();
}
BIF(erlang, loaded, 0)
{
  ListBuilder list(p.heap);
  for (Term name : p.vm().code->loaded_modules()) list.add(name);
  return list.finish();
}

static Term functions_of(Heap& h, const Module& m) {
  ListBuilder list(h);
  for (const Module::Function& f : m.functions) {
    list.add(tuple(h, f.name, make_small(f.arity)));
  }
  return list.finish();
}
/// The latest first, see CodeTable::order_export.
static Term exports_of(Heap& h, const Module& m) {
  std::vector<const Export*> all;
  all.reserve(m.exports.size());
  for (const Module::Exported& e : m.exports) all.push_back(e.target);
  std::ranges::sort(all, std::greater{}, [](const Export* e) { return e->order.load(); });
  ListBuilder list(h);
  for (const Export* e : all) list.add(tuple(h, e->function, make_small(e->arity)));
  return list.finish();
}
/// What zlib and others have as NIFs on BEAM is done natively under other names.
static Term nifs_of(Heap& h, const Module& m) {
  if (m.name != am::erl_tracer) return loaded_nifs(h, m);
  ListBuilder list(h);
  for (const Module::Exported& e : m.exports) {
    if (e.target->bif) list.add(tuple(h, e.target->function, make_small(e.target->arity)));
  }
  return list.finish();
}
static Term decoded(Heap& h, const std::string& external) {
  if (external.empty()) return kNil;
  Term t = decode_term(h, reinterpret_cast<const uint8_t*>(external.data()), external.size());
  return is_value(t) ? t : kNil;
}
static Term module_item(Heap& h, const Module& m, Term item) {
  switch (item) {
    case am::module:
      return m.name;
    case am::exports:
      return exports_of(h, m);
    case am::functions:
      return functions_of(h, m);
    case am::attributes:
      return decoded(h, m.attributes);
    case am::compile:
      return decoded(h, m.compile_info);
    case am::md5:
      return make_binary(h, m.md5, sizeof m.md5);
    case am::native:
      return am::false_;
    case am::native_addresses:
      return kNil;
    case am::nifs:
      return nifs_of(h, m);
    default:
      return kBadarg;
  }
}
BIF(erlang, get_module_info, 1)
{
  const Module* m = is_atom(a[0]) ? p.vm().code->find_module(a[0]) : nullptr;
  if (!m) return kBadarg;
  ListBuilder list(p.heap);
  for (Term item : {am::module, am::exports, am::attributes, am::compile, am::md5}) {
    list.add(tuple(p.heap, item, module_item(p.heap, *m, item)));
  }
  return list.finish();
}
BIF(erlang, get_module_info, 2)
{
  const Module* m = is_atom(a[0]) ? p.vm().code->find_module(a[0]) : nullptr;
  return m && is_atom(a[1]) ? module_item(p.heap, *m, a[1]) : kBadarg;
}

// --- .beam files ---------------------------------------------------------------------------------
BIF(erts_internal, beamfile_chunk, 2)
{
  std::string id;
  if (!is_binary(a[0]) || !flat_text(a[1], &id) || id.size() != 4) return kBadarg;
  std::vector<uint8_t> bytes = bytes_of(a[0]);
  auto chunks = split_chunks(bytes, "");
  if (!chunks) return am::undefined;
  for (const BeamChunk& c : *chunks) {
    if (c.name() == id) return make_binary(p.heap, c.data.data(), c.data.size());
  }
  return am::undefined;
}
BIF(erts_internal, beamfile_module_md5, 1)
{
  if (!is_binary(a[0])) return kBadarg;
  auto file = parse_beam(bytes_of(a[0]), "");
  if (!file) return am::undefined;
  return make_binary(p.heap, file->md5.data(), file->md5.size());
}

// --- below lib/whitebeam_code.erl ----------------------------------------------------------------
BIF(whitebeam, code_path, 0)
{
  ListBuilder list(p.heap);
  for (const std::string& d : p.vm().code->path.directories()) {
    list.add(make_binary(p.heap, d.data(), d.size()));
  }
  return list.finish();
}
/// set_code_path([Binary])
BIF(whitebeam, set_code_path, 1)
{
  std::vector<std::string> all;
  for (Term l = a[0]; is_cons(l); l = tail(l)) {
    if (!is_binary(head(l))) return kBadarg;
    std::vector<uint8_t> d = bytes_of(head(l));
    all.emplace_back(d.begin(), d.end());
  }
  p.vm().code->path.set(std::move(all));
  return am::ok;
}
/// The file of a module on the path, or false.
BIF(whitebeam, find_module_file, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  std::string file = p.vm().code->path.find(atom_text(a[0]));
  return file.empty() ? am::false_ : make_binary(p.heap, file.data(), file.size());
}
/// Where a loaded module came from, or false.
BIF(whitebeam, loaded_from, 1)
{
  const Module* m = is_atom(a[0]) ? p.vm().code->find_module(a[0]) : nullptr;
  return m ? make_binary(p.heap, m->path.data(), m->path.size()) : am::false_;
}
/// load(Module, File, Binary): ok, on_load or {error, Reason}
BIF(whitebeam, load, 3)
{
  if (!is_atom(a[0]) || !is_binary(a[1]) || !is_binary(a[2])) return kBadarg;
  std::vector<uint8_t> file = bytes_of(a[1]);
  CodeTable& code = *p.vm().code;
  CodeTable::Prepared m = code.prepare(bytes_of(a[2]), {file.begin(), file.end()});
  Term failure = am::badfile;
  if (m && (*m)->name == a[0]) {
    bool on_load = (*m)->on_load_entry != 0;
    CodeTable::Loaded r = code.commit(*m);
    if (r) return on_load ? am::on_load : am::ok;
    failure = r.error().reason;
  }
  return tuple(p.heap, am::error, failure);
}

}  // namespace wb
