// One page of the observer: asks the machine, draws, takes keys.
#pragma once

#include <memory>
#include <string>

#include "tools/observer/client.h"
#include "tools/observer/screen.h"

namespace wb {

/// Where a view may lead.
struct Navigation {
  std::string process;   ///< open view 3 on this one
  std::string trace;     ///< open view 9 on this one
  std::string filter;    ///< open view 2 with this filter
  std::string prompt;    ///< ask for a line with this prompt ...
  std::string line;      ///< ... which starts as this; the answer goes to View::entered
  std::string message;   ///< one line for the user
  bool actions = false;  ///< the machine lets us act
};

class TableWidget;
struct ObserverSettings;

class View {
 public:
  virtual ~View() = default;
  virtual const char* name() const = 0;
  /// What its keys do, for the last line.
  virtual const char* keys() const { return ""; }
  virtual void refresh(ObserverClient& client, int rows) = 0;
  /// Between the first row and `end`.
  virtual void draw(Screen& screen, int first, int end) = 0;
  /// True: it was for this view (and what it shows may have changed).
  virtual bool key(int key, Navigation& where) { return false; }
  virtual void entered(const std::string& line) {}
  /// What it shows is a table, or has one: headings, rows and the wheel are for that.
  virtual TableWidget* table() { return nullptr; }
  virtual void order_by(int heading);
  virtual void wheel(int rows, Navigation& where);
};

std::unique_ptr<View> make_home_view();
std::unique_ptr<View> make_processes_view(std::string filter, ObserverSettings& settings);
std::unique_ptr<View> make_schedulers_view();
std::unique_ptr<View> make_timeline_view();
std::unique_ptr<View> make_flame_view();
std::unique_ptr<View> make_jit_view();
std::unique_ptr<View> make_stores_view();
std::unique_ptr<View> make_exits_view();

class ProcessView : public View {
 public:
  virtual void open(std::string pid) = 0;
};
std::unique_ptr<ProcessView> make_process_view();

/// Two moments: M marks one, D shows what has changed since.
class MomentView : public View {
 public:
  virtual void mark() = 0;  ///< the next refresh does
  virtual bool has_mark() const = 0;
};
std::unique_ptr<MomentView> make_moment_view();

class TraceView : public View {
 public:
  /// Begins with the messages and collections of this one.
  virtual void open(std::string pid) = 0;
};
std::unique_ptr<TraceView> make_trace_view();

}  // namespace wb
