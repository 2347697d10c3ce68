// Pids, references, ports and funs as text, and back: <Node.Number.Serial>, #Ref<Node.C.B.A>,
// #Port<Node.N>.
//
// The node is 0 for this one, and the index of its name's atom for another. So a text does not say
// which incarnation of a node is meant: reading it back, it is the one that is connected, and where
// none is the text names nobody.
#include <charconv>

#include "term/identifiers.h"
#include "term/magic_registry.h"
#include "term/print.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/dist/connection.h"
#include "vm/dist/distribution.h"
#include "vm/port/ports.h"

namespace wb {
namespace {

Term text_list(Process& p, Term t) {
  std::string text = to_text(t);
  ListBuilder list(p.heap);
  for (std::string_view rest = text; !rest.empty();) list.add(make_small(take_utf8(rest)));
  return list.finish();
}

/// The numbers of `list`, "PREFIX1.2.3>", their count; 0: it is no such text, or they are more than
/// `most`.
size_t read_numbers(Term list, std::string_view prefix, uint64_t* numbers, size_t most) {
  std::string text;
  if (!list_to_bytes(list, &text) || !text.starts_with(prefix) || !text.ends_with('>')) return 0;
  std::string_view rest = std::string_view(text).substr(prefix.size());
  for (size_t i = 0; i < most; ++i) {
    const char* const end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data(), end, numbers[i]);
    if (error != std::errc() || stop == end) return 0;
    if (*stop == '>') return stop + 1 == end ? i + 1 : 0;
    if (*stop != '.') return 0;
    rest.remove_prefix(static_cast<size_t>(stop + 1 - rest.data()));
  }
  return 0;
}

/// Which node a text names.
enum class Place : uint8_t { here, elsewhere, nowhere };
Place place_of(Process& p, uint64_t number, NodeName* node) {
  if (number == 0) return Place::here;
  if (number >= atom_count()) return Place::nowhere;
  const Term name = make_atom(static_cast<uint32_t>(number));
  if (name == local_node().name) return Place::here;
  if (!Distribution::is_alive()) return Place::nowhere;
  const auto connection = p.vm().ports->distribution->find(name);
  if (!connection || !connection->is_up()) return Place::nowhere;
  *node = {name, connection->creation()};
  return Place::elsewhere;
}

/// `numbers`: the most significant first.
Term external_reference(Heap& h, NodeName node, const uint64_t* numbers, size_t count) {
  uint32_t least_first[5];
  for (size_t i = 0; i < count; ++i) least_first[i] = static_cast<uint32_t>(numbers[count - 1 - i]);
  return make_external_ref(h, node, least_first, count);
}

Term local_reference(Heap& h, const uint64_t* n) {
  if (n[0] == 0) {
    Term magic = find_magic(h, n[2] | n[1] << 32);
    if (magic != kNone) return magic;
  }
  Term* r = h.alloc(3);
  r[0] = make_header(Kind::ref, 2);
  r[1] = n[2] | n[1] << 32;
  r[2] = n[0];
  return make_boxed(r);
}

}  // namespace

BIF(erlang, pid_to_list, 1)
{
  return is_pid(a[0]) ? text_list(p, a[0]) : kBadarg;
}
BIF(erlang, ref_to_list, 1)
{
  return is_ref(a[0]) ? text_list(p, a[0]) : kBadarg;
}
BIF(erlang, port_to_list, 1)
{
  return is_port(a[0]) ? text_list(p, a[0]) : kBadarg;
}
BIF(erlang, fun_to_list, 1)
{
  return is_fun(a[0]) ? text_list(p, a[0]) : kBadarg;
}

BIF(erlang, list_to_pid, 1)
{
  uint64_t n[3];
  NodeName node;
  if (read_numbers(a[0], "<", n, 3) != 3 || n[1] >= 1u << 28 || n[2] > UINT32_MAX) return kBadarg;
  switch (place_of(p, n[0], &node)) {
    case Place::here:
      return make_pid(static_cast<uint32_t>(n[1]), static_cast<uint32_t>(n[2]));
    case Place::elsewhere:
      return make_external(p.heap, Kind::ext_pid, node, n[1] | n[2] << 32);
    case Place::nowhere:
      return kBadarg;
  }
}

BIF(erlang, list_to_port, 1)
{
  uint64_t n[2];
  NodeName node;
  if (read_numbers(a[0], "#Port<", n, 2) != 2) return kBadarg;
  switch (place_of(p, n[0], &node)) {
    case Place::here:
      return n[1] >> 28 ? kBadarg : make_port(n[1]);
    case Place::elsewhere:
      return make_external(p.heap, Kind::ext_port, node, n[1]);
    case Place::nowhere:
      return kBadarg;
  }
}

BIF(erlang, list_to_ref, 1)
{
  uint64_t n[6];
  NodeName node;
  const size_t count = read_numbers(a[0], "#Ref<", n, std::size(n));
  if (count < 2) return kBadarg;
  for (size_t i = 1; i < count; ++i) {
    if (n[i] > UINT32_MAX) return kBadarg;
  }
  switch (place_of(p, n[0], &node)) {
    case Place::here:
      return count == 4 ? local_reference(p.heap, n + 1) : kBadarg;
    case Place::elsewhere:
      return external_reference(p.heap, node, n + 1, count - 1);
    case Place::nowhere:
      return kBadarg;
  }
}

}  // namespace wb
