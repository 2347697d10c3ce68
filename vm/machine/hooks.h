// What the core and the code table call of the layers above, answered by calling them.
#pragma once

#include "loader/code_table.h"
#include "vm/core/hooks.h"

namespace wb {

class MachineHooks final : public VmHooks, public CodeHooks {
 public:
  /// Before anything is called.
  void attach(Vm& vm) { vm_ = &vm; }

  void run(const Word* I, Exec& c) override;
  void compile(Exec& c, const Word* entry) override;
  void sample_hot(Exec& c, const Word* entry) override;

  void release_tables(Process& p, Term reason) override;
  bool owns_tables(Process& p) override;
  bool push_to_port(Term port, Signal* s) override;
  bool push_to_node(Address to, Signal* s) override;
  void await_node(Process& p, Address to) override;
  Term send_to_node(Process& from, Term to, Term message, const SendOptions& options) override;
  bool push_to_resource(Term number, Signal* s) override;
  Term send_to_port(Process& from, Term port, Term message, bool nosuspend) override;
  Term start_service(Term name) override;
  bool has_services() const override;
  bool print_crash(const std::string& header, Term pid, Term exit_value) override;
  void main_ended(int code) override;
  uint64_t ended_abnormally(Process& p, Term reason, Word place) override;
  void child_ended(Process& supervisor, Term child) override;
  void describe_exit(Process& p, Term reason, Term trace, uint64_t kind) override;

  void trace_send(Process& p, Term to, Term message, bool exists) override;
  void trace_receive(Process& p, const Signal& s) override;
  void trace_timeout(Process& p) override;
  void trace_procs(Process& p, Term tag, Term what) override;
  void trace_spawn(Process* parent, Process& child, Term module, Term function, Term args,
                   bool linked) override;
  void scheduled_in(Process& p, const FunctionName* where) override;
  void scheduled_out(Process& p) override;
  void scheduled_elsewhere(Process& p, Term tag, const FunctionName& where) override;
  void trace_exiting(Process& p, Term tag) override;
  void trace_collection(Process& p, Term tag, size_t words) override;
  void watch_collection(Process& p, bool major, uint64_t ticks, size_t words) override;
  bool mark(Process& p, uint32_t mark, bool on) override;
  void calls_are_saved(Vm& vm, bool on) override;
  Word at_breakpoint(Exec& c, const Word* I, bool stub) override;
  void end_trace_frame(Exec& c, TraceFrame kind) override;
  void unwind_trace_frames(Exec& c, const Term* frame, const Word* handler, Term error_class,
                           Term reason) override;
  bool traces_calls() const override;

  void collection_took(Process& p, uint64_t ticks) override;
  void slice_took(Process& p, const Word* from, uint64_t ticks) override;
  void suspended_by_port(Process& p, Term port) override;
  void monitor_changed() override;
  void queue_changed(Process& p) override;
  bool park(Process& p) override;
  void process_active(Process& p) override;
  void process_inactive(Process& p) override;
  void port_active(Term port, bool active) override;
  void falls_asleep(Worker& w) override;

  void slice_begins(Exec& c) override;
  void slice_ends(Exec& c) override;
  void allocated(Exec& c, uint64_t words) override;

  void write_crash_dump(const std::string& slogan, Term by) override;
  void flush() override;

  void became_current(Module& m) override;
  void becoming_old(Module& m) override;
  void being_freed(Module& m) override;
  void linked(Module& m) override;
  void retired(std::unique_ptr<Module> m) override;
  void purge_over(Term pid) override;
  void log(const std::string& message) override;

 private:
  Vm* vm_ = nullptr;
};

}  // namespace wb
