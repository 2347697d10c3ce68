// Pids, references, ports and funs as text, and back: <0.Number.Serial>, #Ref<0.C.B.A>, #Port<0.N>.
// Only this node's (number 0) are read back.
#include "term/magic_registry.h"
#include "term/print.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

Term text_list(Process& p, Term t) {
  std::string text = to_text(t);
  ListBuilder list(p.heap);
  for (std::string_view rest = text; !rest.empty();) list.add(make_small(take_utf8(rest)));
  return list.finish();
}

/// Reads `prefix` N . N ... `>`: exactly `count` decimal numbers of at most 64 bits.
bool read_numbers(Term list, std::string_view prefix, uint64_t* numbers, size_t count) {
  std::string text;
  if (!list_to_bytes(list, &text)) return false;
  std::string_view rest = text;
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  for (size_t i = 0; i < count; ++i) {
    size_t digits = 0;
    uint64_t n = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
      if (__builtin_mul_overflow(n, 10, &n)) return false;
      if (__builtin_add_overflow(n, rest[digits] - '0', &n)) return false;
    }
    char end = i + 1 < count ? '.' : '>';
    if (digits == 0 || digits == rest.size() || rest[digits] != end) return false;
    rest.remove_prefix(digits + 1);
    numbers[i] = n;
  }
  return rest.empty();
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
  if (!read_numbers(a[0], "<", n, 3)) return kBadarg;
  if (n[0] != 0 || n[1] >= 1u << 28 || n[2] > UINT32_MAX) return kBadarg;
  return make_pid(static_cast<uint32_t>(n[1]), static_cast<uint32_t>(n[2]));
}

BIF(erlang, list_to_port, 1)
{
  uint64_t n[2];
  if (!read_numbers(a[0], "#Port<", n, 2)) return kBadarg;
  return n[0] != 0 || n[1] >= 1u << 28 ? kBadarg : make_port(n[1]);
}

BIF(erlang, list_to_ref, 1)
{
  uint64_t n[4];
  if (!read_numbers(a[0], "#Ref<", n, 4)) return kBadarg;
  if (n[0] != 0 || n[1] > UINT32_MAX || n[2] > UINT32_MAX || n[3] > UINT32_MAX) return kBadarg;
  if (n[1] == 0) {
    Term magic = find_magic(p.heap, n[3] | n[2] << 32);
    if (magic != kNone) return magic;
  }
  Term* r = p.heap.alloc(3);
  r[0] = make_header(Kind::ref, 2);
  r[1] = n[3] | n[2] << 32;
  r[2] = n[1];
  return make_boxed(r);
}

}  // namespace wb
