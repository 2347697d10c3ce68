// state: what sys:get_state/1 would answer.
//
// That is no query of the machine but a message to the program: it is handled when its turn comes,
// copies the state, and wakes whoever hibernates. So it is asked for only by who may act, only of a
// process that waits in the loop of an OTP behaviour (others would find a message they do not
// expect), only if what that loop keeps is small enough to be copied, and not for long. The message
// is sent by a process of its own (lib/whitebeam_observe.erl), which a late answer finds gone.
#include <algorithm>
#include <string_view>

#include "gc/fragment.h"
#include "loader/code_table.h"
#include "term/copy.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/process_report.h"
#include "vm/observe/request.h"
#include "vm/observe/stack_frames.h"
#include "vm/observe/state_replies.h"
#include "vm/process/native.h"
#include "vm/process/run.h"
#include "vm/process/spawn.h"

namespace wb {
namespace {

using std::chrono::milliseconds;

/// Functions in which OTP's behaviours wait for a message, and answer system messages.
constexpr std::string_view kLoops[] = {"gen_server:loop/", "gen_statem:loop",
                                       "gen_event:fetch_msg/", "gen_fsm:loop/"};
/// What proc_lib:hibernate wakes up in.
constexpr std::string_view kBehaviours[] = {"gen_server", "gen_statem", "gen_event", "gen_fsm"};

/// Hibernating it keeps proc_lib, wake_up, [Module, Function, Arguments].
bool hibernates_in_loop(const Process& p) {
  if (!p.hibernating || p.live != 3 || !is_atom(p.saved_x[0]) || !is_cons(p.saved_x[2]))
    return false;
  Term module = head(p.saved_x[2]);
  if (atom_text(p.saved_x[0]) != "proc_lib" || !is_atom(module)) return false;
  return std::ranges::find(kBehaviours, atom_text(module)) != std::end(kBehaviours);
}

size_t words_of(std::span<const Term> kept, size_t most) {
  size_t words = 0;
  for (Term t : kept) {
    if (is_catch(t) || !is_value(t) || words > most) continue;
    words += flat_size_up_to(t, most - words);
  }
  return words;
}

/// The text is how many words its loop keeps, or empty: it is in no such loop.
void report_loop(Process& p, ProcessQuery& q) {
  auto most = static_cast<size_t>(q.number);
  if (hibernates_in_loop(p)) {
    q.text = std::to_string(words_of({p.saved_x, p.live}, most));
    return;
  }
  each_frame(p, [&](const StackFrame& frame) {
    bool loops = std::ranges::any_of(
        kLoops, [&](std::string_view loop) { return frame.function.starts_with(loop); });
    if (loops) q.text = std::to_string(words_of(frame.kept, most));
    return false;  // in something that was called from there it takes no messages
  });
}

std::string spawn_asker(RequestContext& a, Term pid, uint64_t ticket, milliseconds patience) {
  CodeTable::Loaded loaded = a.vm.code->load_from_path(am::whitebeam_observe);
  if (!loaded) return "whitebeam_observe cannot be loaded";
  FragmentHeap h(16);
  Term arguments = cons(h, make_small(patience.count()), kNil);
  arguments = cons(h, make_small(static_cast<int64_t>(ticket)), arguments);
  SpawnOptions options;
  options.system = true;
  Term asker = spawn_process(a.vm, nullptr, am::whitebeam_observe, am::ask_state,
                             cons(h, pid, arguments), options);
  return is_fault(asker) ? "there is no room for a process that asks" : "";
}

}  // namespace

uint64_t StateReplies::expect() {
  std::lock_guard lock(lock_);
  expected_.try_emplace(++last_);
  return last_;
}
bool StateReplies::wait(uint64_t ticket, milliseconds patience, Reply* reply) {
  std::unique_lock lock(lock_);
  auto has_come = [&] { return over_ || !expected_[ticket].how.empty(); };
  changed_.wait_for(lock, patience, has_come);
  *reply = std::move(expected_[ticket]);
  expected_.erase(ticket);
  return !reply->how.empty();
}
bool StateReplies::deliver(uint64_t ticket, Reply reply) {
  std::lock_guard lock(lock_);
  auto at = expected_.find(ticket);
  if (at == expected_.end() || !at->second.how.empty()) return false;
  at->second = std::move(reply);
  changed_.notify_all();
  return true;
}
void StateReplies::give_up() {
  std::lock_guard lock(lock_);
  over_ = true;
  changed_.notify_all();
}

/// observed_state(Ticket, How, What)
BIF(whitebeam, observed_state, 3)
{
  constexpr PrintOptions kText = {true, true, StateReplies::kMostText};
  if (!is_small(a[0]) || !is_atom(a[1])) return kBadarg;
  StateReplies& states = *p.vm().states;
  std::string text = to_text(a[2], kText);
  p.charge(static_cast<int64_t>(text.size() / 100));
  return make_bool(states.deliver(static_cast<uint64_t>(small_value(a[0])),
                                  {std::string(atom_text(a[1])), std::move(text)}));
}

/// {"pid": PID or NAME, "patience_ms": 500, "most_words": 100000}
std::string answer_state(RequestContext& a) {
  if (!a.connection.acts) return "this connection may only look (hello with \"actions\": true)";
  Term pid = named_process(a);
  if (!is_value(pid)) return "no such process";
  milliseconds patience(a.request.number("patience_ms", 500, 1, 5000));
  auto most = static_cast<uint64_t>(a.request.number("most_words", 100'000, 1, 10'000'000));
  std::vector<ProcessQuery*> q =
      query_all(a.vm, a.observer.query_waiter, {pid}, report_loop, patience, most);
  ProcessQuery::State state = q[0]->state();
  std::string words = state == ProcessQuery::State::answered ? q[0]->text : "";
  q[0]->drop();
  if (state == ProcessQuery::State::gone) return "no such process";
  if (state != ProcessQuery::State::answered) return "it has not answered: it is busy";
  if (words.empty()) return "it does not wait in the loop of an OTP behaviour";
  if (std::stoull(words) > most) {
    return "it is not asked: its state has more than " + std::to_string(most) + " words";
  }
  StateReplies& states = *a.vm.states;
  uint64_t ticket = states.expect();
  std::string error = spawn_asker(a, pid, ticket, patience);
  StateReplies::Reply reply;
  // The asker's own patience ends first, unless nothing gets to run.
  bool received = states.wait(ticket, error.empty() ? 2 * patience : milliseconds(0), &reply);
  if (!error.empty()) return error;
  if (!received || reply.how == "late") return "it has not answered in time";
  if (reply.how == "gone") return "it has ended: " + reply.text;
  if (reply.how == "refused") return "it has refused: " + reply.text;
  a.out.key("words").raw(words).text("state", reply.text);
  return {};
}

}  // namespace wb
