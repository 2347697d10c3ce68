#include "tools/observer/timeline.h"

#include <algorithm>
#include <utility>

#include "vm/observe/json.h"

namespace wb {

bool Timeline::refresh(ObserverClient& client) {
  std::string request;
  JsonWriter w(request);
  w.open('{').text("do", "events").array("from");
  for (int64_t n : next_) w.number(n);
  w.close(']').number("messages_since_ns", static_cast<int64_t>(newest_message_ns_)).close('}');
  JsonValue data = client.ask(request);
  if (data.is_null()) return false;
  now_ns_ = data["now_ns"].number();
  const auto& kinds = data["kinds"].list();
  const auto& schedulers = data["schedulers"].list();
  lanes_.resize(schedulers.size());
  open_.resize(schedulers.size());
  next_.resize(schedulers.size());
  for (size_t k = 0; k < schedulers.size(); ++k) {
    const auto& events = schedulers[k]["events"].list();
    int64_t next = schedulers[k]["next"].integer();
    if (schedulers[k]["lost"].truth()) open_[k] = {};  // overwritten before they were read
    for (const JsonValue& e : events) {
      if (e.list().size() != 3) continue;
      auto kind = static_cast<size_t>(e.list()[1].integer());
      if (kind < kinds.size()) {
        add(lanes_[k], k, e.list()[0].number(), kinds[kind].text(), e.list()[2]);
      }
    }
    next_[k] = next;
  }
  add_arrows(data["messages"]);
  constexpr size_t kMostNames = 100'000;
  if (names_.size() > kMostNames) names_.clear();
  for (const JsonValue& n : data["names"].list()) {
    if (n.list().size() == 2) names_[n.list()[0].text()] = n.list()[1].text();
  }
  return true;
}

std::string Timeline::named(const std::string& pid) const {
  const auto name = names_.find(pid);
  return name == names_.end() ? pid : name->second + ' ' + pid;
}

/// An arrow leads from where the sender last ran to where the receiver ran when it took the
/// message. What has no such spans yet, or not any more, is no arrow.
void Timeline::add_arrows(const JsonValue& messages) {
  for (const JsonValue& m : messages.list()) {
    if (m.list().size() != 4) continue;
    double taken = m.list()[0].number();
    newest_message_ns_ = std::max(newest_message_ns_, taken);
    Arrow a{0, taken, 0, 0, m.list()[1].text(), m.list()[2].text(), m.list()[3].integer()};
    bool received = false;
    for (size_t k = 0; k < lanes_.size(); ++k) {
      const auto& spans = lanes_[k].spans;
      auto after = std::upper_bound(spans.begin(), spans.end(), taken,
                                    [](double ns, const Span& s) { return ns < s.end_ns; });
      if (after != spans.end() && after->begin_ns <= taken && after->who == a.to) {
        a.to_lane = k, received = true;
      }
      int looked = 0;
      for (auto s = after; looked < 1000 && s != spans.begin(); ++looked) {
        --s;
        if (s->kind != Span::Kind::run || s->who != a.from) continue;
        if (s->end_ns > a.begin_ns) a.begin_ns = s->end_ns, a.from_lane = k;
        break;
      }
    }
    if (received && a.begin_ns) arrows_.push_back(std::move(a));
  }
}

void Timeline::add(Lane& lane, size_t k, double ns, const std::string& kind,
                   const JsonValue& argument) {
  Open& open = open_[k];
  // These happen in the middle of a slice.
  bool within = kind == "spawn" || kind == "woke" || kind == "load" || kind == "compile" ||
                kind.starts_with("native");
  double since = within ? open.last_ns : std::exchange(open.last_ns, ns);
  if (kind == "parked" || kind == "requeued" || kind == "gone") {
    if (since && since < ns) lane.spans.push_back({Span::Kind::run, since, ns, argument.text()});
  } else if (kind == "collect_begin") {
    open.who = argument.text();
    if (since) lane.spans.push_back({Span::Kind::run, since, ns, open.who});
  } else if (kind == "collect_end") {
    if (since) lane.spans.push_back({Span::Kind::collect, since, ns, open.who});
  } else if (kind == "asleep") {
    open.asleep = true;
  } else if (kind == "awake") {
    if (open.asleep && since) lane.spans.push_back({Span::Kind::sleep, since, ns, ""});
    open.asleep = false;
  } else {
    std::string text = argument.text();
    if (text.empty()) text = std::to_string(argument.integer());
    lane.instants.push_back({ns, kind, text});
  }
}

void Timeline::forget_before(double ns) {
  for (Lane& lane : lanes_) {
    std::erase_if(lane.spans, [&](const Span& s) { return s.end_ns < ns; });
    std::erase_if(lane.instants, [&](const Instant& i) { return i.ns < ns; });
  }
  std::erase_if(arrows_, [&](const Arrow& a) { return a.begin_ns < ns; });
}

std::string perfetto_json(const Timeline& timeline, const std::string& title) {
  std::string out;
  JsonWriter w(out);
  double begin = timeline.now_ns();
  for (const Lane& lane : timeline.lanes()) {
    for (const Span& s : lane.spans) begin = std::min(begin, s.begin_ns);
    for (const Instant& i : lane.instants) begin = std::min(begin, i.ns);
  }
  auto microseconds = [&](double ns) { return (ns - begin) / 1000; };
  auto head = [&](const char* phase, const std::string& name, size_t lane) {
    w.open('{').text("ph", phase).text("name", name).number("pid", 1).number("tid", lane + 1);
  };
  auto moment = [&](const char* key, double us) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.3f", us);
    w.key(key).raw(digits);
  };
  w.open('{').text("displayTimeUnit", "ns").array("traceEvents");
  head("M", "process_name", 0);
  w.object("args").text("name", title).close('}').close('}');
  for (size_t k = 0; k < timeline.lanes().size(); ++k) {
    head("M", "thread_name", k);
    w.object("args").text("name", "scheduler " + std::to_string(k + 1)).close('}').close('}');
    for (const Span& s : timeline.lanes()[k].spans) {
      static constexpr const char* kNames[] = {"", "collection", "asleep", "native work"};
      head("X",
           s.kind == Span::Kind::run ? timeline.named(s.who) : kNames[static_cast<int>(s.kind)], k);
      moment("ts", microseconds(s.begin_ns));
      moment("dur", (s.end_ns - s.begin_ns) / 1000);
      if (!s.who.empty()) w.object("args").text("process", s.who).close('}');
      w.close('}');
    }
    for (const Instant& i : timeline.lanes()[k].instants) {
      head("i", i.what, k);
      moment("ts", microseconds(i.ns));
      w.text("s", "t").object("args").text("argument", i.argument).close('}').close('}');
    }
  }
  int64_t number = 0;
  for (const Arrow& a :
       timeline.arrows()) {  // from the last moment of a slice, so that it is within
    for (bool end : {false, true}) {
      head(end ? "f" : "s", "message", end ? a.to_lane : a.from_lane);
      moment("ts", microseconds(end ? a.end_ns : a.begin_ns - 1));
      w.text("cat", "message").number("id", number).text("bp", "e").close('}');
    }
    ++number;
  }
  w.close(']').close('}');
  return out;
}

}  // namespace wb
