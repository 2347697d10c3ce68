#include "vm/explore/races.h"

#include <algorithm>
#include <string_view>

#include "base/fnv.h"
#include "loader/code.h"
#include "term/address.h"
#include "term/atom.h"
#include "term/hash.h"
#include "term/lists.h"
#include "vm/core/vm.h"
#include "vm/process/process.h"
#include "vm/process/relations.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr size_t kMostSteps = 1'500;  // of one run that are looked at

/// Things that operations touch.
enum class Thing : uint64_t {
  mailbox = 1,
  any_mailbox,
  table,
  rows,
  key,
  name,
  life,
  time,
  world,
  alias,
  network,
  other
};

uint64_t mix(uint64_t h, uint64_t with) {
  h = (h ^ with) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}
uint64_t thing(Thing kind, uint64_t which = 0) {
  return mix(mix(0x5bd1e995u, static_cast<uint64_t>(kind)), which);
}
/// Of terms that may be references, whose numbers no hash of terms knows.
uint64_t identity(Term t) {
  if (is_local_ref(t)) return mix(1, ref_number(t));
  return mix(2, phash2(t));
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void Races::step(const Party& party, size_t before, const Spot* choice,
                 std::span<Party* const> candidates) {
  Step s;
  s.who = party.path, s.before = before, s.chosen = choice != nullptr;
  if (choice) {
    s.spot = *choice;
    for (const Party* c : candidates) s.candidates.push_back(c->path);
  }
  if (auto born = born_.find(s.who); born != born_.end()) {
    s.after.push_back(born->second);
    born_.erase(born);
  }
  if (party.is_clock()) {
    s.touches.push_back({thing(Thing::time), AccessKind::write});
    clock_step_ = steps_.size();
  }
  steps_.push_back(std::move(s));
}

/// Who is alone does several in one step: each is one by itself, with nobody to choose before it.
void Races::begin_operation() {
  if (steps_.empty()) return;
  if (steps_.back().acts) {
    Step s;
    s.who = steps_.back().who, s.before = steps_.back().before;
    steps_.push_back(std::move(s));
  }
  steps_.back().acts = true;
}
void Races::touch(uint64_t what, AccessKind how) {
  if (!steps_.empty()) steps_.back().touches.push_back({what, how});
}
void Races::touch_table(Term table, AccessKind how) {
  touch(thing(Thing::table, identity(table)),
        how == AccessKind::read ? AccessKind::read : AccessKind::write);
  if (how == AccessKind::read) touch(thing(Thing::rows, identity(table)), AccessKind::read);
}
void Races::touch_key(Term table, Term key, AccessKind how) {
  const uint64_t t = identity(table);
  touch(thing(Thing::table, t), AccessKind::read);
  if (how != AccessKind::read) touch(thing(Thing::rows, t), AccessKind::add);
  touch(thing(Thing::key, mix(t, phash2(key))), how);
}

void Races::spawned(const Party& child, const Party& parent) {
  if (!steps_.empty()) born_[child.path] = steps_.size() - 1;
}

void Races::send_to_pid(Term pid, Term message) {
  const uint64_t mailbox = thing(Thing::mailbox, pid);
  touch(mailbox, AccessKind::write), touch(thing(Thing::any_mailbox), AccessKind::read);
  touch(thing(Thing::time), AccessKind::read);
  if (!steps_.empty()) sent_.push_back({mailbox, phash2(message), steps_.size() - 1});
}
void Races::sends(Process& p, Term to, Term message) {
  begin_operation();
  send_to(p, to, message);
}
void Races::send_to(Process& p, Term to, Term message) {
  if (is_atom(to)) {
    touch(thing(Thing::name, to), AccessKind::read);
    to = p.vm().processes->registered(to);
  }
  if (is_local_pid(to)) return send_to_pid(to, message);
  if (!is_value(to) || !is_kind(to, Kind::pid_ref))
    return touch(thing(Thing::other), AccessKind::write);
  touch(thing(Thing::alias, ref_number(to)), AccessKind::write);
  send_to_pid(boxed_ptr(to)[3], message);
}
void Races::polls(const Process& p) {
  begin_operation();
  touch(thing(Thing::mailbox, p.id), AccessKind::read);
  touch(thing(Thing::time), AccessKind::read), touch(thing(Thing::any_mailbox), AccessKind::read);
}
void Races::ends(Process& p) {
  begin_operation();
  end(p);
}
void Races::end(Process& p) {
  touch(thing(Thing::life, p.id), AccessKind::write), touch(thing(Thing::world), AccessKind::write);
  const Term name = p.vm().processes->name_of(p.id);
  if (is_value(name)) touch(thing(Thing::name, name), AccessKind::write);
  if (p.links) {
    for (auto& [to, unlinking] : p.links->links) {
      if (to.is_remote()) continue;
      touch(thing(Thing::mailbox, to.word()), AccessKind::write);
      touch(thing(Thing::life, to.word()), AccessKind::write);
    }
    for (auto& [number, watcher] : p.links->watchers)
      if (!watcher.who.is_remote())
        touch(thing(Thing::mailbox, watcher.who.word()), AccessKind::write);
  }
  touch(thing(Thing::any_mailbox), AccessKind::read);
  if (steps_.empty()) return;
  steps_.back().has_ended = true;
  ended_[p.id] = steps_.size() - 1;
}
void Races::died(const Party& party) {
  for (size_t k = steps_.size(); k-- > 0;) {
    Step& s = steps_[k];
    if (s.who != party.path) continue;
    if (s.has_ended) return;
    s.has_ended = true;
    ended_[party.pid] = k;
    for (Thing t : {Thing::any_mailbox, Thing::world, Thing::other})
      s.touches.push_back({thing(t), AccessKind::write});
    s.touches.push_back({thing(Thing::life, party.pid), AccessKind::write});
    return;
  }
}

void Races::takes(const Process& p, Term message) {
  if (steps_.empty()) return;
  if (steps_.back().acts) {
    begin_operation();
    steps_.back().acts = false;
  }
  Step& s = steps_.back();
  const uint64_t mailbox = thing(Thing::mailbox, p.id), hash = phash2(message);
  for (Sent& sent : sent_) {
    if (sent.taken || sent.message != hash || sent.mailbox != mailbox) continue;
    sent.taken = true;
    s.after.push_back(sent.step);
    return;
  }
  // Of who has ended, or of a timer.
  if (is_tuple(message)) {
    for (size_t k = 0; k < tuple_arity(message); ++k) {
      auto end = ended_.find(tuple_elements(message)[k]);
      if (end == ended_.end()) continue;
      s.after.push_back(end->second);
      return;
    }
  }
  if (clock_step_ < steps_.size()) s.after.push_back(clock_step_);
}

void Races::calls(Process& p, const Export& e, const Term* a) {
  begin_operation();
  const std::string_view module = atom_text(e.module), name = atom_text(e.function);
  if (module == "ets") {
    if (is_one_of(name, {"new", "whereis"})) {
      if (is_atom(a[0]))
        touch(thing(Thing::name, a[0] + 1), name == "new" ? AccessKind::write : AccessKind::read);
      return;
    }
    if (is_one_of(name, {"lookup", "lookup_element", "member"}))
      return touch_key(a[0], a[1], AccessKind::read);
    if (is_one_of(name, {"take", "update_counter", "update_element"}) ||
        (name == "delete" && e.arity == 2))
      return touch_key(a[0], a[1], AccessKind::write);
    // Where the key is the first element, as it is by default.
    if (is_one_of(name, {"insert", "insert_new", "delete_object"}) && is_tuple(a[1]) &&
        tuple_arity(a[1]) > 0)
      return touch_key(a[0], tuple_elements(a[1])[0], AccessKind::write);
    const bool reads = is_one_of(name, {"first", "last", "next", "prev", "slot", "info", "select",
                                        "select_reverse", "match", "match_object", "select_count"});
    return touch_table(a[0], reads ? AccessKind::read : AccessKind::write);
  }
  if (module == "erlang") {
    if (name == "send") return send_to(p, a[0], a[1]);
    if (is_one_of(name, {"spawn", "spawn_link", "spawn_opt", "yield"})) return;
    if (name == "exit" && e.arity == 1) return end(p);
    if (is_one_of(name, {"exit", "exit_signal"}) && is_local_pid(a[0])) {
      touch(thing(Thing::life, a[0]), AccessKind::write);
      return send_to_pid(a[0], a[1]);
    }
    if (is_one_of(name, {"register", "unregister"})) {
      touch(thing(Thing::world), AccessKind::write);
      return touch(thing(Thing::name, a[0]), AccessKind::write);
    }
    if (name == "whereis") return touch(thing(Thing::name, a[0]), AccessKind::read);
    if (is_one_of(name, {"processes", "registered"}))
      return touch(thing(Thing::world), AccessKind::read);
    if (is_one_of(name, {"link", "unlink", "is_process_alive", "process_info"})) {
      touch(thing(Thing::life, a[0]), AccessKind::read);
      if (name == "link") touch(thing(Thing::life, p.id), AccessKind::write);
      if (name == "process_info") touch(thing(Thing::mailbox, a[0]), AccessKind::read);
      return;
    }
    if (name == "monitor") {
      if (is_atom(a[1])) touch(thing(Thing::name, a[1]), AccessKind::read);
      return touch(thing(Thing::life, a[1]), AccessKind::read);
    }
    if (is_one_of(name, {"demonitor", "unalias"}) && is_local_ref(a[0])) {
      touch(thing(Thing::any_mailbox), AccessKind::read);
      return touch(thing(Thing::alias, ref_number(a[0])), AccessKind::write);
    }
    if (name == "process_flag") return touch(thing(Thing::life, p.id), AccessKind::write);
    if (is_one_of(name, {"start_timer", "send_after", "cancel_timer", "read_timer"}))
      return touch(thing(Thing::time), AccessKind::read);
    if (name == "halt") {
      for (Thing t : {Thing::any_mailbox, Thing::world, Thing::other, Thing::time})
        touch(thing(t), AccessKind::write);
      return;
    }
  }
  if (name == "spawn_request") return;
  if (module == "prim_socket" ||
      name.starts_with("port_")) {  // what comes of it, comes by the clock
    touch(thing(Thing::time), AccessKind::read);
    return touch(thing(Thing::network), AccessKind::write);
  }
  const bool reads = is_one_of(name, {"get", "counters_get"});
  const bool adds = is_one_of(name, {"add", "counters_add"});
  if (e.arity)
    touch(thing(Thing::other, identity(a[0])), reads  ? AccessKind::read
                                               : adds ? AccessKind::add
                                                      : AccessKind::write);
  touch(thing(Thing::other), AccessKind::read);
}

bool Races::are_dependent(const Step& a, const Step& b) {
  for (const Touch& x : a.touches) {
    for (const Touch& y : b.touches) {
      if (x.what == y.what && (x.how != y.how || x.how == AccessKind::write)) return true;
    }
  }
  return false;
}

void Races::went_wrong(const Switch& what) {
  trace_ += mix(mix(fnv1a(what.at.who), what.at.operation), fnv1a(what.to));
}

std::vector<Races::Reversal> Races::reversals() {
  std::vector<Reversal> found = faults_;
  const size_t n = std::min(steps_.size(), kMostSteps);
  std::vector<Clocks> clocks(n);  // after each step: how many steps of each come before it
  std::unordered_map<std::string, size_t> newest;
  std::vector<uint32_t> number(n);
  for (size_t j = 0; j < n; ++j) {
    const Step& s = steps_[j];
    Clocks& own = clocks[j];
    auto join = [&](size_t i) {
      for (auto& [who, count] : clocks[i]) own[who] = std::max(own[who], count);
    };
    if (auto last = newest.find(s.who); last != newest.end()) join(last->second);
    for (size_t i : s.after) {
      if (i >= j) continue;
      join(i);
      // It could have gone on without that message.
      const Step& sent = steps_[i];
      if (sent.chosen && sent.who != s.who && std::ranges::count(sent.candidates, s.who))
        found.push_back({sent.before, {sent.spot, s.who}});
    }
    number[j] = own[s.who] + 1;
    for (size_t i = j; i-- > 0;) {
      const Step& before = steps_[i];
      if (before.who == s.who || own[before.who] >= number[i] || !are_dependent(before, s))
        continue;
      if (before.chosen) {
        const bool can = std::ranges::count(before.candidates, s.who) != 0;
        for (const std::string& c : before.candidates) {
          if (c != before.who && (!can || c == s.who))
            found.push_back({before.before, {before.spot, c}});
        }
      }
      join(i);
    }
    // The clock may have been about to move when the run was over, and races with whatever asks it.
    const bool asks = std::ranges::count(s.touches, thing(Thing::time), &Touch::what) != 0;
    if (s.chosen && asks && s.candidates.back() == "clock" && s.who != "clock")
      found.push_back({s.before, {s.spot, "clock"}});
    own[s.who] = number[j];
    newest[s.who] = j;
    uint64_t h = mix(fnv1a(s.who), number[j]), all = 0;
    for (auto& [who, count] : own) all += mix(fnv1a(who), count);
    trace_ += mix(h, all);
  }
  return found;
}

}  // namespace wb
