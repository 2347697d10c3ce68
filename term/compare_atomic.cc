// Order of values that have no parts: atoms, bitstrings, references, ports, pids, funs.
//
// Pids compare by serial, number, then node; ports and references by node first. A node is its name
// (as text), then its creation. References compare by their numbers as one integer, the last number
// being the most significant.
#include <algorithm>

#include "term/atom.h"
#include "term/binary.h"
#include "term/identifiers.h"
#include "term/order.h"

namespace wb {
namespace {

template <class T>
int three_way(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

int compare_nodes(const NodeName& a, const NodeName& b) {
  int c = compare_atoms(a.name, b.name);
  return c != 0 ? c : three_way(a.creation, b.creation);
}

int compare_pids(Term a, Term b) {
  int c = three_way(pid_data(a), pid_data(b));
  return c != 0 ? c : compare_nodes(node_of(a), node_of(b));
}

int compare_ports(Term a, Term b) {
  int c = compare_nodes(node_of(a), node_of(b));
  return c != 0 ? c : three_way(port_data(a), port_data(b));
}

int compare_refs(Term a, Term b) {
  int c = is_local_ref(a) && is_local_ref(b) ? 0 : compare_nodes(node_of(a), node_of(b));
  RefNumbers x = ref_numbers(a), y = ref_numbers(b);
  for (size_t i = std::max(x.word_count(), y.word_count()); c == 0 && i-- > 0;) {
    c = three_way(x.word(i), y.word(i));
  }
  return c;
}

int compare_exports(void* a, void* b) {
  if (a == b) return 0;
  auto x = fun_resolver().describe_export(a), y = fun_resolver().describe_export(b);
  int c = compare_atoms(x.module, y.module);
  if (c == 0) c = compare_atoms(x.function, y.function);
  return c != 0 ? c : three_way(x.arity, y.arity);
}

int compare_entries(void* a, void* b) {
  if (a == b) return 0;
  auto x = fun_resolver().describe_fun(a), y = fun_resolver().describe_fun(b);
  int c = compare_atoms(x.module, y.module);
  if (c == 0) c = three_way(x.old_index, y.old_index);
  return c != 0 ? c : three_way(x.old_uniq, y.old_uniq);
}

int compare_funs(Term a, Term b) {
  const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
  bool a_local = is_kind(a, Kind::fun), b_local = is_kind(b, Kind::fun);
  if (a_local != b_local) return a_local ? -1 : 1;
  auto *entry_a = reinterpret_cast<void*>(x[1]), *entry_b = reinterpret_cast<void*>(y[1]);
  if (!a_local) return compare_exports(entry_a, entry_b);
  int c = compare_entries(entry_a, entry_b);
  return c != 0 ? c : three_way(x[2] >> 32, y[2] >> 32);
}

}  // namespace

int compare_atomic(Term a, Term b) {
  if (a == b) return 0;
  if (is_atom(a)) return compare_atoms(a, b);
  if (is_pid(a)) return compare_pids(a, b);
  if (is_port(a)) return compare_ports(a, b);
  if (is_bitstring(a)) return compare_bits(bits_of(a), bits_of(b));
  if (is_ref(a)) return compare_refs(a, b);
  WB_CHECK(is_fun(a) && is_fun(b));
  return compare_funs(a, b);
}

}  // namespace wb
