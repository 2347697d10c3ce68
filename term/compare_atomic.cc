// Order of values that have no parts: atoms, bitstrings, references, ports, pids, funs.
//
// Pids compare by serial, number, then node; ports and references by node first. A node is its name
// (as text), then its creation. References compare by their numbers as one integer, the last number
// being the most significant.
#include <algorithm>

#include "term/atom.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/order.h"

namespace wb {
namespace {

template <class T>
int three_way(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

struct Node {
  Term name = am::nonode_at_nohost;
  uint32_t creation = 0;
};

int compare_nodes(const Node& a, const Node& b) {
  int c = compare_atoms(a.name, b.name);
  return c != 0 ? c : three_way(a.creation, b.creation);
}

// The node of an external pid, port or reference; the local one of any other.
Node node_of(Term t) {
  if (!is_boxed(t)) return {};
  const Term* p = boxed_ptr(t);
  switch (header_kind(*p)) {
    case Kind::ext_pid:
    case Kind::ext_port:
    case Kind::ext_ref:
      return {p[1], static_cast<uint32_t>(p[2])};
    default:
      return {};
  }
}

int compare_pids(Term a, Term b) {
  // Serial << 32 | number, of either kind.
  auto data = [](Term t) {
    return is_local_pid(t) ? (uint64_t{pid_serial(t)} << 32) | pid_slot(t) : boxed_ptr(t)[3];
  };
  int c = three_way(data(a), data(b));
  return c != 0 ? c : compare_nodes(node_of(a), node_of(b));
}

int compare_ports(Term a, Term b) {
  auto number = [](Term t) { return is_local_port(t) ? port_number(t) : boxed_ptr(t)[3]; };
  int c = compare_nodes(node_of(a), node_of(b));
  return c != 0 ? c : three_way(number(a), number(b));
}

// A reference's numbers, two in a word, least significant first.
struct RefWords {
  const Word* words;
  size_t n;
  Word at(size_t i) const { return i < n ? words[i] : 0; }
};

RefWords ref_words(Term t) {
  const Term* p = boxed_ptr(t);
  switch (header_kind(*p)) {
    case Kind::magic_ref:
      return {p + 3, 2};
    case Kind::ext_ref:
      return {p + 3, ((p[2] >> 32) + 1) / 2};
    default:
      return {p + 1, 2};
  }
}

int compare_refs(Term a, Term b) {
  int c = compare_nodes(node_of(a), node_of(b));
  RefWords x = ref_words(a), y = ref_words(b);
  for (size_t i = std::max(x.n, y.n); c == 0 && i-- > 0;) c = three_way(x.at(i), y.at(i));
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
