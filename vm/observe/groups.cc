// groups: what groups of processes use, and their budgets.
#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/process/policies.h"
#include "vm/process/run.h"

namespace wb {

static void write_group(JsonWriter& w, const Group& g) {
  const GroupOptions& o = g.options;
  w.open('{').number("number", g.number).text("name", o.name);
  w.number("parent", o.parent ? o.parent->number : 0);
#define GROUP_NUMBER(name, what) w.number(#name, g.name.load(std::memory_order_relaxed));
#include "vm/process/group_numbers.def"
  w.number("memory_budget", o.memory).number("reductions_budget", o.reductions);
  w.number("messages_budget", o.messages);
  w.text("when_exceeded", o.memory ? action_text(o.action) : "").close('}');
}

/// {"limit": 200}: in the order in which they were made.
std::string answer_groups(RequestContext& a) {
  auto limit = static_cast<size_t>(a.request.number("limit", 200, 1, 5000));
  const std::vector<Group*> all = a.vm.host->policies->groups.all();
  JsonWriter& w = a.out;
  w.number("now_ns", a.vm.scheduler->now_ns()).number("total", all.size()).array("rows");
  for (Group* g : all) {
    if (limit) --limit, write_group(w, *g);
    g->release();
  }
  w.close(']');
  return {};
}

}  // namespace wb
