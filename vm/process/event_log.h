// What a seeded run does, as text: a line for each event, in the order of virtual time.
//
// Two runs of one program with one seed write the same bytes (tests/differential --repeats), and
// where they do not, the first line that differs is where the run stopped to repeat. So a line says
// what can be seen from inside: who runs and for how long, how far its code and heap have got, what
// reaches its inbox, what is collected, loaded and compiled. It never says what differs between two
// runs that are the same: addresses, the computer's clock, when the thread slept.
//
// Only the worker of a seeded run writes, or the thread that makes the machine before it starts.
// There is no lock, and who is not logged pays nothing: events come by ways that are rare or taken
// in seeded runs only (Worker::note, ProcessHost::watch, Scheduler::measure).
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "scheduler/event_ring.h"
#include "term/term.h"

namespace wb {

struct Exec;
struct Signal;
class Process;
class Vm;
class Worker;

/// What events name process `pid` by. They keep 56 bits: all of it but the serial's upper four.
constexpr uint64_t event_label(Term pid) { return pid >> 4; }
/// The pid, if fewer than 2^28 processes have been spawned since.
constexpr Term pid_of_label(uint64_t label) { return label << 4 | 7; }

class EventLog {
 public:
  /// nullptr: the file cannot be written; errno says why.
  static std::unique_ptr<EventLog> open(Vm& vm, const std::string& path);
  ~EventLog();
  EventLog(const EventLog&) = delete;

  /// What the worker notes (scheduler/events.def).
  void event(Worker& w, EventKind kind, uint64_t argument);
  void slice_begins(const Exec& c);
  /// `p` handles `first` and what follows it.
  void signals(const Process& p, const Signal* first);
  /// The code of the function at `entry` has changed: `what` happened to it.
  void code(const char* what, const Word* entry);
  /// Something goes wrong outside, by choice (vm/io/outside.h).
  void fault(const char* name, const std::string& place);

 private:
  EventLog(Vm& vm, FILE* file) : vm_(vm), file_(file) {}
  void line(const char* what, const std::string& text);
  std::string place(const Word* pc) const;
  std::string slice_end(const Worker& w) const;

  Vm& vm_;
  FILE* const file_;
};

}  // namespace wb
