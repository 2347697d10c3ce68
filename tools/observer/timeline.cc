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
  w.close(']').close('}');
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
    bool gap = next - static_cast<int64_t>(events.size()) > next_[k];
    if (gap) open_[k] = {};  // events were overwritten before they were read
    for (const JsonValue& e : events) {
      if (e.list().size() != 3) continue;
      auto kind = static_cast<size_t>(e.list()[1].integer());
      if (kind < kinds.size()) {
        add(lanes_[k], k, e.list()[0].number(), kinds[kind].text(), e.list()[2]);
      }
    }
    next_[k] = next;
  }
  return true;
}

void Timeline::add(Lane& lane, size_t k, double ns, const std::string& kind,
                   const JsonValue& argument) {
  Open& open = open_[k];
  // These happen in the middle of a slice.
  bool within = kind == "spawn" || kind == "woke" || kind == "load" || kind == "compile" ||
                kind.starts_with("native");
  double since = within ? open.last_ns : std::exchange(open.last_ns, ns);
  if (kind == "parked" || kind == "requeued" || kind == "gone") {
    if (since) lane.spans.push_back({Span::Kind::run, since, ns, argument.text()});
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
      head("X", s.kind == Span::Kind::run ? s.who : kNames[static_cast<int>(s.kind)], k);
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
  w.close(']').close('}');
  return out;
}

}  // namespace wb
