// Links, monitors and aliases of one process. Touched by the owner only.
//
// Both ends of a link keep an entry, and each may be changed by its own side while a signal of the
// other is on its way. So that the two always agree in the end, an unlink waits for its echo: who
// unlinks marks its entry with a number (for programs the link is gone), sends `unlink` and drops
// the entry when the other side's `unlink_ack` brings that number back. Until then whatever comes
// from the other side about this link was sent before it knew: link signals and exits are ignored,
// an unlink is only acknowledged. Linking again takes the mark off and sends a new link signal,
// which follows the unlink. (Rejected: forgetting the entry at once. The other side's link signal,
// sent before it saw our unlink, would then set up a link of which it knows nothing.)
//
// The other end may be on another node (term/address.h): these entries count it.
#pragma once

#include "term/magic_registry.h"
#include "term/node_table.h"
#include "vm/process/process.h"
#include "vm/process/signal.h"
#include "vm/process/small_map.h"

namespace wb {

/// When an alias made by monitor/3 or alias/1 stops working.
/// `ended`: the monitor's reference was an alias, but is none any more.
enum class AliasMode : uint8_t { none, explicit_unalias, demonitor, reply_demonitor, reply, ended };

struct Alias {
  AliasMode mode = AliasMode::none;
  bool priority = false;  ///< what is sent to it with `priority` overtakes other messages
};

/// read_ticks() in a unit of Monitor::made: a millisecond or so.
constexpr int kMadeShift = 22;

/// A monitor this process set on another (or on a name, port or the clock).
struct Monitor {
  Address target;    ///< counted; of the clock its name
  Term name = kNil;  ///< registered name it was set on, or nil
  Term type = am::process;
  AliasMode alias = AliasMode::none;
  uint32_t made =
      0;  ///< when, read_ticks() >> kMadeShift: how long a call lasts (vm/observe/calls.h)
  Term tag = kNone;  ///< {tag,T}: T, in tag_fragment or immediate; kNone: 'DOWN'
  HeapFragment* tag_fragment = nullptr;
  bool spawned = false;   ///< made by spawn_opt/spawn_request
  bool priority = false;  ///< what it brings overtakes other messages
};

struct Watcher {
  Address who;  ///< counted; of a native library's resource the number of its reference
  Term name;    ///< the name the watcher used, or nil
};

/// As programs see it. kNone: a resource that is shown to nobody, or just going.
inline Term watcher_term(Heap& h, const Watcher& w) {
  if (!w.who.is_resource()) return term_of(w.who, h);
  return find_magic(h, static_cast<uint64_t>(small_value(w.who.local_term())) | kMagicNumber);
}

struct Relations {
  SmallMap<Address, uint64_t> links;       ///< counted; 0, or the number of our unlink
  SmallMap<uint64_t, Monitor> monitors;    ///< by reference number
  SmallMap<uint64_t, Watcher> watchers;    ///< who watches us
  SmallMap<uint64_t, Alias> aliases;       ///< aliases without a monitor
  SmallMap<Address, bool> priority_links;  ///< those of `links` whose exits overtake messages
  bool remote = false;                     ///< some other end is or was on another node
  /// True: there was none.
  bool add_link(Address to);
  void erase_link(SmallMap<Address, uint64_t>::iterator at);
  size_t bytes() const {
    return links.bytes() + monitors.bytes() + watchers.bytes() + aliases.bytes() +
           priority_links.bytes();
  }
  static Relations* make();
  static void destroy(Relations* r);
};

/// Both ends of a link to a process or port: false if there is none. `priority`: so is its exit.
bool link_to(Exec& c, Address to, bool priority = false);
void unlink_from(Exec& c, Address to);
bool is_linked(const Process& p, Address to);
/// The other side's signals about a link: it set one up, took it down, saw ours taken down.
void handle_link(Process& p, Address from);
void handle_unlink(Process& p, Address from, uint64_t number);
void handle_unlink_ack(Process& p, Address from, uint64_t number);
/// How something is received, if at all.
enum class Reception : uint8_t { refused, ordinary, priority };
/// `from` has ended; was there a link? It is gone now.
Reception take_link(Process& p, Address from);

/// The reference term of monitor or alias `number` as its owner knows it.
Term monitor_ref(Process& p, Heap& h, uint64_t number, AliasMode alias);
/// How a message to alias `number` is received; ends a reply alias (its first message).
Reception take_alias(Process& p, uint64_t number);
/// How an exit signal to it is, which ends none.
Reception alias_reception(Process& p, uint64_t number);
/// Does a link, monitor or alias of its own let priority messages in?
bool takes_priority_messages(Process& p);
/// unalias/1: false if it was not active.
bool remove_alias(Process& p, uint64_t number);
/// Removes monitor `number`: false if it was not active.
bool remove_monitor(Exec& c, uint64_t number);
/// What a monitor is on, as programs see it: pid, port, {Name, Node} or the clock; kNone: nobody.
inline Term monitored(const Monitor& m, Heap& h) {
  return is_nil(m.name) ? term_of(m.target, h) : tuple(h, m.name, local_node().name);
}

// Links and monitors as erts_debug:get_internal_state shows them.

/// [{erl_link, process, Pid, linked | unlinking, Id}]
Term link_list(Process& p, Heap& h);
/// [{erl_monitor, Type, origin | target, Ref, Process, Name | []}]
Term monitor_list(Process& p, Heap& h);

}  // namespace wb
