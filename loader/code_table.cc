#include "loader/code_table.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/recording.h"
#include "base/stopwatch.h"
#include "bytecode/decode.h"
#include "bytecode/validate.h"
#include "loader/beliefs.h"
#include "loader/code_words.h"
#include "loader/embedded_modules.h"
#include "loader/emit.h"
#include "loader/module_image.h"
#include "loader/module_images.h"
#include "loader/relocations.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "term/atom_reserve.h"
#include "term/instance.h"
#include "term/record.h"

namespace wb {

// The machine's own code: a word to leave by, and (8 modulo 16) the bottom return address.
CodeTable::CodeTable(const Word* handlers)
    : handlers_(handlers), code_words_(std::make_unique<CodeWords>(handlers)) {
  machine_code_[0] = handler(Instr::leave);
  machine_code_[1] = handler(Instr::process_end);
  machine_code_[3] = handler(Instr::return_trace);
  machine_code_[5] = handler(Instr::return_to_trace);
  machine_code_[7] = handler(Instr::return_metered);
  leave = &machine_code_[0];
  process_end = &machine_code_[1];
  return_trace = &machine_code_[3], return_to_trace = &machine_code_[5];
  return_metered = &machine_code_[7];
  await_reply = add_builtin(am::erlang, intern("await reply"), 0, Instr::await_reply);
  apply_2_ = add_builtin(am::erlang, am::apply, 2, Instr::apply_entry, 2);
  apply_3_ = add_builtin(am::erlang, am::apply, 3, Instr::apply_entry, 3);
  add_builtin(am::erlang, am::hibernate, 3, Instr::hibernate_entry);
  // What erlang:hibernate/0 goes on as, where that is there: since OTP 28.
  add_builtin(am::erlang, intern("hibernate in place"), 0, Instr::hibernate_entry);
}
CodeTable::~CodeTable() = default;

bool CodeTable::use_images(const std::string& directory, std::string* why) {
  images_ = ModuleImages::open(directory, why);
  return images_ != nullptr;
}

void CodeTable::close_images() { images_.reset(); }

// --- exports, funs -------------------------------------------------------------------------------
Export* CodeTable::export_entry(Term module, Term function, uint32_t arity) {
  return exports_.find_or_add(module, function, arity, [&] {
    auto* e = new Export{};
    e->module = module, e->function = function, e->arity = arity;
    e->stub[0] = handler(Instr::func_info);
    e->stub[1] = module, e->stub[2] = function, e->stub[3] = arity;
    e->stub[4] = handler(Instr::undefined_entry);
    e->stub[5] = reinterpret_cast<Word>(e);
    e->entry.store(e->stub_entry(), std::memory_order_release);
    return e;
  });
}
void CodeTable::order_export(Export& e) {
  if (e.order.load(std::memory_order_relaxed)) return;
  uint32_t none = 0;
  e.order.compare_exchange_strong(none, ++last_order_, std::memory_order_relaxed);
}
Export* CodeTable::ordered_export(Term module, Term function, uint32_t arity) {
  Export* e = export_entry(module, function, arity);
  order_export(*e);
  return e;
}
void CodeTable::add_bif(Term module, Term function, uint32_t arity, void* fn) {
  Export* e = ordered_export(module, function, arity);
  e->bif = fn;
  e->stub[4] = handler(Instr::bif_entry);
  e->body.store(fn, std::memory_order_relaxed);
  e->loaded.store(true, std::memory_order_release);
}
Export* CodeTable::add_builtin(Term module, Term function, uint32_t arity, Instr instr,
                               Word operand) {
  Export* e = ordered_export(module, function, arity);
  e->stub[4] = handler(instr);
  e->stub[5] = operand;
  e->builtin = true;
  e->loaded.store(true, std::memory_order_release);
  return e;
}

FunEntry* CodeTable::fun_entry(Term module, uint32_t old_index, uint32_t old_uniq, uint32_t index,
                               const uint8_t uniq[16], uint32_t arity, uint32_t free_count) {
  std::unique_lock lock(lock_);
  auto& slot = funs_[FunKey{module, old_uniq, index, arity, free_count}];
  if (!slot) {
    slot = std::make_unique<FunEntry>();
    slot->module = module;
    slot->old_index = old_index, slot->old_uniq = old_uniq, slot->index = index;
    memcpy(slot->uniq, uniq, sizeof slot->uniq);
    slot->arity = arity;
    slot->free_count = free_count;
    slot->name = kNil;
  }
  return slot.get();
}

// --- loading -------------------------------------------------------------------------------------
/// `loading` is locked before anything of the table changes. *image, if one is wanted, becomes what
/// ModuleImages keeps; empty: this module has none.
CodeTable::Prepared CodeTable::check_and_emit(std::vector<uint8_t> bytes, const std::string& path,
                                              std::unique_lock<std::recursive_mutex>& loading,
                                              std::vector<uint8_t>* image) {
  auto parsed = parse_beam(std::move(bytes), path);
  if (!parsed) return LoadFailure{am::badfile, parsed.error().message()};
  BeamFile& file = *parsed;
  auto unit = decode(file);
  if (!unit) return LoadFailure{am::badfile, unit.error().message()};
  std::optional<Relocations> relocations;
  if (image) relocations.emplace(*this, file);
  ValidateOptions options;
  options.replaced = [&](Term m, Term f, uint32_t arity) {
    if (relocations) relocations->ask(m, f, arity);
    Export* e = find_export(m, f, arity);
    return e && (e->bif || e->builtin);
  };
  std::unique_ptr<Beliefs> believed = believe(*unit);
  if (believed) {
    options.observe = [&](uint32_t at, const FlowState& state) { believed->observe(at, state); };
    relocations.reset();
  }
  if (auto error = validate(&*unit, options)) return LoadFailure{am::badfile, error->message()};
  loading.lock();
  std::string why;
  std::unique_ptr<Module> m =
      emit_module(*this, file, *unit, &why, believed.get(), relocations ? &*relocations : nullptr);
  if (!m) return LoadFailure{am::badfile, path + ": " + why};
  if (relocations) *image = write_image(*m, file, std::move(*relocations));
  return m;
}

CodeTable::Prepared CodeTable::prepare(std::vector<uint8_t> bytes, const std::string& path) {
  AtomReserve reserve;
  Stopwatch watch(counts.ns);
  counts.modules.fetch_add(1, std::memory_order_relaxed);
  counts.file_bytes.fetch_add(bytes.size(), std::memory_order_relaxed);
  std::unique_lock loading(loading_, std::defer_lock);
  std::unique_ptr<Module> m;
  ImageKey key{};
  std::vector<uint8_t> made;
  if (images_) {
    key = ModuleImages::key_of(bytes, static_cast<uint32_t>(otp_release()));
    ModuleImages::Memory memory(images_.get());
    const auto image = images_->read(key, memory);
    loading.lock();
    if (!image.empty()) m = link_image(*this, image);
    if (!m) loading.unlock();
  }
  if (!m) {
    Prepared anew = check_and_emit(std::move(bytes), path, loading, images_ ? &made : nullptr);
    if (!anew) return anew.error();
    m = std::move(*anew);
  }
  m->path = path;
  m->image_key = key;
  // OTP builds the modules of erts into its emulator, without line numbers, attributes and options.
  if (path.find("/erts-") != std::string::npos) {
    m->lines.clear();
    m->attributes.clear(), m->compile_info.clear();
  }
  if (hooks) hooks->linked(*m);
  loading.unlock();
  if (!made.empty()) images_->write(key, made);
  return m;
}

CodeTable::Loaded CodeTable::commit(std::unique_ptr<Module>& m) {
  Module* module = m.get();
  if (Worker* w = Scheduler::current()) w->note(EventKind::load, atom_index(m->name));
  std::unique_lock lock(lock_);
  Versions& v = modules_[m->name];
  if (v.current && v.old) {
    return LoadFailure{am::not_purged, m->path + ": the old version of the module is still there"};
  }
  for (Module::Exported& x : m->exports) order_export(*x.target);
  for (Export* e : std::exchange(m->imports, {})) order_export(*e);
  if (m->on_load_entry) {
    if (v.pending) return LoadFailure{am::on_load, m->path + ": its on_load function is running"};
    add_address(*m);
    Export& e = m->on_load;
    e.module = m->name, e.function = am::on_load, e.arity = 0;
    e.entry.store(m->code + m->on_load_entry, std::memory_order_release);
    for (size_t k = 0; k < m->funs.size(); ++k) {
      Word* none = nullptr;
      m->funs[k]->entry.compare_exchange_strong(none, m->code + m->fun_entries[k]);
    }
    v.pending = std::move(m);
    return module;
  }
  add_address(*m);
  make_current(v, std::move(m));
  return module;
}

CodeTable::Loaded CodeTable::load(std::vector<uint8_t> bytes, const std::string& path) {
  Prepared m = prepare(std::move(bytes), path);
  if (!m) return m.error();
  if ((*m)->on_load_entry) {
    std::unique_lock lock(lock_);
    with_on_load_.insert((*m)->name);
    return LoadFailure{am::on_load, path + ": has an on_load function"};
  }
  return commit(*m);
}

Module* CodeTable::find_pending(Term name) const {
  std::shared_lock lock(lock_);
  auto it = modules_.find(name);
  return it == modules_.end() ? nullptr : it->second.pending.get();
}

bool CodeTable::waits_for_on_load(Term name) const {
  std::shared_lock lock(lock_);
  auto it = modules_.find(name);
  return with_on_load_.count(name) && (it == modules_.end() || !it->second.current);
}

bool CodeTable::end_on_load(Term name, bool keep) {
  std::unique_lock lock(lock_);
  auto it = modules_.find(name);
  if (it == modules_.end() || !it->second.pending) return false;
  std::unique_ptr<Module> m = std::move(it->second.pending);
  if (keep)
    make_current(it->second, std::move(m));
  else
    forget_code(std::move(m));
  return true;
}

void CodeTable::add_address(Module& m) {
  auto at = std::upper_bound(by_address_.begin(), by_address_.end(), m.code,
                             [](const Word* c, const Module* o) { return c < o->code; });
  by_address_.insert(at, &m);
}

void CodeTable::make_current(Versions& v, std::unique_ptr<Module> next) {
  Module& m = *next;
  if (v.current && hooks) hooks->becoming_old(*v.current);
  if (v.current) v.old = std::move(v.current);
  v.current = std::move(next);
  for (size_t k = 0; k < m.funs.size(); ++k) {
    m.funs[k]->entry.store(m.code + m.fun_entries[k], std::memory_order_release);
  }
  for (Module::Exported& x : m.exports) {
    if (x.target->bif || x.target->builtin) continue;
    x.target->entry.store(m.code + x.entry, std::memory_order_release);
    x.target->loaded.store(true, std::memory_order_release);
  }
  if (v.old) forget_exports(*v.old);  // those that are no longer there
  // Last: who finds it calls its functions.
  current_.set(m.name, reinterpret_cast<Word>(&m));
  if (hooks) hooks->became_current(m);
}
void CodeTable::forget_exports(Module& m) {
  for (Module::Exported& x : m.exports) {
    if (x.target->bif || x.target->builtin) continue;
    if (!m.contains(x.target->entry.load(std::memory_order_acquire))) continue;
    x.target->loaded.store(false, std::memory_order_release);
    x.target->entry.store(x.target->stub_entry(), std::memory_order_release);
  }
}

std::optional<std::vector<uint8_t>> read_file_bytes(const std::string& path) {
  FILE* f = fopen(path.c_str(), "rb");
  if (!f) return {};
  std::vector<uint8_t> bytes;
  uint8_t buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) {
    bytes.insert(bytes.end(), buffer, buffer + n);
  }
  bool ok = !ferror(f);
  fclose(f);
  if (!ok) return {};
  return bytes;
}

std::optional<std::vector<uint8_t>> read_code(const std::string& path) {
  auto bytes = read_file_bytes(path);
  if (Recording* r = recording_here()) r->code(path, &bytes);
  return bytes;
}

CodeTable::Loaded CodeTable::load_from_path(Term module) {
  if (auto own = embedded_module(atom_text(module)); !own.empty()) {
    std::lock_guard one_at_a_time(loading_);
    if (Module* m = find_module(module)) return m;
    return load({own.begin(), own.end()}, std::string(atom_text(module)) + ".beam");
  }
  std::string file = path.find(atom_text(module));
  if (file.empty()) {
    return LoadFailure{am::nofile, std::string(atom_text(module)) + ": no such module on the path"};
  }
  std::lock_guard one_at_a_time(loading_);
  if (Module* m = find_module(module)) return m;  // somebody else was faster
  auto bytes = read_code(file);
  if (!bytes) return LoadFailure{am::nofile, file + ": cannot be read"};
  Loaded result = load(std::move(*bytes), file);
  if (result && (*result)->name != module) {
    return LoadFailure{am::badfile, file + ": contains another module"};
  }
  return result;
}

/// Modules of our own are there on a booted machine, too, whose code server does not know of them.
static bool loads_by_itself(const CodeTable& code, Term module) {
  return code.lazy_loading || !embedded_module(atom_text(module)).empty();
}

/// Who finds a module finds all of its exports and funs, also if it came after the first look.
Export* CodeTable::resolve_undefined(Export* e) {
  auto found = [&] { return e->loaded.load(std::memory_order_acquire) ? e : nullptr; };
  if (found()) return e;
  if (find_module(e->module) || !loads_by_itself(*this, e->module)) return found();
  Loaded r = load_from_path(e->module);
  if (!r) {
    if (r.error().reason != am::nofile && r.error().reason != am::on_load && hooks)
      hooks->log(r.error().message);
    return nullptr;
  }
  return found();
}

const Word* CodeTable::resolve_fun(FunEntry* f) {
  if (const Word* code = f->entry.load(std::memory_order_acquire)) return code;
  if (find_module(f->module) || !loads_by_itself(*this, f->module))
    return f->entry.load(std::memory_order_acquire);
  if (!load_from_path(f->module)) return nullptr;
  return f->entry.load(std::memory_order_acquire);
}

// --- looking -------------------------------------------------------------------------------------
Term CodeTable::find_record(Term module, Term name) const {
  std::shared_lock lock(lock_);
  auto it = modules_.find(module);
  if (it == modules_.end() || !it->second.current) return kNone;
  return template_named(it->second.current->records, name);
}
Module* CodeTable::find_old_module(Term name) const {
  std::shared_lock lock(lock_);
  auto it = modules_.find(name);
  return it == modules_.end() ? nullptr : it->second.old.get();
}
bool CodeTable::has_known(Term name) const {
  std::shared_lock lock(lock_);
  return modules_.count(name) != 0;
}
const Module* CodeTable::module_at(const Word* pc) const {
  std::shared_lock lock(lock_);
  auto at = std::upper_bound(by_address_.begin(), by_address_.end(), pc,
                             [](const Word* p, const Module* m) { return p < m->code; });
  if (at == by_address_.begin()) return nullptr;
  const Module* m = *(at - 1);
  return m->contains(pc) ? m : nullptr;
}
std::vector<Term> CodeTable::loaded_modules() const {
  std::shared_lock lock(lock_);
  std::vector<Term> names;
  for (auto& [name, v] : modules_) {
    if (v.current) names.push_back(name);
  }
  return names;
}

size_t CodeTable::words() const {
  std::shared_lock lock(lock_);
  size_t sum = 0;
  for (auto& [name, v] : modules_) {
    if (v.current) sum += v.current->code_words + v.current->literals.words();
  }
  return sum;
}

size_t CodeTable::literal_words() const {
  std::shared_lock lock(lock_);
  size_t sum = 0;
  for (auto& [name, v] : modules_) {
    if (v.current) sum += v.current->literals.words();
  }
  return sum;
}

// --- deleting ------------------------------------------------------------------------------------
bool CodeTable::delete_module(Term name) {
  std::unique_lock lock(lock_);
  auto it = modules_.find(name);
  if (it == modules_.end() || !it->second.current || it->second.old) return false;
  if (hooks) hooks->becoming_old(*it->second.current);
  forget_exports(*it->second.current);
  it->second.old = std::move(it->second.current);
  current_.set(name, kNone);
  return true;
}

// --- purging -------------------------------------------------------------------------------------
bool CodeTable::prepare_purge(Term name) {
  std::unique_lock lock(lock_);
  auto it = modules_.find(name);
  if (it == modules_.end() || !it->second.old) return false;
  ++it->second.purges;
  close_funs(*it->second.old);
  return true;
}
bool CodeTable::abort_purge(Term name) {
  std::unique_lock lock(lock_);
  auto it = modules_.find(name);
  if (it == modules_.end() || !it->second.old) return false;
  Versions& v = it->second;
  if (v.purges == 0 || --v.purges > 0) return true;
  for (size_t k = 0; k < v.old->funs.size(); ++k) {
    Word* none = nullptr;
    v.old->funs[k]->entry.compare_exchange_strong(none, v.old->code + v.old->fun_entries[k]);
  }
  end_purge(v, lock);
  return true;
}
bool CodeTable::is_being_purged(Term name) const {
  std::shared_lock lock(lock_);
  auto it = modules_.find(name);
  return it != modules_.end() && it->second.purges > 0;
}
bool CodeTable::await_purge(Term name, Term pid) {
  std::unique_lock lock(lock_);
  auto it = modules_.find(name);
  if (it == modules_.end() || it->second.purges == 0) return false;
  it->second.waiting.push_back(pid);
  return true;
}
void CodeTable::end_purge(Versions& v, std::unique_lock<std::shared_mutex>& lock) {
  v.purges = 0;
  std::vector<Term> waiting = std::exchange(v.waiting, {});
  lock.unlock();
  for (Term pid : waiting) hooks->purge_over(pid);
}
bool CodeTable::purge_module(Term name) {
  std::unique_lock lock(lock_);
  auto it = modules_.find(name);
  if (it == modules_.end() || !it->second.old) return false;
  forget_code(std::move(it->second.old));
  end_purge(it->second, lock);
  return true;
}

/// Funs that lead into this version lead nowhere.
void CodeTable::close_funs(Module& m) {
  for (FunEntry* f : m.funs) {
    Word* e = f->entry.load(std::memory_order_acquire);
    if (e && m.contains(e)) f->entry.store(nullptr, std::memory_order_release);
  }
}
/// Takes a version out. Its code is freed later: whoever ended in it may be on the way out.
void CodeTable::forget_code(std::unique_ptr<Module> m) {
  close_funs(*m);
  by_address_.erase(std::find(by_address_.begin(), by_address_.end(), m.get()));
  if (hooks) hooks->being_freed(*m);
  purged_.push_back(std::move(m));
  free_when_unused(*purged_.back());
}
void CodeTable::free_when_unused(Module& m) {
  struct PendingFree {
    CodeTable& table;
    Module& gone;
  };
  if (!scheduler_) return retire(free_code(m));
  scheduler_->retire(new PendingFree{*this, m}, [](void* b) {
    std::unique_ptr<PendingFree> pending_free(static_cast<PendingFree*>(b));
    CodeTable& table = pending_free->table;
    std::unique_lock lock(table.lock_);
    std::unique_ptr<Module> retired = table.free_code(pending_free->gone);
    lock.unlock();  // a process is woken, whose state a profiler may ask for, and the table for it
    table.retire(std::move(retired));
  });
}
void CodeTable::retire(std::unique_ptr<Module> m) {
  if (m) hooks->retired(std::move(m));
}
/// Returns what is left of it: literals, which go when no process uses them.
std::unique_ptr<Module> CodeTable::free_code(Module& m) {
  if (pins_) {
    pinned_.push_back(&m);
    return nullptr;
  }
  m.hot.reset();
  m.native.reset();
  m.nifs.reset();
  free(m.code);
  m.code = nullptr;
  m.code_words = 0;
  const bool used = m.literals.words() || m.on_load_entry;
  if (used && !hooks) return nullptr;
  auto at = std::find_if(purged_.begin(), purged_.end(), [&](auto& p) { return p.get() == &m; });
  std::unique_ptr<Module> gone = std::move(*at);
  purged_.erase(at);
  return used ? std::move(gone) : nullptr;
}
void CodeTable::pin_code() {
  std::unique_lock lock(lock_);
  ++pins_;
}
void CodeTable::unpin_code() {
  std::unique_lock lock(lock_);
  if (--pins_) return;
  for (Module* m : std::exchange(pinned_, {}))
    free_when_unused(*m);  // who let go is still on the way out
}

}  // namespace wb
