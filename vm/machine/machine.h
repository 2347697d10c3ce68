// A whole machine: the core and all layers above it, put together.
//
// Whoever runs programs makes one of these (embed.cc does it for the command line). It owns the
// parts of the upper layers, tells the core where they are (Vm), and implements what the core asks
// of them (hooks.h).
#pragma once

#include <string>
#include <vector>

#include "vm/core/vm.h"

namespace wb {

class Drivers;
class MachineHooks;
class Distribution;
class NativeSockets;
struct FunResolver;

class Machine final : public Vm {
 public:
  explicit Machine(const VmOptions& options);
  /// With other handlers of instructions, which no compiler knows (jit is off).
  Machine(const VmOptions& options, const Word* handlers);
  ~Machine();

  /// The small services of a machine that does not boot OTP; `arguments`: the program's. Before
  /// start().
  Services& start_services(std::vector<std::string> arguments, bool nostick);

  /// Ends the OS process. What is outside of it is left as the destructor leaves it; memory goes
  /// with the process, which a boot of OTP would otherwise spend a twentieth of its time on, and
  /// nobody waits for the compiler.
  [[noreturn]] void leave(int exit_code);

 private:
  Machine(const VmOptions& options, const Word* handlers, std::unique_ptr<MachineHooks> hooks);
  void attach_compilers();
  void attach_services();
  void attach_insight();
  void stop_running();
  void close_ports();

  // Destroyed by ~Machine, in an order of its own.
  std::unique_ptr<MachineHooks> hooks_;
  std::unique_ptr<Baseline> baseline_;
  std::unique_ptr<Orc> orc_;
  std::unique_ptr<FunResolver> funs_;
  std::unique_ptr<EtsTables> ets_;
  std::unique_ptr<PersistentTerms> persistent_terms_;
  std::unique_ptr<Environment> environment_;
  std::unique_ptr<Services> services_;
  std::unique_ptr<Tracing> tracing_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Ports> ports_;
  std::unique_ptr<Nifs> nifs_;
  std::unique_ptr<NativeSockets> sockets_;
  std::unique_ptr<Distribution> distribution_;
  std::unique_ptr<Drivers> drivers_;
  std::unique_ptr<SystemProfile> profile_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<StateReplies> states_;
  std::unique_ptr<ExitLog> exit_log_;
};

/// A machine that has failed stays: see Vm::failed().
struct DestroyUnlessFailed {
  void operator()(Machine* m) const {
    if (!m->failed()) delete m;
  }
};
using MachinePtr = std::unique_ptr<Machine, DestroyUnlessFailed>;

}  // namespace wb
