#include "vm/machine/machine.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "loader/code_table.h"
#include "vm/core/clock.h"
#include "vm/core/settings.h"
#include "vm/dist/distribution.h"
#include "vm/driver/drivers.h"
#include "vm/ets/persistent_terms.h"
#include "vm/ets/tables.h"
#include "vm/interp/interpreter.h"
#include "vm/io/environment.h"
#include "vm/io/network.h"
#include "vm/io/services.h"
#include "vm/jit/baseline.h"
#include "vm/machine/fun_resolver.h"
#include "vm/machine/hooks.h"
#include "vm/machine/native_table.h"
#include "vm/nif/nifs.h"
#include "vm/observe/exit_log.h"
#include "vm/observe/sampler.h"
#include "vm/observe/state_replies.h"
#include "vm/orc/orc.h"
#include "vm/port/ports.h"
#include "vm/process/exit.h"
#include "vm/process/literal_collector.h"
#include "vm/process/run.h"
#include "vm/process/suspensions.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"
#include "vm/socket/native_sockets.h"
#include "vm/trace/system_profile.h"
#include "vm/trace/tracing.h"

namespace wb {

Machine::Machine(const VmOptions& o) : Machine(o, make_handler_table(o.gc_stress)) {}
Machine::Machine(const VmOptions& o, const Word* handlers)
    : Machine(o, handlers, std::make_unique<MachineHooks>()) {}

Machine::Machine(const VmOptions& o, const Word* handlers, std::unique_ptr<MachineHooks> h)
    : Vm(o, *h, handlers, o.jit == JitMode::always ? 1 : Baseline::kWarmCalls),
      hooks_(std::move(h)) {
  InstanceScope scope(instance);
  hooks_->attach(*this);
  code->hooks = hooks_.get();
  funs_ = std::make_unique<CodeFunResolver>(*code);
  instance.funs = funs_.get();
  natives = native_table();
  for (const BifInfo& bif : natives) {
    if (bif.since > o.otp.number || (bif.stands_in && o.otp_root.empty())) continue;
    code->add_bif(intern(bif.module), intern(bif.name), bif.arity, bif.fn.address());
  }
  for (const GuardInfo& guard : guard_table()) {
    Export* e = code->export_entry(am::erlang, intern(guard.name), guard.arity);
    e->guard = reinterpret_cast<void*>(guard.fn);
  }
  std::string why;  // without them it is only slower
  if (!o.images.empty()) code->use_images(o.images, &why);
  // Where OTP is booted, its code server knows where modules are.
  if (!o.otp_root.empty()) code->path.set_usual(o.code_paths, o.otp_root, o.last_paths);
  attach_compilers();
  attach_services();
  attach_insight();
}

void Machine::attach_compilers() {
  const Word* handlers = make_handler_table(gc_stress);
  if (options.jit == JitMode::off) return;
  baseline_ = Baseline::make(handlers, code->code_words(),
                             {.perf = options.perf_map, .gdb = options.gdb_symbols});
  baseline = baseline_.get();
  if (!baseline) return;
  code->start_warm_up();
  if (options.jit != JitMode::full && options.jit != JitMode::always) return;
  orc_ = std::make_unique<Orc>(handlers, *code, *baseline, options.jit_report, options.jit_ir);
  orc = orc_.get();
  orc->use(scheduler.get(), event_log.get());
  if (code->images()) orc->keep_code();
  samples_hot = true;
}

void Machine::attach_services() {
  environment_ = std::make_unique<Environment>();
  environment = environment_.get();
  ets_ = std::make_unique<EtsTables>();
  ets = ets_.get();
  persistent_terms_ = std::make_unique<PersistentTerms>();
  persistent_terms = persistent_terms_.get();
  persistent_terms->use(scheduler.get());
  persistent_terms->retired = [this](std::unique_ptr<RetiredLiterals> l) {
    literals->retire(std::move(l));
  };
  network_ = Network::of(*this);
  network = network_.get();
  ports_ = std::make_unique<Ports>(*this);
  ports = ports_.get();
  nifs_ = std::make_unique<Nifs>(*this);
  nifs = nifs_.get();
  sockets_ = std::make_unique<NativeSockets>(*this);
  ports->sockets = sockets_.get();
  distribution_ = std::make_unique<Distribution>(*this);
  ports->distribution = distribution_.get();
  drivers_ = std::make_unique<Drivers>(*this);
  ports->drivers = drivers_.get();
}

void Machine::attach_insight() {
  tracing_ = std::make_unique<Tracing>(*this);
  tracing = tracing_.get();
  profile_ = std::make_unique<SystemProfile>(*this);
  profile = profile_.get();
  sampler_ = std::make_unique<Sampler>(samples_allocation);
  sampler = sampler_.get();
  states_ = std::make_unique<StateReplies>();
  states = states_.get();
  exit_log_ = std::make_unique<ExitLog>();
  exit_log = exit_log_.get();
}

Services& Machine::start_services(std::vector<std::string> arguments, bool nostick) {
  services_ = std::make_unique<Services>(*this, std::move(arguments), nostick);
  services = services_.get();
  return *services;
}

void Machine::stop_running() {
  scheduler->stop();
  nifs->stop();
}

void Machine::close_ports() {
  distribution_->release_ports();
  sockets_.reset(), ports_.reset(), network_.reset();
}

void Machine::leave(int exit_code) {
  stop_running();
  close_ports();
  if (orc) orc->write_kept();
  code->close_images();
  if (!nifs->taints().empty()) {  // libraries of others may have asked to be called at the end
    if (orc) orc->stop();
    exit(exit_code);
  }
  fflush(nullptr);
  _exit(exit_code);
}

Machine::~Machine() {
  WB_CHECK(!failed());
  InstanceScope scope(instance);
  stop_running();
  if (orc) orc->stop();
  persistent_terms->retired = nullptr;  // nobody is left who could use what is freed from now on
  code->hooks = nullptr;
  close_ports();
  processes->each([](Process& p) { abandon_process(p); });
  // Who is gone has nobody left who could call it: those above first, and what frees by the
  // scheduler's progress before what it frees.
  profile_.reset(), tracing_.reset(), sampler_.reset(), states_.reset(), exit_log_.reset();
  suspensions.reset(), literals.reset(), timers.reset();
  services_.reset(), environment_.reset();
  scheduler.reset(), host.reset();
  persistent_terms_.reset(), ets_.reset();
  code.reset();
  drivers_.reset();
  nifs_.reset();
  distribution_.reset();  // what terms refer to it is gone
  orc_.reset(), baseline_.reset();
}

}  // namespace wb
