#include "vm/observe/applications.h"

#include <string_view>

#include "loader/code_table.h"
#include "term/atom.h"
#include "vm/core/vm.h"
#include "vm/ets/tables.h"
#include "vm/process/table.h"

namespace wb {
namespace {

/// Entries {{application_master, Name}, Pid}.
class Masters final : public Visitor {
 public:
  explicit Masters(std::unordered_map<Term, Term>* found) : found_(*found) {}
  Verdict visit(const TableObject& o) override {
    Term entry = o.tuple();
    if (!is_tuple_of(entry, 2) || !is_tuple_of(tuple_elements(entry)[0], 2)) return Verdict::keep;
    const Term *e = tuple_elements(entry), *key = tuple_elements(e[0]);
    bool is_master = is_atom(key[0]) && atom_text(key[0]) == "application_master";
    if (is_master && is_atom(key[1]) && is_local_pid(e[1])) found_[e[1]] = key[1];
    return Verdict::keep;
  }

 private:
  std::unordered_map<Term, Term>& found_;
};

/// ".../lib/stdlib-4.2/ebin/lists.beam": stdlib.
std::string_view application_of_path(std::string_view path) {
  for (std::string_view tail : {"/", "/ebin"}) {  // the file, its directory
    size_t at = tail == "/" ? path.rfind(tail) : path.size() - tail.size();
    if (at > path.size() || !path.substr(at).starts_with(tail)) return {};
    path = path.substr(0, at);
  }
  std::string_view name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.find('-'));
}

/// proc_lib:init_p/5, erlang:apply/2: they say nothing of who runs.
bool starts_others(Term module) { return atom_text(module) == "proc_lib" || module == am::erlang; }

constexpr uint8_t kPin = 63;
constexpr uint64_t kMostSlots = 1 << 16;
constexpr int kMostParents = 8;

}  // namespace

Applications::Applications(Vm& vm) : vm_(vm) {
  Term name = find_atom("ac_tab");
  if (!is_value(name)) return;
  Masters masters(&masters_);
  vm.ets->pin(kPin);
  if (Table* t = vm.ets->find_named(name); t && !t->is_ordered()) {
    for (uint64_t n = 0; n < kMostSlots && t->slot(n, masters) == 1; ++n) continue;
  }
  vm.ets->unpin(kPin);
}

std::string Applications::by_code(const Process& p) const {
  const Process* at = &p;
  for (int k = 0; k < kMostParents; ++k) {
    if (!at->initial_call || !starts_others(at->initial_call->module)) break;
    const Process* parent = vm_.processes->find(at->parent);
    if (!parent) break;
    at = parent;
  }
  if (!at->initial_call) return "(unknown)";
  const Module* m = vm_.code->find_module(at->initial_call->module);
  std::string_view name = m ? application_of_path(m->path) : std::string_view();
  return std::string(name.empty() ? atom_text(at->initial_call->module) : name);
}

std::string Applications::of(const Process& p) const {
  for (Term pid : {p.group_leader.get(), p.id}) {
    auto master = masters_.find(pid);
    if (master != masters_.end()) return std::string(atom_text(master->second));
  }
  return by_code(p);
}

}  // namespace wb
