// term_to_binary, binary_to_term, external_size, term_to_iovec.
//
// Option `local` of OTP 26: what it makes is decoded by the machine that made it, and by no other.
// After the 131 stand 121 and a sum over what follows, which begins with the moment at which this
// machine was started.
#include "term/external.h"

#include <zlib.h>

#include "scheduler/scheduler.h"
#include "term/atom_makers.h"
#include "term/binary.h"
#include "term/bits.h"
#include "term/external_tags.h"
#include "vm/bif/bif.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/call_site.h"

namespace wb {

namespace {
constexpr int kDefaultLevel = 6;  // zlib's
constexpr int64_t kTerms = 30;    // a reduction

bool small_in(Term t, int64_t low, int64_t high, int* v) {
  if (!is_small(t) || small_value(t) < low || small_value(t) > high) return false;
  *v = static_cast<int>(small_value(t));
  return true;
}

struct ToBinaryOptions {
  EncodeOptions encode;
  bool local = false;
};

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

bool is_local_option(Term t) { return t == am::local && otp_release() >= 26; }

bool encode_options(Term list, ToBinaryOptions* o) {
  for (; is_cons(list); list = tail(list)) {
    if (is_local_option(head(list)))
      o->local = true;
    else if (!encode_option(head(list), &o->encode))
      return false;
  }
  return is_nil(list) && !(o->local && o->encode.deterministic);
}

// --- option local --------------------------------------------------------------------------------
constexpr uint8_t kLocal = 121;
constexpr size_t kLocalHead = 6;  // 131, 121, the sum

uint32_t local_sum(Process& p, const uint8_t* bytes, size_t n) {
  int64_t start = p.vm().clock->offset_ns();
  uLong sum = crc32_z(0, reinterpret_cast<const uint8_t*>(&start), sizeof start);
  return static_cast<uint32_t>(crc32_z(sum, bytes, n));
}

/// Never compressed: how it is written is nobody's business.
Term to_local_binary(Process& p, Term t, EncodeOptions options) {
  options.compressed = -1;
  BifBudget budget(p, kTerms);
  std::vector<uint8_t> bytes;
  if (const Term fault = encode_term(t, options, &bytes, budget); fault != kNone) return fault;
  uint8_t head[kLocalHead - 1] = {kLocal};
  write_bits(head + 1, 0, local_sum(p, bytes.data() + 1, bytes.size() - 1), 32);
  bytes.insert(bytes.begin() + 1, head, head + sizeof head);
  return make_binary(p.heap, bytes.data(), bytes.size());
}

bool is_local(const ByteView& v) {
  return otp_release() >= 26 && v.size() > kLocalHead && v.data()[0] == external_tag::kVersion &&
         v.data()[1] == kLocal;
}

Term from_local(Process& p, const ByteView& v, const DecodeOptions& options, size_t* used,
                WorkBudget& budget) {
  std::vector<uint8_t> plain(v.data() + kLocalHead - 1, v.data() + v.size());
  plain[0] = external_tag::kVersion;
  Term t = decode_term(p.heap, plain.data(), plain.size(), options, used, budget);
  if (!is_value(t)) return t;
  if (read_bits(v.data() + 2, 0, 32) != local_sum(p, plain.data() + 1, *used - 1)) return kBadarg;
  *used += kLocalHead - 1;
  return t;
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
  if (const Term fault = encode_term(t, options, &bytes, budget); fault != kNone) return fault;
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

/// Atoms that came up meanwhile and whose maker is not known are mostly those of the term.
WB_COLD void note_atoms_since(const Process& p, uint32_t before, const CallSite& site) {
  const uint32_t now = atom_count();
  const uint64_t ns = p.vm().scheduler->now_ns();
  for (uint32_t k = std::max(before, now - std::min(now, kAtomMakers)); k < now; ++k) {
    if (!atom_maker(k)) note_atom_maker(k, {&p.vm(), site.pid, site.at, ns});
  }
}

Term from_binary(Process& p, Term bin, const DecodeOptions& options, bool want_used) {
  if (!is_binary(bin)) return kBadarg;
  ByteView v(bin);
  size_t used;
  const uint32_t atoms = atom_count();
  BifBudget budget(p, kTerms);
  Term t = is_local(v) ? from_local(p, v, options, &used, budget)
                       : decode_term(p.heap, v.data(), v.size(), options, &used, budget);
  if (WB_UNLIKELY(atom_count() != atoms)) note_atoms_since(p, atoms, call_site(p));
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
  ToBinaryOptions options;
  if (!encode_options(a[1], &options)) return kBadarg;
  return options.local ? to_local_binary(p, a[0], options.encode)
                       : to_binary(p, a[0], options.encode);
}

BIF(erlang, term_to_iovec, 1)
{
  return to_iovec(p, a[0], {});
}

BIF(erlang, term_to_iovec, 2)
{
  ToBinaryOptions options;
  if (!encode_options(a[1], &options)) return kBadarg;
  if (!options.local) return to_iovec(p, a[0], options.encode);
  Term whole = to_local_binary(p, a[0], options.encode);
  return is_value(whole) ? cons(p.heap, whole, kNil) : whole;
}

BIF(erlang, external_size, 1)
{
  return size_of(p, a[0], default_minor_version());
}

BIF(erlang, external_size, 2)
{
  int minor_version = default_minor_version();
  size_t more = 0;
  Term list = a[1];
  for (; is_cons(list); list = tail(list)) {
    Term t = head(list);
    if (is_local_option(t))
      more = kLocalHead - 1;
    else if (!is_tuple_of(t, 2) || tuple_elements(t)[0] != am::minor_version ||
             !small_in(tuple_elements(t)[1], 0, default_minor_version(), &minor_version))
      return kBadarg;
  }
  if (!is_nil(list)) return kBadarg;
  Term size = size_of(p, a[0], minor_version);
  return is_small(size) ? make_small(small_value(size) + static_cast<int64_t>(more)) : size;
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
