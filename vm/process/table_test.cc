// The process table and the names under several threads.
#include "vm/process/table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "scheduler/thread_progress.h"

namespace wb {
namespace {

constexpr int kThreads = 4;

template <class F>
void on_threads(F f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { f(i); });
  for (std::thread& t : threads) t.join();
}

/// What exit_process does with the table.
void leave(ProcessTable& table, Process& p) {
  table.remove(p);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (p.named.load(std::memory_order_relaxed)) table.forget_name(p.id);
}

}  // namespace

TEST_CASE("process table: serials set back pass over those in use") {
  ProcessTable table(64);
  Process kept[3], again[6];
  for (Process& p : kept) table.add(p);
  const uint32_t first = pid_serial(kept[0].id);
  REQUIRE(table.set_next_serial(first) == first);
  table.remove(kept[1]);  // between: its serial is passed over all the same
  std::vector<uint32_t> serials;
  for (Process& p : again) {
    REQUIRE(table.add(p));
    serials.push_back(pid_serial(p.id) - first);
  }
  CHECK(serials == std::vector<uint32_t>{3, 4, 5, 6, 7, 8});
  table.set_next_serial(first + 4);
  table.remove(again[0]);
  REQUIRE(table.add(again[0]));
  CHECK(pid_serial(again[0].id) == first + 9);
  for (Process* p : {&kept[0], &kept[2]}) table.remove(*p);
  for (Process& p : again) table.remove(p);
}

TEST_CASE("names: found while others are given, given up and many") {
  NameMap names;
  constexpr Term kKept = make_small(1);
  names.set(make_atom(7), kKept);
  std::atomic<bool> over{false};
  bool always = true;
  std::thread reader([&] {
    while (!over) always = always && names.find(make_atom(7)) == kKept;
  });
  for (uint32_t k = 100; k < 5000; ++k) {
    names.set(make_atom(k), make_small(k));
    if (k % 3 == 0) names.set(make_atom(k), kNone);
  }
  over = true;
  reader.join();
  CHECK(always);
  for (uint32_t k = 100; k < 5000; ++k)
    REQUIRE(names.find(make_atom(k)) == (k % 3 ? make_small(k) : kNone));
  CHECK(names.find(make_atom(99)) == kNone);
  names.set(make_atom(102), make_small(5));
  CHECK(names.find(make_atom(102)) == make_small(5));
}

TEST_CASE("process table: all slots that were freed are used again, the newest first") {
  constexpr size_t kAll = 64;
  ProcessTable table(kAll);
  std::vector<Process> all(kAll), again(kAll);
  Process one_more;
  for (Process& p : all) REQUIRE(table.add(p));
  CHECK_FALSE(table.add(one_more));
  std::vector<uint32_t> freed, taken;
  for (size_t k = 0; k < kAll; ++k) {
    freed.push_back(pid_slot(all[k].id));
    table.remove(all[k]);
  }
  CHECK(table.count() == 0);
  for (Process& p : again) {
    REQUIRE(table.add(p));
    taken.push_back(pid_slot(p.id));
  }
  CHECK_FALSE(table.add(one_more));
  std::ranges::reverse(freed);
  CHECK(taken == freed);
  CHECK(table.peak() == kAll);
  for (Process& p : again) table.remove(p);
}

TEST_CASE("process table: a snapshot knows who was there when it was made") {
  ProcessTable table(64);
  Process before[4], after[3];
  for (Process& p : before) table.add(p);
  const Term ids[4] = {before[0].id, before[1].id, before[2].id, before[3].id};
  ProcessTable::Snapshot all(table);
  REQUIRE(all.slots() == 4);
  all.look_at(0);
  all.look_at(1);
  table.remove(before[1]);                // looked at
  table.remove(before[2]);                // not yet
  for (Process& p : after) table.add(p);  // two of them in those slots
  table.remove(after[1]);
  all.look_at(2);
  all.look_at(3);
  for (uint32_t s = 0; s < 4; ++s) CHECK(all.at(s) == ids[s]);
  ProcessTable::Snapshot later(table);
  std::vector<Term> found;
  for (uint32_t s = 0; s < later.slots(); ++s) {
    later.look_at(s);
    if (is_value(later.at(s))) found.push_back(later.at(s));
  }
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<Term>{ids[0], ids[3], after[0].id, after[2].id});
  for (Process* p : {&before[0], &before[3], &after[0], &after[2]}) table.remove(*p);
}

TEST_CASE("process table: pids are unique, and found is what was asked for") {
  ProcessTable table(64);
  ThreadProgress progress(kThreads);
  std::atomic<Term> seen[kThreads] = {};
  std::atomic<int> wrong{0};
  on_threads([&](int i) {
    uint32_t who = static_cast<uint32_t>(i);
    progress.online(who);
    std::vector<Process*> mine;
    for (int n = 0; n < 20'000; ++n) {
      auto p = std::make_unique<Process>();
      if (table.add(*p)) {
        if (table.find(p->id) != p.get()) ++wrong;
        seen[i].store(p->id);
        mine.push_back(p.release());
      }
      Term other = seen[(i + 1) % kThreads].load();
      if (other) {
        Process* q = table.find(other);
        if (q && q->id != other) ++wrong;
      }
      if (mine.size() > 20 || (n % 3 == 0 && !mine.empty())) {
        Process* gone = mine.back();
        mine.pop_back();
        Term id = gone->id;
        table.remove(*gone);
        if (table.find(id)) ++wrong;
        progress.retire(gone, [](void* q) { delete static_cast<Process*>(q); }, who);
      }
      progress.quiescent(who);
      if (n % 64 == 0) progress.reclaim();
    }
    for (Process* p : mine) {
      table.remove(*p);
      progress.retire(p, [](void* q) { delete static_cast<Process*>(q); }, who);
    }
    progress.offline(who);
  });
  progress.drain();
  CHECK(wrong == 0);
  CHECK(table.count() == 0);
}

TEST_CASE("process table: no name outlives its process, none is taken from another") {
  ProcessTable table(1024);
  ThreadProgress progress(kThreads);
  const Term names[] = {intern("table_test_a"), intern("table_test_b")};
  std::atomic<Term> latest{kNone};
  std::atomic<int> wrong{0}, registered{0}, holders[2] = {};
  on_threads([&](int i) {
    uint32_t who = static_cast<uint32_t>(i);
    progress.online(who);
    for (int n = 0; n < 10'000; ++n) {
      auto* p = new Process;
      if (!table.add(*p)) ++wrong;
      latest.store(p->id);
      const int k = n % 2;
      bool mine = table.register_name(names[k], p->id) == ProcessTable::Registered::done;
      if (mine) {
        ++registered;
        if (holders[k].fetch_add(1) != 0) ++wrong;
        if (table.whereis(names[k]) != p->id) ++wrong;
        if (table.name_of(p->id) != names[k]) ++wrong;
        holders[k].fetch_sub(1);
      }
      // Whom another thread is just ending gets a name, or is gone: never a name that stays.
      Term other = latest.load();
      const Term of_others = intern("table_test_other");
      if (n % 5 == 0) table.register_name(of_others, other);
      if (mine && n % 3 == 0) table.unregister_name(names[k]);
      const Term id = p->id;
      leave(table, *p);
      if (is_value(table.name_of(id))) ++wrong;
      progress.retire(p, [](void* q) { delete static_cast<Process*>(q); }, who);
      progress.quiescent(who);
    }
    progress.offline(who);
  });
  progress.drain();
  CHECK(wrong == 0);
  CHECK(registered > 0);
  CHECK(table.names().empty());
}

}  // namespace wb
