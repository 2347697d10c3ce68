#include "vm/process/report.h"

#include <cstdio>
#include <ctime>

#include "gc/fragment.h"
#include "scheduler/oracle.h"
#include "term/identifiers.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "term/print.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/info.h"
#include "vm/process/send.h"
#include "vm/process/table.h"

namespace wb {

static std::string report_time(uint64_t ns) {
  time_t seconds = static_cast<time_t>(ns / 1'000'000'000);
  tm t;
  localtime_r(&seconds, &t);
  char text[64];
  size_t n = strftime(text, sizeof text, "%e-%b-%Y::%H:%M:%S", &t);
  snprintf(text + n, sizeof text - n, ".%06u", static_cast<unsigned>(ns / 1000 % 1'000'000));
  return text[0] == ' ' ? text + 1 : text;
}

static Term text_list(Heap& h, std::string_view text) {
  Term list = kNil;
  for (size_t k = text.size(); k-- > 0;) list = cons(h, make_small(text[k]), list);
  return list;
}
/// As the emulator of OTP 25 tells its logger.
static void log_to(Vm& vm, Term logger, Process& p, std::string_view text, Term args) {
  FragmentHeap h(64);
  Term tags[4] = {am::emulator, am::true_, am::tag, am::error};
  Term metadata[8] = {
      am::pid,          p.id,
      am::gl,           group_leader_term(p, h),
      am::time,         num_div(h, make_unsigned(h, vm.oracle->system_ns()), make_small(1000)),
      am::error_logger, map_from_pairs(h, tags, 2)};
  Term format = text_list(h, text);
  send_message(vm, logger,
               tuple(h, am::log, am::error, format, args, map_from_pairs(h, metadata, 4)));
}

/// The process that system_flag(system_logger, ...) chose, while it lives, or `logger`; kNone:
/// there is none; undefined: nothing is to be said.
static Term who_logs(Vm& vm) {
  std::atomic<Term>& chosen = vm.settings->system_logger;
  Term logger = chosen.load();
  if (is_local_pid(logger)) {
    if (vm.is_alive(logger)) return logger;
    if (chosen.compare_exchange_strong(logger, am::logger)) logger = am::logger;  // it has ended
  }
  return logger == am::logger ? vm.processes->registered(am::logger) : logger;
}

void report_crash(Process& p, Term exit_value) {
  Vm& vm = p.vm();
  if (p.id == vm.main_pid) vm.main_reported = true;
  std::string header = "=ERROR REPORT==== " + report_time(vm.oracle->system_ns()) + " ===";
  // A service that crashed may be who would print it; the end of the main process ends the machine:
  // nobody would wait for the logger.
  if (!vm.hooks->has_services() || !p.system) {
    Term logger = p.id == vm.main_pid ? kNone : who_logs(vm);
    if (logger == am::undefined) return;
    if (is_value(logger)) {
      Term args = cons(p.heap, exit_value, kNil);
      const Term node = local_node().name;
      const bool alive = node != am::nonode_at_nohost;
      if (alive) args = cons(p.heap, node, args);
      log_to(vm, logger, p,
             alive ? "Error in process ~p on node ~p with exit value:~n~p~n"
                   : "Error in process ~p with exit value:~n~p~n",
             cons(p.heap, p.id, args));
      return;
    }
    if (vm.hooks->print_crash(header, p.id, exit_value)) return;
  }
  PrintOptions options;
  options.strings = true;
  std::string text = header + "\nError in process " + to_text(p.id) + " with exit value:\n" +
                     to_text(exit_value, options) + "\n\n";
  fwrite(text.data(), 1, text.size(), stderr);
}

void report_bad_port_data(Process& p, const std::string& port) {
  Vm& vm = p.vm();
  std::string text = "Bad value on output port '" + port + "'\n\n";
  Term logger = who_logs(vm);
  if (logger == am::undefined) return;
  if (is_value(logger)) {
    FragmentHeap h(2 * text.size() + 2);
    return log_to(vm, logger, p, "~s", cons(h, text_list(h, text), kNil));
  }
  text = "=ERROR REPORT==== " + report_time(vm.oracle->system_ns()) + " ===\n" + text;
  fwrite(text.data(), 1, text.size(), stderr);
}

void report_old_incarnation(Process& from, Term to, Term message) {
  Vm& vm = from.vm();
  const Term logger = who_logs(vm);
  if (logger == am::undefined) return;
  FragmentHeap h(64);
  const Term was = make_unsigned(h, node_of(to).creation),
             is = make_unsigned(h, local_node().creation);
  if (is_value(logger)) {
    Term args = cons(h, was, cons(h, is, kNil));
    args = cons(h, message, cons(h, from.id, cons(h, to, args)));
    return log_to(vm, logger, from,
                  "Discarding message ~p from ~p to ~p in an old incarnation (~p) of this node "
                  "(~p)\n",
                  args);
  }
  std::string report = "=ERROR REPORT==== " + report_time(vm.oracle->system_ns()) + " ===\n";
  report += "Discarding message " + to_text(message) + " from " + to_text(from.id) + " to " +
            to_text(to) + " in an old incarnation (" + to_text(was) + ") of this node (" +
            to_text(is) + ")\n\n\n";
  fwrite(report.data(), 1, report.size(), stderr);
}

void report_text(Vm& vm, bool error, const std::string& text) {
  const Term logger = who_logs(vm);
  if (logger == am::undefined) return;
  const Term level = error ? am::error : vm.settings->warning_map.load();
  if (is_value(logger)) {
    FragmentHeap h(2 * text.size() + 64);
    Term tags[4] = {am::emulator, am::true_, am::tag, level};
    Term metadata[4] = {am::time,
                        num_div(h, make_unsigned(h, vm.oracle->system_ns()), make_small(1000)),
                        am::error_logger, map_from_pairs(h, tags, 2)};
    const Term args = cons(h, text_list(h, text), kNil);
    send_message(
        vm, logger,
        tuple(h, am::log, level, text_list(h, "~s~n"), args, map_from_pairs(h, metadata, 2)));
    return;
  }
  const std::string report =
      "=ERROR REPORT==== " + report_time(vm.oracle->system_ns()) + " ===\n" + text + "\n\n";
  fwrite(report.data(), 1, report.size(), stderr);
}
Term report_no_process(Vm& vm) {
  if (vm.processes->count() >= vm.processes->limit())
    report_text(vm, true, "Too many processes\n");
  return kSystemLimit;
}

void report_incapable_node(Process& p, Term node) {
  Vm& vm = p.vm();
  const Term logger = who_logs(vm);
  if (logger == am::undefined) return;
  if (is_value(logger)) {
    FragmentHeap h(16);
    return log_to(vm, logger, p,
                  "~p attempted to enable connection to node ~p which does not support all "
                  "mandatory capabilities.~n",
                  cons(h, p.id, cons(h, node, kNil)));
  }
  std::string report = "=ERROR REPORT==== " + report_time(vm.oracle->system_ns()) + " ===\n";
  report += to_text(p.id) + " attempted to enable connection to node " + to_text(node) +
            " which does not support all mandatory capabilities.\n\n\n";
  fwrite(report.data(), 1, report.size(), stderr);
}

void report_second_tracer(Process& caller) {
  Vm& vm = caller.vm();
  constexpr std::string_view text = "** can only have one tracer per process\n";
  Term logger = who_logs(vm);
  if (logger == am::undefined) return;
  if (is_value(logger)) return log_to(vm, logger, caller, text, kNil);
  std::string report = "=ERROR REPORT==== " + report_time(vm.oracle->system_ns()) + " ===\n";
  report.append(text).append("\n\n");
  fwrite(report.data(), 1, report.size(), stderr);
}

void Vm::main_ended(Process& p, Term reason) {
  int code = reason == am::normal ? 0 : 1;
  if (code && !main_reported) {  // exit(Reason), or a signal: no report of the emulator tells of it
    PrintOptions options;
    options.strings = true;
    std::string text = "** exception exit: " + to_text(reason, options) + "\n";
    fwrite(text.data(), 1, text.size(), stderr);
  }
  hooks->main_ended(code);
}

void report_max_heap(Process& p, size_t words) {
  Vm& vm = p.vm();
  const RareParts& e = *p.extra->rare;
  FragmentHeap h(256);
  Term info = tuple_elements(process_info_items(p, h, am::garbage_collection_info, true))[1];
  ListBuilder args(h);
  for (Term t : {p.id, make_small(static_cast<int64_t>(e.max_heap_size)),
                 make_small(static_cast<int64_t>(words)), make_bool(e.max_heap_kill),
                 make_bool(e.max_heap_log), make_small(p.message_count), info}) {
    args.add(t);
  }
  Term logger = who_logs(vm);
  if (logger == am::undefined) return;
  if (is_value(logger)) {
    return log_to(vm, logger, p,
                  "     Process:            ~p ~n"
                  "     Context:            maximum heap size reached~n"
                  "     Max Heap Size:      ~p~n"
                  "     Total Heap Size:    ~p~n"
                  "     Kill:               ~p~n"
                  "     Error Logger:       ~p~n"
                  "     Message Queue Len:  ~p~n"
                  "     GC Info:            ~p~n",
                  args.finish());
  }
  std::string text = "=ERROR REPORT==== " + report_time(vm.oracle->system_ns()) + " ===\n";
  text += "Process " + to_text(p.id) + ": maximum heap size reached: " + std::to_string(words) +
          " of " + std::to_string(e.max_heap_size) + " words\n\n";
  fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace wb
