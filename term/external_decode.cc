// External format to terms. The input is hostile.
//
// One pass. Open containers lie on an explicit stack; a decoded value goes into the slot that the
// innermost one wants filled next. Two rules keep a lying length harmless:
//  - every byte is asked for before it is read (Reader), and
//  - `promised_`, the number of values that all open containers still expect, never exceeds the
//    bytes that are left, since a value takes at least one. So all that is allocated is a small
//    multiple of the input, whatever lengths it claims and however it nests them.
// On an error the slots not filled yet get [], so that the heap can still be walked.
//
// Rejected: a first pass that validates and sizes. It reads everything twice to save nothing, as
// Heap::alloc never moves what exists.
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/stack.h"
#include "base/work_budget.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/bits.h"
#include "term/external.h"
#include "term/external_dist.h"
#include "term/external_tags.h"
#include "term/instance.h"
#include "term/magic_registry.h"
#include "term/map.h"
#include "term/number.h"
#include "term/number_text.h"
#include "term/record.h"
#include "term/utf8.h"

namespace wb {

bool is_atom_text(std::string_view s) {
  const uint8_t* p = reinterpret_cast<const uint8_t*>(s.data());
  size_t chars = 0;
  uint32_t c;
  for (size_t i = 0; i < s.size(); ++chars) {
    int n = utf8_decode(p + i, s.size() - i, &c);
    if (n <= 0) return false;
    i += static_cast<size_t>(n);
  }
  return chars <= kMaxAtomChars;
}

namespace {
using namespace external_tag;

class Reader {
 public:
  Reader(const uint8_t* p, size_t n) : at_(p), end_(p + n) {}
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  const uint8_t* at() const { return at_; }
  /// The next n bytes, or nullptr.
  const uint8_t* take_bytes(size_t n) {
    if (left() < n) return nullptr;
    at_ += n;
    return at_ - n;
  }
  bool number(unsigned bytes, uint64_t* v) {
    const uint8_t* p = take_bytes(bytes);
    if (p) *v = read_bits(p, 0, bytes * 8);
    return p;
  }
  bool number(unsigned bytes, uint32_t* v) {
    uint64_t w;
    if (!number(bytes, &w)) return false;
    *v = static_cast<uint32_t>(w);
    return true;
  }
  /// The next value if it is one of 8 or 32 bits; kNone: it is another, or not whole.
  WB_INLINE Term small_integer() {
    if (left() >= 2 && at_[0] == external_tag::kSmallInteger) {
      at_ += 2;
      return make_small(at_[-1]);
    }
    if (left() < 5 || at_[0] != external_tag::kInteger) return kNone;
    uint32_t n;
    memcpy(&n, at_ + 1, sizeof n);
    at_ += 5;
    return make_small(static_cast<int32_t>(__builtin_bswap32(n)));
  }

 private:
  const uint8_t *at_, *end_;
};

/// What a message of another node comes with.
struct Peer {
  std::span<const Term> atoms;
  Binary* whole;  ///< in which it lies, or null
};

class Decoder {
 public:
  Decoder(Heap& h, const uint8_t* p, size_t n, const DecodeOptions& options, WorkBudget& budget,
          const Peer* peer = nullptr)
      : heap_(h), in_(p, n), options_(options), budget_(budget), peer_(peer) {}

  Term run() {
    Term root = kBadarg;
    frames_.push({Into::slots, &root, 1, 1, 0});
    promised_ = 1;
    while (!frames_.empty()) {
      if (!budget_.step() || !fill_integers(frames_.top())) return give_up(kCancelled);
      if (frames_.top().left == 0) {
        Term t = close();
        if (t == kNone) continue;
        if (is_fault(t)) return give_up(t);
        fill(t);
        continue;
      }
      Term t = value();
      if (t == kNone) continue;  // opened a container
      if (is_fault(t)) return give_up(t);
      fill(t);
    }
    return root;
  }

  const uint8_t* at() const { return in_.at(); }

 private:
  enum class Into : uint8_t { slots, map, fun };
  struct Frame {
    Into what;
    Term* slot;      // slots: where the next value goes
    size_t left;     // values still expected
    size_t stride;   // slots: words between two; the last slot of a list is one word on
    size_t scratch;  // map, fun: where in scratch_ their values begin
  };

  /// Most of what there is: as many integers of one word as come next.
  bool fill_integers(Frame& f) {
    if (f.what != Into::slots) return true;
    size_t n = 0;
    for (Term t; f.left > 0 && (t = in_.small_integer()) != kNone; ++n) put(f, t);
    promised_ -= n;
    return n == 0 || budget_.steps(static_cast<int64_t>(n));
  }

  WB_INLINE void fill(Term t) {
    Frame& f = frames_.top();
    if (f.what == Into::slots) return put(f, t);
    --f.left;
    scratch_.push_back(t);
  }

  static void put(Frame& f, Term t) {
    --f.left;
    *f.slot = t;
    // A list's tail comes last and lies right behind the last head.
    f.slot += f.left == 1 && f.stride == 2 ? 1 : f.stride;
  }

  bool promise(size_t n) {
    promised_ += n;
    return promised_ <= in_.left();
  }

  Term open(Into what, Term* slot, size_t n, size_t stride) {
    frames_.push({what, slot, n, stride, scratch_.size()});
    return kNone;
  }

  Term give_up(Term why) {
    for (const Frame& f : frames_) {
      if (f.what != Into::slots || f.slot == nullptr) continue;
      Term* slot = f.slot;
      for (size_t left = f.left; left > 0; --left) {
        *slot = kNil;
        slot += left == 2 && f.stride == 2 ? 1 : f.stride;
      }
    }
    return why;
  }

  // --- containers
  // --------------------------------------------------------------------------------- A container's
  // own value (a tuple, a list) is put into its parent's slot when it is opened, so closing it
  // gives nothing more; maps and funs are made when closed.
  Term close() {
    const Frame f = frames_.pop();
    if (f.what == Into::slots) return kNone;
    Term* values = scratch_.data() + f.scratch;
    size_t n = scratch_.size() - f.scratch;
    Term t = f.what == Into::map ? make_map(values, n / 2) : make_fun(values, n);
    scratch_.resize(f.scratch);
    return t;
  }

  Term make_map(Term* pairs, size_t n) {
    Term t = n ? map_from_pairs(heap_, pairs, n, budget_) : empty_map(heap_);
    return map_size(t) == n || options_.keys_twice ? t : kBadarg;
  }

  Term tuple_value(size_t n) {
    if (n > kMaxTuple || !promise(n)) return kBadarg;
    Term* slots;
    Term t = new_tuple(heap_, n, &slots);
    fill(t);
    return open(Into::slots, slots, n, 1);
  }

  /// The definition stands before the values: how many, a byte for exported, module, name, fields.
  Term record_value() {
    uint32_t n, exported;
    if (otp_release() < 29 || !in_.number(4, &n) || !in_.number(1, &exported) || exported > 1)
      return kBadarg;
    if (n > kMaxRecordFields || !promise(n)) return kBadarg;
    const Term module = next_atom();
    const Term name = is_fault(module) ? module : next_atom();
    if (is_fault(name)) return name;
    std::vector<Term> fields(n);
    for (Term& field : fields) {
      field = next_atom();
      if (is_fault(field) || !budget_.step()) return is_fault(field) ? field : kCancelled;
    }
    if (!are_distinct(fields)) return kBadarg;
    Term *names, *values;
    const Term definition = new_definition(heap_, module, name, exported, n, &names);
    std::copy(fields.begin(), fields.end(), names);
    fill(new_record(heap_, definition, &values));
    return open(Into::slots, values, n, 1);
  }

  Term list_value() {
    uint32_t n;
    if (!in_.number(4, &n)) return kBadarg;
    if (!promise(size_t{n} + 1)) return kBadarg;
    if (n == 0) return kNone;  // the value is its tail
    Term* cells = heap_.alloc(size_t{n} * 2);
    bool linked = in_chunks(size_t{n} - 1, budget_, [&](size_t at, size_t count) {
      for (size_t i = at; i < at + count; ++i) cells[2 * i + 1] = make_cons(cells + 2 * i + 2);
    });
    if (!linked) return kCancelled;
    fill(make_cons(cells));
    return open(Into::slots, cells, size_t{n} + 1, 2);
  }

  Term map_value() {
    uint32_t n;
    if (!in_.number(4, &n) || !promise(size_t{n} * 2)) return kBadarg;
    return open(Into::map, nullptr, size_t{n} * 2, 0);
  }

  // --- atoms -------------------------------------------------------------------------------------
  Term atom(std::string_view utf8) {
    Term t = find_atom(utf8);
    if (t != kNone) return t;
    if (options_.safe) return kBadarg;
    return peer_ ? intern_of_others(utf8) : intern(utf8);
  }

  Term latin1_atom(unsigned length_bytes) {
    uint32_t n;
    const uint8_t* p;
    if (!in_.number(length_bytes, &n) || n > kMaxAtomChars || !(p = in_.take_bytes(n)))
      return kBadarg;
    char text[2 * kMaxAtomChars];
    size_t used = 0;
    for (uint32_t i = 0; i < n; ++i) {
      if (p[i] >= 0x80) text[used++] = static_cast<char>(0xc0 | p[i] >> 6);
      text[used++] = static_cast<char>(p[i] >= 0x80 ? 0x80 | (p[i] & 0x3f) : p[i]);
    }
    return atom({text, used});
  }

  Term utf8_atom(unsigned length_bytes) {
    uint32_t n;
    const uint8_t* p;
    if (!in_.number(length_bytes, &n) || !(p = in_.take_bytes(n))) return kBadarg;
    std::string_view text(reinterpret_cast<const char*>(p), n);
    return is_atom_text(text) ? atom(text) : kBadarg;
  }

  Term cached_atom() {
    uint32_t number;
    if (!peer_ || !in_.number(1, &number) || number >= peer_->atoms.size()) return kBadarg;
    return peer_->atoms[number];
  }

  Term atom_value(uint8_t tag) {
    switch (tag) {
      case kAtomCacheRef:
        return cached_atom();
      case kAtom:
        return latin1_atom(2);
      case kSmallAtom:
        return latin1_atom(1);
      case kUtf8Atom:
        return utf8_atom(2);
      case kSmallUtf8Atom:
        return utf8_atom(1);
      default:
        return kBadarg;
    }
  }
  Term next_atom() {
    uint32_t tag;
    return in_.number(1, &tag) ? atom_value(static_cast<uint8_t>(tag)) : kBadarg;
  }

  // --- numbers -----------------------------------------------------------------------------------
  Term big_value(unsigned length_bytes) {
    uint32_t n, sign;
    const uint8_t* p;
    if (!in_.number(length_bytes, &n) || !in_.number(1, &sign) || !(p = in_.take_bytes(n))) {
      return kBadarg;
    }
    while (n > 0 && p[n - 1] == 0) --n;
    if (too_many_limbs((n + 7) / 8)) return kBadarg;
    std::vector<uint64_t> limbs((n + 7) / 8 + 1);
    if (n) memcpy(limbs.data(), p, n);
    return make_integer(heap_, sign != 0, limbs.data(), limbs.size());
  }

  Term new_float() {
    uint64_t w;
    if (!in_.number(8, &w)) return kBadarg;
    double d;
    memcpy(&d, &w, 8);
    return std::isfinite(d) ? make_float(heap_, d) : kBadarg;
  }

  Term old_float() {
    const uint8_t* p = in_.take_bytes(31);
    if (!p) return kBadarg;
    const char* text = reinterpret_cast<const char*>(p);
    double d;
    return parse_float({text, strnlen(text, 31)}, &d) ? make_float(heap_, d) : kBadarg;
  }

  // --- bytes -------------------------------------------------------------------------------------
  Term string_value() {
    uint32_t n;
    const uint8_t* p;
    if (!in_.number(2, &n) || !(p = in_.take_bytes(n))) return kBadarg;
    if (n == 0) return kNil;
    Term* cells = heap_.alloc(size_t{n} * 2);
    for (size_t i = 0; i < n; ++i) {
      cells[2 * i] = make_small(p[i]);
      cells[2 * i + 1] = i + 1 < n ? make_cons(cells + 2 * i + 2) : kNil;
    }
    return make_cons(cells);
  }

  Term binary_value() {
    uint32_t n;
    const uint8_t* p;
    if (!in_.number(4, &n) || !(p = in_.take_bytes(n))) return kBadarg;
    if (WB_UNLIKELY(n >= kLeastPart) && peer_ && peer_->whole && n >= peer_->whole->size / 2) {
      return part_of(peer_->whole, p, n);
    }
    uint8_t* to;
    Term t = new_bytes(heap_, n, &to);
    if (is_fault(t)) return t;
    bool copied = in_chunks(n, budget_, [&](size_t at, size_t m) { memcpy(to + at, p + at, m); });
    return copied ? t : kCancelled;
  }

  static constexpr size_t kLeastPart = 16 << 10;
  Term part_of(Binary* whole, const uint8_t* p, size_t n) {
    whole->retain();
    const Term all = wrap_binary(heap_, whole);
    return sub_bitstring(heap_, all, static_cast<size_t>(p - whole->data) * 8, size_t{n} * 8);
  }

  Term bit_binary_value() {
    uint32_t n, bits;
    const uint8_t* p;
    if (!in_.number(4, &n) || !in_.number(1, &bits) || !(p = in_.take_bytes(n))) return kBadarg;
    if (bits > 8 || (n == 0) != (bits == 0)) return kBadarg;
    return make_bitstring(heap_, p, 0, n ? size_t{n} * 8 - 8 + bits : 0);
  }

  static constexpr unsigned kOldReferenceBits = 18;  // in the first word, of old tags

  // --- pids, ports, references -------------------------------------------------------------------
  bool is_ours(Term name, uint32_t creation) {
    NodeName us = local_node();
    return us.name == name && us.creation == creation;
  }

  /// The old tags have a byte for it, of which two bits count.
  bool creation_of(unsigned bytes, uint32_t* creation) {
    return in_.number(bytes, creation) && (bytes > 1 || *creation <= 3);
  }

  Term pid_value(unsigned creation_bytes) {
    Term name = next_atom();
    uint32_t id, serial, creation;
    if (is_fault(name) || !in_.number(4, &id) || !in_.number(4, &serial) ||
        !creation_of(creation_bytes, &creation)) {
      return is_fault(name) ? name : kBadarg;
    }
    if (is_ours(name, creation)) return id >> 28 ? kBadarg : make_pid(id, serial);
    return make_external(heap_, Kind::ext_pid, {name, creation}, Word{id} | Word{serial} << 32);
  }

  Term port_value(unsigned id_bytes, unsigned creation_bytes) {
    Term name = next_atom();
    uint64_t id;
    uint32_t creation;
    if (is_fault(name) || !in_.number(id_bytes, &id) || !creation_of(creation_bytes, &creation)) {
      return is_fault(name) ? name : kBadarg;
    }
    if (is_ours(name, creation)) return id >> 60 ? kBadarg : make_port(id);
    return make_external(heap_, Kind::ext_port, {name, creation}, id);
  }

  Term old_reference() {
    Term name = next_atom();
    uint32_t creation, word;
    if (is_fault(name) || !in_.number(4, &word) || !creation_of(1, &creation)) {
      return is_fault(name) ? name : kBadarg;
    }
    return word >> kOldReferenceBits ? kBadarg : make_reference(name, creation, &word, 1);
  }

  Term reference_value(unsigned creation_bytes) {
    uint32_t n, creation, words[5];
    if (!in_.number(2, &n) || n == 0 || n > 5) return kBadarg;
    Term name = next_atom();
    if (is_fault(name) || !creation_of(creation_bytes, &creation)) {
      return is_fault(name) ? name : kBadarg;
    }
    for (uint32_t i = 0; i < n; ++i) {
      if (!in_.number(4, &words[i])) return kBadarg;
    }
    if (creation_bytes == 1 && words[0] >> kOldReferenceBits) return kBadarg;
    return make_reference(name, creation, words, n);
  }

  Term make_reference(Term name, uint32_t creation, const uint32_t* w, size_t n) {
    if (is_ours(name, creation) && n != 4) return make_local_reference(w, n);
    return make_external_ref(heap_, {name, creation}, w, n);
  }

  Term make_local_reference(const uint32_t* w, size_t n) {
    if (n == 5 && w[3] >> 28) return kBadarg;
    if (n == 3 && w[2] == 0) {
      Term magic = find_magic(heap_, Word{w[0]} | Word{w[1]} << 32);
      if (magic != kNone) return magic;
    }
    Term* p = heap_.alloc(n == 5 ? 4 : 3);
    p[0] = n == 5 ? make_header(Kind::pid_ref, 3) : make_header(Kind::ref, 2);
    p[1] = Word{w[0]} | (n > 1 ? Word{w[1]} << 32 : 0);
    p[2] = n > 2 ? w[2] : 0;
    if (n == 5) p[3] = make_pid(w[3], w[4]);
    return make_boxed(p);
  }

  // --- funs --------------------------------------------------------------------------------------
  struct FunHead {
    uint32_t arity, index, free_count;
    const uint8_t* uniq;
  };

  // The head's numbers wait in funs_, the terms (module, old index, old uniq, creator, free
  // variables) are decoded like any others.
  Term fun_value() {
    uint32_t size;
    FunHead f;
    if (!in_.number(4, &size) || !in_.number(1, &f.arity) || !(f.uniq = in_.take_bytes(16)) ||
        !in_.number(4, &f.index) || !in_.number(4, &f.free_count)) {
      return kBadarg;
    }
    if (f.free_count > 255 || !promise(4 + size_t{f.free_count})) return kBadarg;
    funs_.push_back(f);
    return open(Into::fun, nullptr, 4 + size_t{f.free_count}, 0);
  }

  Term make_fun(const Term* values, size_t n) {
    FunHead f = funs_.back();
    funs_.pop_back();
    uint64_t old_index, old_uniq;
    if (!is_atom(values[0]) || !to_word32(values[1], &old_index) ||
        !to_word32(values[2], &old_uniq) || !is_pid(values[3])) {
      return kBadarg;
    }
    void* entry = fun_resolver().fun_entry(values[0], static_cast<uint32_t>(old_index),
                                           static_cast<uint32_t>(old_uniq), f.index, f.uniq,
                                           f.arity, f.free_count);
    if (!entry) return kBadarg;
    Term* p = heap_.alloc(n);
    p[0] = make_header(Kind::fun, n - 1);
    p[1] = reinterpret_cast<Word>(entry);
    p[2] = Word{f.arity} | Word{f.free_count} << 32;
    std::copy(values + 3, values + n, p + 3);
    return make_boxed(p);
  }

  static bool to_word32(Term t, uint64_t* v) {
    if (!is_small(t)) return false;
    *v = static_cast<uint64_t>(small_value(t)) & 0xffffffff;
    return small_value(t) >= INT32_MIN && small_value(t) <= UINT32_MAX;
  }

  Term export_value() {
    Term module = next_atom();
    if (is_fault(module)) return module;
    Term function = next_atom();
    if (is_fault(function)) return function;
    uint32_t tag, arity;
    if (!in_.number(1, &tag) || tag != kSmallInteger || !in_.number(1, &arity)) return kBadarg;
    FunResolver& r = fun_resolver();
    if (options_.safe && !r.export_exists(module, function, arity)) return kBadarg;
    void* entry = r.export_entry(module, function, arity);
    if (!entry) return kBadarg;
    Term* p = heap_.alloc(2);
    p[0] = make_header(Kind::export_fun, 1);
    p[1] = reinterpret_cast<Word>(entry);
    return make_boxed(p);
  }

  // --- one value ---------------------------------------------------------------------------------
  /// The next value, kNone if it is still to come (a container was opened), or another fault.
  Term value() {
    uint32_t tag, n;
    --promised_;
    if (!in_.number(1, &tag)) return kBadarg;
    switch (tag) {
      case kSmallInteger:
        return in_.number(1, &n) ? make_small(n) : kBadarg;
      case kInteger:
        return in_.number(4, &n) ? make_small(static_cast<int32_t>(n)) : kBadarg;
      case kSmallBig:
        return big_value(1);
      case kLargeBig:
        return big_value(4);
      case kNewFloat:
        return new_float();
      case kFloat:
        return old_float();
      case kAtom:
      case kSmallAtom:
      case kUtf8Atom:
      case kSmallUtf8Atom:
      case kAtomCacheRef:
        return atom_value(static_cast<uint8_t>(tag));
      case kSmallTuple:
        return in_.number(1, &n) ? tuple_value(n) : kBadarg;
      case kLargeTuple:
        return in_.number(4, &n) ? tuple_value(n) : kBadarg;
      case kRecord:
        return record_value();
      case kEmptyList:
        return kNil;
      case kString:
        return string_value();
      case kList:
        return list_value();
      case kMap:
        return map_value();
      case kBinary:
        return binary_value();
      case kBitBinary:
        return bit_binary_value();
      case kNewPid:
        return pid_value(4);
      case kPid:
        return pid_value(1);
      case kNewPort:
        return port_value(4, 4);
      case kPort:
        return port_value(4, 1);
      case kV4Port:
        return port_value(8, 4);
      case kNewerReference:
        return reference_value(4);
      case kNewReference:
        return reference_value(1);
      case kReference:
        return old_reference();
      case kNewFun:
        return fun_value();
      case kExport:
        return export_value();
      default:
        return kBadarg;
    }
  }

  Heap& heap_;
  Reader in_;
  const DecodeOptions& options_;
  WorkBudget& budget_;
  const Peer* const peer_;
  Stack<Frame, 16> frames_;
  std::vector<Term> scratch_;
  std::vector<FunHead> funs_;
  size_t promised_ = 0;
};

struct Bytes {
  uint8_t* data = nullptr;
  size_t size = 0;
  Bytes() = default;
  ~Bytes() { free(data); }
  Bytes(const Bytes&) = delete;
};

/// Inflates exactly `size` bytes; false if the stream is bad or of another size, or `budget`
/// stopped it. A lying size costs nothing: memory that is not written to is only reserved.
bool inflate_exactly(const uint8_t* in, size_t in_size, size_t size, Bytes* out, size_t* used,
                     WorkBudget& budget) {
  if (size / 1100 > in_size) return false;  // deflate cannot compress better
  z_stream z = {};
  out->data = static_cast<uint8_t*>(malloc(size + 1));
  if (!out->data || inflateInit(&z) != Z_OK) return false;
  constexpr size_t kChunk = 64 << 10;
  z.next_in = const_cast<uint8_t*>(in);
  int status = Z_OK;
  while (status == Z_OK && z.total_out <= size) {
    z.avail_in = static_cast<uInt>(std::min<size_t>(in_size - z.total_in, UINT32_MAX));
    z.next_out = out->data + z.total_out;
    z.avail_out = static_cast<uInt>(std::min(kChunk, size + 1 - z.total_out));
    status = inflate(&z, Z_NO_FLUSH);
    if (status == Z_OK && z.avail_in == 0 && z.avail_out > 0) break;  // truncated
    if (!budget.steps(kChunk / 4)) break;
  }
  out->size = size;
  *used = z.total_in;
  inflateEnd(&z);
  return status == Z_STREAM_END && z.total_out == size;
}
}  // namespace

Term decode_term(Heap& h, const uint8_t* bytes, size_t size, const DecodeOptions& options,
                 size_t* used, WorkBudget& budget) {
  if (size < 2 || bytes[0] != kVersion) return kBadarg;
  if (bytes[1] != kCompressed) {
    Decoder d(h, bytes + 1, size - 1, options, budget);
    Term t = d.run();
    if (used) *used = static_cast<size_t>(d.at() - bytes);
    return t;
  }
  if (size < 6) return kBadarg;
  Bytes plain;
  size_t packed;
  if (!inflate_exactly(bytes + 6, size - 6, read_bits(bytes + 2, 0, 32), &plain, &packed, budget)) {
    return kBadarg;
  }
  if (used) *used = 6 + packed;
  return Decoder(h, plain.data, plain.size, options, budget).run();
}

Term decode_dist_term(Heap& h, const uint8_t* bytes, size_t size, std::span<const Term> atoms,
                      size_t* used, WorkBudget& budget, Binary* whole) {
  constexpr DecodeOptions kOptions;
  const Peer peer{atoms, whole};
  Decoder d(h, bytes, size, kOptions, budget, &peer);
  Term t = d.run();
  *used = static_cast<size_t>(d.at() - bytes);
  return t;
}

Term intern_of_others(std::string_view text) {
  const Term t = find_atom(text);
  if (t != kNone) return t;
  constexpr uint32_t kOurs = 16;  // one of so many stays for us
  const uint32_t limit = atom_limit();
  return atom_count() >= limit - limit / kOurs ? kSystemLimit : intern(text);
}

}  // namespace wb
