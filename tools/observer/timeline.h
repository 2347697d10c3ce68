// What schedulers did, from their event rings: spans of running, collecting and sleeping.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/observer/client.h"

namespace wb {

struct Span {
  enum class Kind : uint8_t { run, collect, sleep, native };
  Kind kind;
  double begin_ns, end_ns;
  std::string who;  ///< a pid
};
struct Instant {
  double ns;
  std::string what, argument;
};
/// Taken by a process on one lane, sent by one that had run on another, or the same.
struct Arrow {
  double begin_ns, end_ns;
  size_t from_lane, to_lane;
  std::string from, to;
  int64_t count;
};
struct Lane {
  std::vector<Span> spans;
  std::vector<Instant> instants;
};

/// Follows the rings: each refresh adds what is new.
class Timeline {
 public:
  /// False: the machine does not answer.
  bool refresh(ObserverClient& client);
  const std::vector<Lane>& lanes() const { return lanes_; }
  const std::vector<Arrow>& arrows() const { return arrows_; }
  double now_ns() const { return now_ns_; }
  /// A pid, behind the name of that process if it is known.
  std::string named(const std::string& pid) const;
  /// Forgets what ended before.
  void forget_before(double ns);

 private:
  void add(Lane& lane, size_t k, double ns, const std::string& kind, const JsonValue& argument);
  void add_arrows(const JsonValue& messages);
  struct Open {
    double last_ns = 0;  ///< of the event before: there a slice began
    bool asleep = false;
    std::string who;
  };
  std::vector<Lane> lanes_;
  std::vector<Open> open_;
  std::vector<int64_t> next_;
  std::vector<Arrow> arrows_;
  std::map<std::string, std::string> names_;
  double now_ns_ = 0, newest_message_ns_ = 0;
};

/// JSON of the Trace Event Format, for ui.perfetto.dev and speedscope.
std::string perfetto_json(const Timeline& timeline, const std::string& title);

}  // namespace wb
