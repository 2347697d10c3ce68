#include "vm/trace/pattern.h"

#include "vm/core/vm.h"
#include "vm/trace/tracing.h"

namespace wb {

// Global and local tracing exclude each other: what sets one takes the other away.
CallPatterns changed(CallPatterns now, const PatternChange& c) {
  switch (c.what) {
    case PatternChange::off:
      if (c.global && now.global) now.global = false, now.spec = nullptr;
      if (c.local && now.local) now.local = false, now.spec = nullptr;
      if (c.meta)
        now.meta = false, now.meta_spec = nullptr, now.meta_tracer = {}, now.meta_module = nullptr;
      if (c.count) now.count = false;
      now.costs &= static_cast<uint8_t>(~c.costs);
      if (c.watch) now.watch = false;
      if (c.debug) now.debug = false;
      return now;
    case PatternChange::on:
      if (c.watch || c.debug) {
        now.watch |= c.watch, now.debug |= c.debug;
        return now;
      }
      if (c.global) {
        now = now.kept();
        now.global = true, now.spec = c.spec;
        return now;
      }
      if (now.global) now = now.kept();
      if (c.local) now.local = true, now.spec = c.spec;
      if (c.meta) {
        now.meta = true, now.meta_spec = c.spec;
        now.meta_tracer = c.meta_tracer, now.meta_module = c.meta_module;
      }
      if (c.count) now.count = true, now.count_paused = false;
      now.costs |= c.costs, now.paused_costs &= static_cast<uint8_t>(~c.costs);
      return now;
    case PatternChange::pause:
    case PatternChange::restart:
      bool paused = c.what == PatternChange::pause;
      if (c.count) now.count_paused = paused;
      now.paused_costs &= static_cast<uint8_t>(~c.costs);
      if (paused) now.paused_costs |= c.costs;
      return now;
  }
  return now;
}

namespace {

CallPatterns patterns_of(const Breakpoint* b) {
  const CallPatterns* p = b ? b->patterns.load(std::memory_order_acquire) : nullptr;
  return p ? *p : CallPatterns{};
}

void change_breakpoint(Breakpoints& all, Breakpoint& b, const PatternChange& c) {
  bool reset = c.what == PatternChange::on || c.what == PatternChange::restart;
  if (reset && c.count) b.calls.store(0, std::memory_order_relaxed);
  for (CallCost cost : kCallCosts) {
    if (!reset || !(c.costs & bit(cost))) continue;
    std::lock_guard lock(b.costs_lock);
    b.costs_of(cost).clear();
  }
  all.set(b, changed(patterns_of(&b), c));
}

/// A change of a function's code: global tracing is none, but ends what is set there.
void change_code(Breakpoints& all, Module& m, const Module::Function& f, const PatternChange& c) {
  Word* entry = m.code + f.entry;
  Breakpoint* b = all.find(entry, c.session);
  if (c.global) {
    if (b && c.what == PatternChange::on) all.set(*b, patterns_of(b).kept());
  } else if (b || c.what == PatternChange::on) {
    change_breakpoint(all, all.on_code(m, entry, f.name, f.arity, c.session), c);
  }
}
void change_export(Breakpoints& all, Export& e, const PatternChange& c) {
  Breakpoint* b = all.find(&e, c.session);
  if (c.global) {
    if (b || c.what == PatternChange::on) change_breakpoint(all, all.on_export(e, c.session), c);
  } else if (b && c.what == PatternChange::on && !c.watch && !c.debug) {
    all.set(*b, patterns_of(b).kept());
  }
}
void change_native(Breakpoints& all, Export& e, const PatternChange& c) {
  if (all.find(&e, c.session) || c.what == PatternChange::on)
    change_breakpoint(all, all.on_export(e, c.session), c);
}

/// Implemented by the machine: a BIF, or (apply, hibernate) an instruction.
bool is_native(Vm& vm, Term module, const Module::Function& f) {
  const Export* e = vm.code->find_export(module, f.name, f.arity);
  return e && (e->bif || e->builtin);
}
int64_t change_module(Vm& vm, Module& m, const FunctionPattern& which, const PatternChange& c) {
  Breakpoints& all = vm.tracing->breakpoints;
  auto lock = all.lock();
  int64_t functions = 0, exports = 0;
  for (const Module::Function& f : m.functions) {
    if (!which.matches(m.name, f.name, f.arity) || is_native(vm, m.name, f)) continue;
    ++functions;
    change_code(all, m, f, c);
  }
  for (Module::Exported& x : m.exports) {
    Export& e = *x.target;
    if (!which.matches(e.module, e.function, e.arity) || e.bif || e.builtin) continue;
    ++exports;
    change_export(all, e, c);
  }
  return c.global ? exports : functions;
}
/// Of builtin functions only apply is traced, where it is called as a function, as by spawn.
int64_t change_native(Vm& vm, const FunctionPattern& which, const PatternChange& c) {
  Breakpoints& all = vm.tracing->breakpoints;
  auto lock = all.lock();
  int64_t n = 0;
  auto change = [&](Export& e) {
    const bool internal = &e == vm.code->await_reply ||
                          (e.builtin && atom_text(e.function).find(' ') != std::string_view::npos);
    if (!(e.bif || e.builtin) || internal) return;
    if (!which.matches(e.module, e.function, e.arity)) return;
    ++n;
    if (e.bif || e.function == am::apply) change_native(all, e, c);
  };
  if (which.arity < 0) {
    vm.code->each_export(change);
  } else if (Export* e = vm.code->find_export(which.module, which.function,
                                              static_cast<uint32_t>(which.arity))) {
    change(*e);
  }
  return n;
}

}  // namespace

int64_t change_patterns(Vm& vm, const FunctionPattern& which, const PatternChange& c) {
  int64_t n = 0;
  vm.code->each_module([&](Module& m) {
    if (which.module == am::underscore || which.module == m.name) {
      n += change_module(vm, m, which, c);
    }
  });
  return c.debug ? n : n + change_native(vm, which, c);
}

FunctionState function_state(Vm& vm, Term module, Term function, uint32_t arity,
                             SessionId session) {
  Breakpoints& all = vm.tracing->breakpoints;
  FunctionState s;
  Export* e = vm.code->find_export(module, function, arity);
  Breakpoint* exported = e ? all.find(e, session) : nullptr;
  if (e && (e->bif || e->builtin)) {
    s.exists = true;
    s.counted = exported;
    s.patterns = patterns_of(exported);
    return s;
  }
  vm.code->each_module([&](Module& m) {
    if (m.name != module) return;
    for (const Module::Function& f : m.functions) {
      if (f.name != function || f.arity != arity) continue;
      s.exists = true;
      s.counted = all.find(m.code + f.entry, session);
      s.patterns = patterns_of(s.counted);
    }
  });
  CallPatterns global = patterns_of(exported);
  if (s.exists && global.global) s.patterns = global;
  return s;
}

void forget_patterns(Vm& vm, SessionId session) {
  Breakpoints& all = vm.tracing->breakpoints;
  {
    auto lock = all.lock();
    all.for_new.erase(session);
  }
  const FunctionPattern everything = {am::underscore, am::underscore, -1};
  PatternChange off;
  off.session = session;
  off.global = true;
  change_patterns(vm, everything, off);
  off.global = false;
  off.local = off.meta = off.count = true;
  off.costs = bit(CallCost::time) | bit(CallCost::memory);
  change_patterns(vm, everything, off);
}

}  // namespace wb
