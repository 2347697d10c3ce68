// What the processes of a run do, in the order in which they do it, as events (story_file.h).
//
// An event is an operation: who, in which line of the program, what. Where OTP's modules do it for
// the program, the line is the program's that called them. What is received is led back to what has
// sent it by the receiver and the text of the message: of equal ones the one that has arrived
// first, as in the mailbox. That of a timer arrives when its time is up, unless it is cancelled.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "term/term.h"
#include "vm/explore/schedule.h"
#include "vm/explore/story_file.h"
#include "vm/io/outside.h"

namespace wb {

class Explorer;
class Process;
class Vm;
struct Export;

class Story {
 public:
  Story(Vm& vm, const Explorer& explorer) : vm_(vm), explorer_(explorer) {}
  Story(const Story&) = delete;

  void sends(Process& p, const Word* I, Term to, Term message);
  void takes(Process& p, const Word* I, Term message);
  void times_out(Process& p, const Word* I);
  void ends(Process& p, const Word* I);
  void clock_moves(uint64_t ns);
  void goes_wrong(const OutsidePlace& place, Fault fault);
  /// From the usual run to another.
  void switches(const Switch& to);
  /// What is known before: the arguments may be gone when it returns.
  struct Call {
    std::string place, text;
    StoryKind kind = StoryKind::calls;
    Term to = kNone;                        ///< whom it concerns
    std::string target = {}, message = {};  ///< as the program has it; what is sent
    std::string arrives = {};               ///< the message that may come of it; of a timer its end
    bool names_itself = false;              ///< that message has the result in it
    bool is_timer = false;
    uint64_t after_ns = 0;     ///< it arrives so much later
    std::string cancels = {};  ///< a timer
  };
  Call begins_call(Process& p, const Word* I, const Export& e, const Term* arguments);
  void ends_call(Process& p, Call call, Term result);

  /// When the run is over. Of a very long one the beginning and the end.
  Telling told();

 private:
  StoryEvent& add(StoryKind kind, Process* p, std::string place);
  void look_at_arguments(Process& p, const Export& e, const Term* arguments, Call* call) const;
  void note_the_dead();
  uint32_t lifeline_of(Term pid);
  Term receiver_of(Term to) const;
  void is_on_its_way(Term to, const std::string& message, const StoryEvent& e, uint64_t after_ns);
  void is_cancelled(const std::string& timer);
  uint32_t sender_of(Term receiver, Term message);

  Vm& vm_;
  const Explorer& explorer_;
  std::vector<StoryEvent> events_;
  uint32_t count_ = 0;
  uint64_t left_out_ = 0;  ///< lines
  uint64_t began_ns_ = 0;
  std::vector<Lifeline> lifelines_;
  std::vector<Term> pids_;  ///< of lifelines; kNone: it has ended
  std::unordered_map<Term, uint32_t> lifeline_by_pid_;
  struct Sent {
    uint32_t event;
    uint64_t arrives_ns;
  };
  std::unordered_map<std::string, std::vector<Sent>> on_its_way_;  ///< by receiver and text
  /// Which of them a timer has sent, by its reference.
  std::unordered_map<std::string, std::pair<std::string, uint32_t>> timers_;
  std::unordered_map<Term, uint32_t> ended_;        ///< the event in which it did
  std::vector<std::pair<uint32_t, Term>> spawned_;  ///< by which event
};

/// Where in the program's own code a process is that executes the instruction at I: FILE:LINE, or
/// the function.
std::string program_place(Process& p, const Word* I);

}  // namespace wb
