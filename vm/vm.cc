#include "vm/vm.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "loader/code_server.h"
#include "term/binary.h"
#include "term/owned_bytes.h"
#include "vm/bif/bif.h"
#include "vm/clock.h"
#include "vm/ets/persistent_terms.h"
#include "vm/ets/tables.h"
#include "vm/fun_resolver.h"
#include "vm/interp/interpreter.h"
#include "vm/io/environment.h"
#include "vm/io/services.h"
#include "vm/jit/baseline.h"
#include "vm/literal_collector.h"
#include "vm/orc/orc.h"
#include "vm/port/ports.h"
#include "vm/process/exit.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/process/signal.h"
#include "vm/process/suspensions.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"
#include "vm/settings.h"
#include "vm/trace/system_profile.h"
#include "vm/trace/tracing.h"

namespace wb {

namespace {
/// A purged module without its code.
struct RetiredModule final : RetiredLiterals {
  explicit RetiredModule(std::unique_ptr<Module> m) : module(std::move(m)) {}
  void spans(DyingLiterals& into) const override { into.add(module->literals); }
  const std::unique_ptr<Module> module;
};
}  // namespace

static Term missing_bif(Process&, const Term*) { return kNotSupported; }

Vm::Vm(const VmOptions& o)
    : options(o),
      gc_stress(o.gc_stress),
      warm_calls(o.jit == JitMode::always ? 1 : Baseline::kWarmCalls),
      oracle(o.seed ? Oracle::seeded(*o.seed) : Oracle::live()) {
  gc_poison = o.gc_stress;
  settings = std::make_unique<Settings>();
  clock = std::make_unique<Clock>(*oracle);
  timers = std::make_unique<Timers>(*this);
  suspensions = std::make_unique<Suspensions>();
  processes = std::make_unique<ProcessTable>(o.max_processes);
  code = std::make_unique<CodeServer>(make_handler_table(o.gc_stress));
  tracing = std::make_unique<Tracing>(*this);
  profile = std::make_unique<SystemProfile>(*this);
  if (o.jit != JitMode::off) {
    baseline =
        Baseline::make(make_handler_table(o.gc_stress), {.perf = o.perf_map, .gdb = o.gdb_symbols});
  }
  if (baseline && (o.jit == JitMode::full || o.jit == JitMode::always)) {
    orc = std::make_unique<Orc>(make_handler_table(o.gc_stress), *code, *baseline, o.jit_report,
                                o.jit_ir);
  }
  if (baseline) code->start_warm_up(&baseline->index());
  if (baseline && o.jit == JitMode::baseline_eager) {
    code->module_ready = [](void* b, Module& m) { static_cast<Baseline*>(b)->compile_all(m); };
    code->module_ready_context = baseline.get();
  }
  funs_ = std::make_unique<CodeFunResolver>(*code);
  set_fun_resolver(funs_.get());
  code->missing_bif = reinterpret_cast<void*>(&missing_bif);
  code->log = [](void*, const std::string& m) { fprintf(stderr, "whitebeam: %s\n", m.c_str()); };
  size_t n;
  const BifInfo* bifs = bif_table(&n);
  for (size_t k = 0; k < n; ++k) {
    code->add_bif(intern(bifs[k].module), intern(bifs[k].name), bifs[k].arity,
                  reinterpret_cast<void*>(bifs[k].fn));
  }
  code->path.set_usual(o.code_paths, o.otp_root, o.last_paths);
  environment = std::make_unique<Environment>();
  ets = std::make_unique<EtsTables>();
  persistent_terms = std::make_unique<PersistentTerms>();
  host = std::make_unique<ProcessHost>(*this);
  Scheduler::Options s;
  s.workers = o.schedulers;
  s.oracle = oracle.get();
  scheduler = std::make_unique<Scheduler>(s, *host);
  persistent_terms->use(scheduler.get());
  code->use(scheduler.get());
  if (orc) orc->use(scheduler.get());
  literals = std::make_unique<LiteralCollector>(*this);
  persistent_terms->retired = [this](std::unique_ptr<RetiredLiterals> l) {
    literals->retire(std::move(l));
  };
  code->retired = [this](std::unique_ptr<Module> m) {
    literals->retire(std::make_unique<RetiredModule>(std::move(m)));
  };
  code->purge_over = [this](Term pid) { push_signal(*this, pid, new_signal(SignalKind::resume)); };
  ports = std::make_unique<Ports>(*this);
}

Vm::~Vm() {
  scheduler->stop();
  if (orc) orc->stop();
  persistent_terms->retired = nullptr;  // nobody is left who could use what is freed from now on
  code->retired = nullptr;
  ports.reset();
  processes->each([](Process& p) { abandon_process(p); });
}

void Vm::start() { scheduler->start(); }

int Vm::wait() {
  {
    std::unique_lock lock(end_lock_);
    end_.wait(lock, [&] { return ended_; });
  }
  scheduler->stop();
  ports->flush();
  return exit_code_;
}

void Vm::halt(int code) {
  std::lock_guard lock(end_lock_);
  if (ended_) return;
  ended_ = true;
  exit_code_ = code;
  halting_.store(true, std::memory_order_release);
  scheduler->request_stop();
  end_.notify_all();
}

int64_t Vm::now_us() {
  int64_t now = clock->system_ns() / 1000, before = last_now.load(), mine;
  do {
    mine = std::max(now, before + 1);
  } while (!last_now.compare_exchange_weak(before, mine));
  return mine;
}

Term Vm::new_ref(Heap& h) { return make_ref(h, next_ref_number()); }

Term Vm::new_magic_ref(Heap& h, OffHeapObject* object, size_t bytes) {
  Term* p = h.alloc(5);
  p[0] = make_header(Kind::magic_ref, 4, owned_kib(bytes));
  p[1] = reinterpret_cast<Word>(object);
  p[3] = next_ref_number() | kMagicNumber;
  p[4] = 0;
  h.link_off_heap(p, bytes);
  return make_boxed(p);
}

bool Vm::send(Term to, Term message, Process*) { return send_message(*this, to, message); }
bool Vm::is_alive(Term pid) { return processes->find(pid) != nullptr; }

}  // namespace wb
