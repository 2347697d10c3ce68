#include "vm/trace/breakpoint.h"

#include <algorithm>

#include "base/out_of_memory.h"
#include "bytecode/instructions.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "vm/core/vm.h"
#include "vm/interp/bif_call.h"
#include "vm/jit/baseline.h"
#include "vm/orc/orc.h"
#include "vm/process/exec.h"
#include "vm/process/native.h"
#include "vm/trace/events.h"

namespace wb {

Breakpoints::Breakpoints(Vm& vm) : vm_(vm) {
  tables_.push_back(std::make_unique<Table>(64));
  table_.store(tables_.back().get(), std::memory_order_release);
}
Breakpoints::~Breakpoints() {
  for (uint32_t n = 0; n < count_; ++n) delete at(n);
  for (auto& chunk : chunks_) free(chunk.load(std::memory_order_relaxed));
}

// --- finding -------------------------------------------------------------------------------------
Breakpoint* Breakpoints::find(const void* where) const {
  const Table* t = table_.load(std::memory_order_acquire);
  for (size_t k = hash(where);; ++k) {
    const Slot& s = t->slots[k & t->mask];
    const void* found = s.where.load(std::memory_order_acquire);
    if (found == where) return s.breakpoint.load(std::memory_order_acquire);
    if (!found) return nullptr;
  }
}

Breakpoint* Breakpoints::find(const void* where, SessionId session) const {
  Breakpoint* b = find(where);
  while (b && b->session.load(std::memory_order_relaxed) != session) {
    b = b->next.load(std::memory_order_acquire);
  }
  return b;
}

void Breakpoints::put(const void* where, Breakpoint* b) {
  if ((used_ + 1) * 2 > table_.load(std::memory_order_relaxed)->mask + 1) rebuild();
  Table* t = table_.load(std::memory_order_relaxed);
  size_t k = hash(where);
  while (const void* found = t->slots[k & t->mask].where.load(std::memory_order_relaxed)) {
    if (found == where) break;  // of code that was freed
    ++k;
  }
  Slot& s = t->slots[k & t->mask];
  s.breakpoint.store(b, std::memory_order_release);
  if (!s.where.exchange(where, std::memory_order_acq_rel)) ++used_;
}
/// A table for twice as many as there are, without those that are gone. The old one stays: somebody
/// may be reading it, and all old ones together are smaller than the new one.
void Breakpoints::rebuild() {
  const Table* old = table_.load(std::memory_order_relaxed);
  auto next = std::make_unique<Table>((old->mask + 1) * 2);
  used_ = 0;
  for (size_t k = 0; k <= old->mask; ++k) {
    const Slot& from = old->slots[k];
    Breakpoint* b = from.breakpoint.load(std::memory_order_relaxed);
    if (!b) continue;
    const void* where = from.where.load(std::memory_order_relaxed);
    size_t to = hash(where);
    while (next->slots[to & next->mask].where.load(std::memory_order_relaxed)) ++to;
    next->slots[to & next->mask].breakpoint.store(b, std::memory_order_relaxed);
    next->slots[to & next->mask].where.store(where, std::memory_order_relaxed);
    ++used_;
  }
  tables_.push_back(std::move(next));
  table_.store(tables_.back().get(), std::memory_order_release);
}

// --- records -------------------------------------------------------------------------------------
Breakpoint& Breakpoints::make(Breakpoint::Kind kind, const void* where, Term m, Term f,
                              uint32_t arity) {
  uint32_t number = count_++;
  WB_CHECK(number < kChunk * kChunks);
  std::atomic<Chunk*>& chunk = chunks_[number / kChunk];
  if (number % kChunk == 0) {
    void* memory = must_calloc(kChunk, sizeof(Chunk), "breakpoints");
    chunk.store(static_cast<Chunk*>(memory), std::memory_order_release);
  }
  auto* b = new Breakpoint(kind, m, f, arity, number);
  chunk.load(std::memory_order_relaxed)[number % kChunk].store(b, std::memory_order_release);
  if (where) put(where, b);
  return *b;
}

/// One that nothing is set on will do: frames that have its number say whose session they are of.
Breakpoint& Breakpoints::of_session(Breakpoint& first, SessionId session) {
  Breakpoint *last = &first, *unused = nullptr;
  for (Breakpoint* b = &first; b; b = b->next.load(std::memory_order_relaxed)) {
    if (b->session.load(std::memory_order_relaxed) == session) return *b;
    if (b != &first && !b->patterns.load(std::memory_order_relaxed)) unused = b;
    last = b;
  }
  if (unused) {
    unused->calls.store(0, std::memory_order_relaxed);
    {
      std::lock_guard lock(unused->costs_lock);
      for (auto& costs : unused->costs) costs.clear();
    }
    unused->session.store(session, std::memory_order_relaxed);
    return *unused;
  }
  Breakpoint& b = make(first.kind, nullptr, first.module, first.function, first.arity);
  b.session.store(session, std::memory_order_relaxed);
  b.first = &first;
  b.owner = first.owner, b.entry = first.entry, b.target = first.target;
  if (b.owner) of_module_[b.owner].push_back(&b);
  last->next.store(&b, std::memory_order_release);
  return b;
}

Breakpoint& Breakpoints::on_code(Module& m, Word* entry, Term function, uint32_t arity,
                                 SessionId session) {
  if (Breakpoint* b = find(entry)) return of_session(*b, session);
  Breakpoint& b = make(Breakpoint::code, entry, m.name, function, arity);
  b.owner = &m;
  b.entry = entry;
  of_module_[&m].push_back(&b);
  return of_session(b, session);
}

static void make_stub(Export& e, const Breakpoint& b, Word handler, const void* operand) {
  e.module = b.module, e.function = b.function, e.arity = b.arity;
  e.stub[1] = b.module, e.stub[2] = b.function, e.stub[3] = b.arity;
  e.stub[4] = handler;
  e.stub[5] = reinterpret_cast<Word>(operand);
  e.entry.store(e.stub_entry(), std::memory_order_release);
}
Breakpoint& Breakpoints::on_export(Export& e, SessionId session) {
  if (Breakpoint* b = find(&e)) return of_session(*b, session);
  Breakpoint& b =
      make(e.bif ? Breakpoint::bif : Breakpoint::export_, &e, e.module, e.function, e.arity);
  b.target = &e;
  const CodeTable& code = *vm_.code;
  make_stub(b.via, b, code.handler(Instr::export_breakpoint), &b);
  b.via.stub[0] = b.plain.stub[0] = code.handler(Instr::func_info);
  if (e.bif) {
    make_stub(b.plain, b, code.handler(Instr::bif_entry), &b.plain);
    b.plain.bif = e.bif;
    b.plain.body.store(e.bif, std::memory_order_relaxed);
    b.go_on.store(reinterpret_cast<Word>(b.plain.stub_entry()), std::memory_order_release);
  }
  return of_session(b, session);
}

// --- putting in and taking out -------------------------------------------------------------------
/// The body of a traced BIF: its call becomes one of the breakpoint's stub.
static Term traced_bif(Process& p, const Term* a) {
  auto* e = reinterpret_cast<Export*>(instr::call_bif{p.exec->pc}.function());
  Breakpoint* b = p.vm().tracing->breakpoints.find(e);
  const CallPatterns* patterns = b->patterns.load(std::memory_order_acquire);
  bool saved = is_traced(p, traced::saves_calls), others = b->next.load(std::memory_order_acquire);
  if (!saved && !others && (!patterns || patterns->only_save()))
    return call_bif(*p.exec, p.exec->pc, BifFn(e->bif), a);
  p.exec->trap_target = &b->via;
  return kTrap;
}

void Breakpoints::install_in_code(Breakpoint& b) {
  CodeWords::Edit edit(vm_.code->code_words());
  const CodeWords::Covered covered = edit.set_breakpoint(*b.owner, b.entry, &b.go_on);
  if (vm_.baseline) vm_.baseline->count_breakpoint(covered);
  hidden_native_ |= covered.hidden;
  if (!vm_.orc) return;
  if (covered.runs == Layer::llvm) vm_.orc->counters.traced.fetch_add(1, std::memory_order_relaxed);
  // Hot code that has the function in line does not pass its first word.
  hidden_native_ |= vm_.orc->invalidate_inlined(edit, *b.owner, b.entry);
}
void Breakpoints::remove_from_code(Breakpoint& b) {
  CodeWords::Edit(vm_.code->code_words()).remove(*b.owner, b.entry, Layer::breakpoint);
}
void Breakpoints::invalidate_module(Module& m) {
  if (!vm_.orc) return;
  CodeWords::Edit edit(vm_.code->code_words());
  vm_.orc->invalidate_module(edit, m);
}
void Breakpoints::invalidate_hot_code(const Module& m, const Word* entry) {
  CodeWords::Edit edit(vm_.code->code_words());
  vm_.orc->invalidate_function(edit, m, entry);
}

void Breakpoints::install(Breakpoint& b) {
  switch (b.kind) {
    case Breakpoint::code:
      return install_in_code(b);
    case Breakpoint::bif:
      return b.target->body.store(reinterpret_cast<void*>(&traced_bif), std::memory_order_release);
    case Breakpoint::export_:
      Word* code = b.target->entry.load(std::memory_order_acquire);
      b.go_on.store(reinterpret_cast<Word>(code), std::memory_order_release);
      b.target->entry.store(b.via.stub_entry(), std::memory_order_release);
  }
}
void Breakpoints::remove(Breakpoint& b) {
  switch (b.kind) {
    case Breakpoint::code:
      return remove_from_code(b);
    case Breakpoint::bif:
      return b.target->body.store(b.target->bif, std::memory_order_release);
    case Breakpoint::export_: {
      auto* code = reinterpret_cast<Word*>(b.go_on.load(std::memory_order_relaxed));
      b.target->entry.store(code, std::memory_order_release);
      // Who was preempted at the stub goes on with the code of the moment when it runs.
      b.go_on.store(reinterpret_cast<Word>(b.target->stub_entry()), std::memory_order_release);
    }
  }
}

void Breakpoints::set(Breakpoint& b, const CallPatterns& patterns) {
  b.meta_tracer_gone.store(false, std::memory_order_relaxed);
  const CallPatterns* next = patterns.any() ? new CallPatterns(patterns) : nullptr;
  const CallPatterns* old = b.patterns.exchange(next, std::memory_order_acq_rel);
  if (old) {
    vm_.scheduler->retire(const_cast<CallPatterns*>(old),
                          [](void* p) { delete static_cast<CallPatterns*>(p); });
  }
  bool traced = patterns.by_program() || patterns.watch;
  if (traced != b.traced) traced_.fetch_add(traced ? 1 : ~0u, std::memory_order_relaxed);
  b.traced = traced;
  Breakpoint& first = *b.first;
  bool wanted = false;
  for (Breakpoint* r = &first; r && !wanted; r = r->next.load(std::memory_order_relaxed)) {
    wanted = r->patterns.load(std::memory_order_relaxed);
  }
  if (wanted == first.installed) return;
  first.installed = wanted;
  wanted ? install(first) : remove(first);
}

/// Nothing is set on the function any more.
void Breakpoints::clear(Breakpoint& first) {
  for (Breakpoint* b = &first; b; b = b->next.load(std::memory_order_relaxed)) set(*b, {});
}

// --- modules come and go -------------------------------------------------------------------------
void Breakpoints::becoming_old(Module& m) {
  std::lock_guard lock(lock_);
  if (vm_.baseline) vm_.baseline->count_unloaded(m);
  if (vm_.orc) vm_.orc->count_unloaded(m);
  invalidate_module(m);
  auto it = of_module_.find(&m);
  if (it != of_module_.end()) {
    for (Breakpoint* b : it->second) set(*b, {});
  }
  for (Module::Exported& x : m.exports) {
    Breakpoint* b = find(x.target);
    if (b && b->kind == Breakpoint::export_ && !x.target->builtin) clear(*b);
  }
}
void Breakpoints::watch_new(Module& m, const FunctionPattern& which) {
  for (const Module::Function& f : m.functions) {
    if (!which.matches(m.name, f.name, f.arity)) continue;
    const Export* e = vm_.code->find_export(m.name, f.name, f.arity);
    if (e && (e->bif || e->builtin)) continue;
    Breakpoint& b = on_code(m, m.code + f.entry, f.name, f.arity);
    const CallPatterns* now = b.patterns.load(std::memory_order_acquire);
    CallPatterns next = now ? *now : CallPatterns{};
    next.watch = true;
    set(b, next);
  }
}
/// OTP's supervisors ask supervisor:add_restart/1 whether they may restart a child once more; their
/// state remembers only what is within their period. supervisor:do_restart/3 gets the child that
/// has ended.
void Breakpoints::tally_new(Module& m) {
  if (atom_text(m.name) != "supervisor") return;
  for (const Module::Function& f : m.functions) {
    const std::string_view name = atom_text(f.name);
    if ((f.arity != 1 || name != "add_restart") && (f.arity != 3 || name != "do_restart")) continue;
    CallPatterns patterns;
    patterns.tally = true;
    set(on_code(m, m.code + f.entry, f.name, f.arity), patterns);
  }
}
void Breakpoints::trace_new(Module& m) {
  for (const auto& [session, patterns] : for_new) {
    if (patterns.any()) trace_new(m, session, patterns);
  }
}
void Breakpoints::trace_new(Module& m, SessionId session, const CallPatterns& patterns) {
  if (patterns.global) {
    for (Module::Exported& x : m.exports) {
      if (!x.target->bif && !x.target->builtin) set(on_export(*x.target, session), patterns);
    }
    return;
  }
  for (const Module::Function& f : m.functions) {
    const Export* e = vm_.code->find_export(m.name, f.name, f.arity);
    if (e && (e->bif || e->builtin)) continue;
    Breakpoint& b = on_code(m, m.code + f.entry, f.name, f.arity, session);
    const CallPatterns* now = b.patterns.load(std::memory_order_acquire);
    CallPatterns next = patterns;
    next.tally = now && now->tally;
    set(b, next);
  }
}
// --- saved calls ---------------------------------------------------------------------------------
void Breakpoints::set_saving(Export& e, bool on) {
  Breakpoint* b = on ? &on_export(e) : find(&e);
  if (!b) return;
  const CallPatterns* now = b->patterns.load(std::memory_order_acquire);
  CallPatterns next = now ? *now : CallPatterns{};
  if (next.save == on) return;
  next.save = on;
  set(*b, next);
}
/// Modules that come meanwhile see saving_.
void Breakpoints::set_saving_everywhere(bool on) {
  std::unique_lock lock(lock_);
  saving_ = on;
  lock.unlock();
  vm_.code->each_module([&](Module& m) {
    std::lock_guard lock(lock_);
    for (Module::Exported& x : m.exports) {
      if (!x.target->bif && !x.target->builtin) set_saving(*x.target, on);
    }
  });
  lock.lock();
  vm_.code->each_export([&](Export& e) {
    if (e.bif && &e != vm_.code->await_reply) set_saving(e, on);
  });
}
void Breakpoints::begin_saving() {
  std::lock_guard lock(savers_lock_);
  if (savers_++ == 0) set_saving_everywhere(true);
}
void Breakpoints::end_saving() {
  std::lock_guard lock(savers_lock_);
  if (--savers_ == 0) set_saving_everywhere(false);
}

void Breakpoints::became_current(Module& m) {
  std::lock_guard lock(lock_);
  tally_new(m);
  trace_new(m);
  for (Module::Exported& x : m.exports) {
    if (saving_ && !x.target->bif && !x.target->builtin) set_saving(*x.target, true);
  }
  for (const FunctionPattern& which : watched) watch_new(m, which);
}
void Breakpoints::being_freed(Module& m) {
  std::lock_guard lock(lock_);
  invalidate_module(m);  // one that never was current, too
  auto it = of_module_.find(&m);
  if (it == of_module_.end()) return;
  for (Breakpoint* b : it->second) set(*b, {});
  for (Breakpoint* b : it->second) {
    put(b->entry, nullptr);
    Chunk* chunk = chunks_[b->number / kChunk].load(std::memory_order_relaxed);
    chunk[b->number % kChunk].store(nullptr, std::memory_order_release);
    vm_.scheduler->retire(b, [](void* p) { delete static_cast<Breakpoint*>(p); });
  }
  of_module_.erase(it);
}

}  // namespace wb
