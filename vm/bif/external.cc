// term_to_binary, binary_to_term, external_size, term_to_iovec.
#include "term/external.h"

#include "term/binary.h"
#include "vm/bif/bif.h"

namespace wb {

namespace {
constexpr int kDefaultLevel = 6;  // zlib's
constexpr int64_t kTerms = 30;    // a reduction

bool small_in(Term t, int64_t low, int64_t high, int* v) {
  if (!is_small(t) || small_value(t) < low || small_value(t) > high) return false;
  *v = static_cast<int>(small_value(t));
  return true;
}

bool encode_option(Term t, EncodeOptions* o) {
  if (t == am::compressed)
    o->compressed = kDefaultLevel;
  else if (t == am::deterministic)
    o->deterministic = true;
  else if (!is_tuple_of(t, 2))
    return false;
  else if (tuple_elements(t)[0] == am::compressed)
    return small_in(tuple_elements(t)[1], 0, 9, &o->compressed);
  else if (tuple_elements(t)[0] == am::minor_version)
    return small_in(tuple_elements(t)[1], 0, 2, &o->minor_version);
  else
    return false;
  return true;
}

bool encode_options(Term list, EncodeOptions* o) {
  for (; is_cons(list); list = tail(list)) {
    if (!encode_option(head(list), o)) return false;
  }
  return is_nil(list);
}

Term to_binary(Process& p, Term t, const EncodeOptions& options) {
  BifBudget budget(p, kTerms);
  return encode_to_binary(p.heap, t, options, budget);
}

/// Large binaries are elements of their own, not copied. What is compressed is no list: OTP 25 says
/// so, too.
Term to_iovec(Process& p, Term t, EncodeOptions options) {
  if (options.compressed > 0) return to_binary(p, t, options);
  std::vector<EncodeOptions::Part> parts;
  std::vector<uint8_t> bytes;
  options.parts = &parts;
  BifBudget budget(p, kTerms);
  if (!encode_term(t, options, &bytes, budget)) return kCancelled;
  ListBuilder list(p.heap);
  size_t at = 0;
  for (const EncodeOptions::Part& part : parts) {
    if (part.at > at) list.add(make_binary(p.heap, bytes.data() + at, part.at - at));
    list.add(part.binary);
    at = part.at;
  }
  if (at < bytes.size()) list.add(make_binary(p.heap, bytes.data() + at, bytes.size() - at));
  return list.finish();
}

Term size_of(Process& p, Term t, int minor_version) {
  BifBudget budget(p, kTerms);
  size_t n = external_size(t, minor_version, budget);
  return budget.stopped() ? kCancelled : make_small(static_cast<int64_t>(n));
}

Term from_binary(Process& p, Term bin, const DecodeOptions& options, bool want_used) {
  if (!is_binary(bin)) return kBadarg;
  ByteView v(bin);
  size_t used;
  BifBudget budget(p, kTerms);
  Term t = decode_term(p.heap, v.data(), v.size(), options, &used, budget);
  if (budget.stopped()) return kCancelled;
  if (is_fault(t) || !want_used) return t;
  return tuple(p.heap, t, make_small(static_cast<int64_t>(used)));
}
}  // namespace

BIF(erlang, term_to_binary, 1)
{
  return to_binary(p, a[0], {});
}

BIF(erlang, term_to_binary, 2)
{
  EncodeOptions options;
  return encode_options(a[1], &options) ? to_binary(p, a[0], options) : kBadarg;
}

BIF(erlang, term_to_iovec, 1)
{
  return to_iovec(p, a[0], {});
}

BIF(erlang, term_to_iovec, 2)
{
  EncodeOptions options;
  return encode_options(a[1], &options) ? to_iovec(p, a[0], options) : kBadarg;
}

BIF(erlang, external_size, 1)
{
  return size_of(p, a[0], default_minor_version());
}

BIF(erlang, external_size, 2)
{
  int minor_version = default_minor_version();
  Term list = a[1];
  for (; is_cons(list); list = tail(list)) {
    Term t = head(list);
    if (!is_tuple_of(t, 2) || tuple_elements(t)[0] != am::minor_version ||
        !small_in(tuple_elements(t)[1], 0, default_minor_version(), &minor_version)) {
      return kBadarg;
    }
  }
  return is_nil(list) ? size_of(p, a[0], minor_version) : kBadarg;
}

BIF(erlang, binary_to_term, 1)
{
  return from_binary(p, a[0], {}, false);
}

BIF(erlang, binary_to_term, 2)
{
  DecodeOptions options;
  bool used = false;
  Term list = a[1];
  for (; is_cons(list); list = tail(list)) {
    if (head(list) == am::safe)
      options.safe = true;
    else if (head(list) == am::used)
      used = true;
    else
      break;
  }
  return is_nil(list) ? from_binary(p, a[0], options, used) : p.badarg(am::badopt);
}

}  // namespace wb
