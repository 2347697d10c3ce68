#include "tools/observer/machine_list.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tools/observer/home_rates.h"
#include "tools/observer/requests.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kApart{1}, kWanted{10};
constexpr std::chrono::milliseconds kPatience{500};  // for the first look at a machine

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

int64_t now_ms() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}  // namespace

MachineList::~MachineList() {
  {
    std::lock_guard guard(lock_);
    over_ = true;
  }
  changed_.notify_all();
  machines_.clear();  // joins their threads
}

bool MachineList::is_wanted() const { return !over_ && Clock::now() < wanted_until_; }

bool MachineList::rest() {
  std::unique_lock guard(lock_);
  changed_.wait_for(guard, kApart, [this] { return over_; });
  return is_wanted();
}

// --- one machine's thread ------------------------------------------------------------------------
void MachineList::thread_main(void* machine) {
  Machine& m = *static_cast<Machine*>(machine);
  m.list.follow(m);
}

void MachineList::follow(Machine& m) {
  ObserverClient client;
  client.late = [this, &m](int seconds) {
    std::lock_guard guard(lock_);
    m.late_s = seconds;
    return is_wanted();
  };
  do {
    if (!client.connected() && !greet(m, client)) {
      std::lock_guard guard(lock_);
      if (m.state == State::ended) break;
    } else {
      look(m, client);
    }
    changed_.notify_all();
  } while (rest());
  std::lock_guard guard(lock_);
  m.followed = false;
  changed_.notify_all();
}

/// Connects. False: it has ended, or has no room for one more who looks.
bool MachineList::greet(Machine& m, ObserverClient& client) {
  std::string error = client.connect(m.where.socket);
  const bool gone = !error.empty() && !takes_connections(m.where) && !exists(m.where.socket);
  JsonValue hello = error.empty() ? client.ask(observer_request("hello")) : JsonValue();
  error = error.empty() ? client.error() : "it takes no connections";
  std::lock_guard guard(lock_);
  if (gone) {
    m.state = State::ended;
    m.ended_ms = now_ms();
  } else if (hello.is_null()) {
    if (!m.late_s) m.state = State::refuses, m.why = error;
    client.close();
  } else {
    if (hello["started_ms"].number() != m.hello["started_ms"].number()) m.home = {};
    m.hello = std::move(hello);
    return true;
  }
  return false;
}

void MachineList::look(Machine& m, ObserverClient& client) {
  JsonValue home = client.ask(observer_request("home"));
  JsonValue warnings = client.ask(observer_request("warnings", {}, {{"limit", 1}}));
  if (home.is_null() || warnings.is_null()) return;  // asked again, or greeted again
  std::lock_guard guard(lock_);
  m.state = State::runs;
  m.late_s = 0;
  m.use = scheduler_use(home, m.home);
  m.home = std::move(home), m.warnings = std::move(warnings);
}

// --- the list ------------------------------------------------------------------------------------
/// Under the lock. What has ended stays until there are too many of them, or its number is given to
/// another.
void MachineList::find_machines() {
  for (RunningMachine& found : listed_machines()) {
    std::unique_ptr<Machine>& m = machines_[found.pid];
    const bool again = m && m->state == State::ended && !m->followed;
    if (!m || again) m = std::make_unique<Machine>(*this, std::move(found));
  }
  size_t followed = 0;
  for (const auto& [pid, m] : machines_) followed += m->followed;
  for (const auto& [pid, m] : machines_) {
    if (m->followed || m->state == State::ended || followed >= kMost) continue;
    m->thread.join();  // it is over: who follows no more needs no lock
    m->state = State::unknown;
    m->awaited = false;
    m->late_s = 0;
    m->followed = m->thread.start("machine list", thread_main, m.get());
    followed += m->followed;
  }
}

void MachineList::forget_ended() {
  std::vector<std::pair<int64_t, pid_t>> ended;
  for (const auto& [pid, m] : machines_) {
    if (m->state == State::ended && !m->followed) ended.emplace_back(m->ended_ms, pid);
  }
  std::ranges::sort(ended, std::greater());
  for (size_t k = kMostEnded; k < ended.size(); ++k) machines_.erase(ended[k].second);
}

void MachineList::write(JsonWriter& w, const Machine& m) {
  constexpr const char* kStates[] = {"unknown", "runs", "refuses", "ended"};
  w.open('{').number("pid", m.where.pid).text("state", kStates[static_cast<int>(m.state)]);
  if (m.state == State::refuses) w.text("why", m.why);
  if (m.state == State::ended) w.number("ended_ms", m.ended_ms);
  if (m.state != State::ended && m.late_s) w.number("late_s", m.late_s);
  if (!m.hello.is_null()) {
    w.text("program", m.hello["program"].text()).text("node", m.hello["node"].text());
    w.number("started_ms", m.hello["started_ms"].integer());
  }
  if (!m.home.is_null()) {
    double queued = 0;
    for (const JsonValue& s : m.home["schedulers"].list()) queued += s["queue"].number();
    const JsonValue& processes = m.home["counts"]["processes"];
    w.number("uptime_ns", m.home["uptime_ns"].integer());
    w.number("queued", static_cast<int64_t>(queued));
    w.number("schedulers", m.home["schedulers"].list().size());
    w.number("processes", processes["now"].integer()).number("limit", processes["limit"].integer());
    w.number("resident", m.home["os"]["resident"].integer());
    w.number("memory_limit", m.home["os"]["memory_limit"].integer());
    w.number("warnings", m.warnings["total"].integer());
    if (m.use >= 0) w.number("use", m.use);
  }
  const auto& rows = m.warnings["rows"].list();
  if (!rows.empty()) {
    w.object("worst").text("what", rows[0]["what"].text()).text("text", rows[0]["text"].text());
    w.text("name", rows[0]["name"].text()).close('}');
  }
  w.close('}');
}

std::string MachineList::data() {
  std::unique_lock guard(lock_);
  wanted_until_ = Clock::now() + kWanted;
  find_machines();
  changed_.wait_for(guard, kPatience, [this] {
    return std::ranges::none_of(machines_, [](const auto& m) {
      return m.second->state == State::unknown && m.second->followed && !m.second->awaited;
    });
  });
  for (const auto& [pid, m] : machines_) m->awaited = true;
  forget_ended();
  std::string out;
  JsonWriter w(out);
  w.open('{').array("machines");
  for (const auto& [pid, m] : machines_) write(w, *m);
  w.close(']').close('}');
  return out;
}

}  // namespace wb
