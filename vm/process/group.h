// Groups of processes, in a tree, with budgets: many customers in one machine.
//
// whitebeam:group/1 makes one; the spawn option {whitebeam, [{group, G}]} puts a process into it,
// and whoever a process of the group spawns is in the same one. A group lives as long as a
// reference to it, a process in it or a group below it. What a process uses is counted for its
// group and all above it, where it happens, by additions whose number is the depth of the tree
// (at most kDeepest), however many processes there are:
//   reductions  when a slice is over
//   memory      when signals have been handled and after a collection: what has changed since
//   messages    when one is sent
//
// Budgets. Who is to run while the reductions of its group, or of one above, are spent waits for
// its turn (rate.h); so does a process that sends when the messages are. It is suspended: it
// handles signals, so it can be killed and asked, and runs no code. Of memory there is nothing to
// wait for: what becomes of the group is chosen (group_actions.def), and happens once until it is
// within its budget again.
//
// A process may overrun by what it takes in one slice, in memory by what it allocates between two
// collections. ETS tables, persistent terms, ports and code belong to no group.
//
// A group that a process has no reference to it cannot leave, enter or change: groups are made
// below the maker's own, and children are spawned into the own group or one below.
//
// Invariants: `members_` has those that are in the table of processes; a member's memory is what it
// has added to the totals. Numbers only differ from the sum over members while one is adding.
//
// Locks: groups (which there are), group (members and children of one; never two at a time), rate.
//
// Rejected: summing up when somebody asks (a budget must be seen to be exceeded at once); a heap
// of members by memory (each collection would move in it; who is killed is rare).
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/ranked_lock.h"
#include "term/fault.h"
#include "term/heap.h"
#include "vm/process/policy.h"
#include "vm/process/rate.h"

namespace wb {

enum class GroupAction : uint8_t {
#define GROUP_ACTION(name, what) name,
#include "vm/process/group_actions.def"
};
const char* action_text(GroupAction action);

class Group;
class Groups;

/// Of one process in a group.
class GroupMember final : public Policy {
 public:
  explicit GroupMember(Group& group);
  ~GroupMember() override;
  static GroupMember& of(const Process& p);

  void joins(Process& p) override;
  Turn before_slice(Exec& c, AfterSlice& end, bool may_wait) override;
  void after_slice(After how, uint32_t reductions) override;
  void changed(Process& p) override;
  void exits(Process& p) override;

  bool may_send(Process& p, bool waits) override;
  void resume(Process& p);  ///< it may ask again; by anybody

  Group& group;

 private:
  friend class Group;
  void suspend(Process& p);
  Group* overdrawn(Rate Group::* rate, uint64_t now_ns);
  bool stands_in_line(Process& p, Rate& rate);
  Process* process_ = nullptr;
  GroupMember *next_ = nullptr, *prev_ = nullptr;  ///< Group::members_
  std::atomic<int64_t> memory_{0};
  std::atomic<bool> waiting_{false};  ///< it stands in a line, and has not been resumed
};

struct GroupOptions {
  Group* parent = nullptr;  ///< counted by the new group, not by this
  uint64_t memory = 0;      ///< bytes; 0: no limit. Of the others a second
  uint64_t reductions = 0, messages = 0;
  GroupAction action = GroupAction::kill_largest;
  Term owner = kNone;  ///< pid that is notified
  Term name_atom = kNone;
  std::string name;  ///< shown
};

class Group final : public OffHeapObject {
 public:
  static constexpr uint32_t kDeepest = 16;
  /// One reference is the caller's.
  static Group* make(Vm& vm, Groups& groups, const GroupOptions& options);
  /// The group of a reference, or null.
  static Group* of(Term ref);
  Term ref(Heap& h);  ///< the same for all

  const uint32_t number;  ///< 1 and up
  const GroupOptions options;
  const uint32_t depth;                      ///< 1: nothing above
  bool is_within(const Group& other) const;  ///< it is `other`, or below
  std::vector<Group*> children();            ///< counted by the caller

#define GROUP_NUMBER(name, what) std::atomic<int64_t> name{0};
#include "vm/process/group_numbers.def"

 private:
  friend class GroupMember;
  friend class Groups;
  Group(Vm& vm, Groups& groups, const GroupOptions& options);
  ~Group();
  static void destroyed(OffHeapObject* o);
  bool try_retain();
  template <class F>
  void each_member(F f);
  template <class F>
  void each_above(F f) {
    for (Group* g = this; g; g = g->options.parent) f(*g);
  }
  void add_memory(int64_t bytes, Process* by);
  void check_memory(Process* by);
  void act(Process* by, int64_t bytes);
  void kill(Process& p, Process* by);
  void left(const GroupMember& m);
  void outlive();

  Vm& vm_;
  Groups& groups_;
  const uint64_t ref_number_;
  const bool limits_reductions_, limits_messages_;  ///< it or one above
  Rate reductions_rate_, messages_rate_;
  bool outlives_ = false;            ///< the scheduler and Groups
  std::atomic<bool> acting_{false};  ///< it has been exceeded, and is not yet within the budget
  std::atomic<const GroupMember*> victim_{nullptr};
  RankedLock<LockRank::group> lock_;
  GroupMember* members_ = nullptr;
  std::vector<Group*> children_;
};

/// All groups of a machine.
class Groups {
 public:
  /// In the order in which they were made; counted by the caller.
  std::vector<Group*> all();
  /// No process runs any more; some may outlive the machine's scheduler, in tables.
  ~Groups();

 private:
  friend class Group;
  RankedLock<LockRank::groups> lock_;
  std::vector<Group*> groups_;
  uint32_t made_ = 0;
};

/// Null: it is in none.
Group* group_of(const Process& p);

}  // namespace wb
