// Terms to external format. One walk, written once, feeds one of two sinks: Buffer stores the
// bytes, Counter only counts them, for external_size what SizeOf does not count faster. The walk
// keeps a stack of spans, "these terms are still to be written", so its depth is the nesting of the
// term and never the C stack's.
//
// A Buffer is a list of segments: what was written is never moved to make room for more, which
// would take long at once, and the segments are put together step by step at the end.
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstdio>

#include "base/stack.h"
#include "base/work_budget.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/bits.h"
#include "term/external.h"
#include "term/external_dist.h"
#include "term/external_tags.h"
#include "term/magic_registry.h"
#include "term/map.h"
#include "term/number.h"
#include "term/order.h"
#include "term/record.h"

namespace wb {

namespace {
using namespace external_tag;

class Buffer {
 public:
  static constexpr bool kExact = true;
  Buffer() = default;
  ~Buffer() {
    for (Segment& s : closed_) free(s.bytes);
    if (bytes_ != first_) free(bytes_);
  }
  Buffer(const Buffer&) = delete;

  /// n bytes one behind the other.
  uint8_t* room(size_t n) {
    if (WB_UNLIKELY(size_ - used_ < n)) grow(n);
    uint8_t* p = bytes_ + used_;
    used_ += n;
    return p;
  }
  void byte(uint8_t b) { *room(1) = b; }
  void number(uint64_t v, unsigned bytes) {
    uint8_t* to = room(bytes);
    v = __builtin_bswap64(v);
    if (bytes == 8) {
      memcpy(to, &v, 8);
    } else if (bytes == 4) {
      v >>= 32;
      memcpy(to, &v, 4);
    } else {
      for (v >>= 64 - 8 * bytes; bytes > 0; --bytes, v >>= 8) *to++ = static_cast<uint8_t>(v);
    }
  }
  void byte_pair(uint8_t first, uint8_t second) {
    uint8_t* to = room(2);
    to[0] = first;
    to[1] = second;
  }
  /// A byte, then a number of 2, 4 or 8.
  template <class Number>
  void tagged(uint8_t tag, Number v) {
    uint8_t* to = room(1 + sizeof v);
    to[0] = tag;
    v = static_cast<Number>(__builtin_bswap64(v) >> (64 - 8 * sizeof v));
    memcpy(to + 1, &v, sizeof v);
  }
  void bytes(const void* p, size_t n) {
    uint8_t* to = room(n);
    if (n) memcpy(to, p, n);
  }
  size_t position() const { return before_ + used_; }
  size_t left_out() const { return left_out_; }
  void leave_out(size_t n) { left_out_ += n; }
  void patch32(size_t at, uint32_t v) { write_bits(at_position(at), 0, v, 32); }

  /// Everything, in order: f(bytes, n).
  template <class F>
  bool each_segment(F f) const {
    for (const Segment& s : closed_) {
      if (!f(s.bytes, s.size)) return false;
    }
    return f(bytes_, used_);
  }

 private:
  static constexpr size_t kMostBytes = 1 << 20;
  struct Segment {
    uint8_t* bytes;
    size_t start, size;
  };

  WB_COLD void grow(size_t n) {
    uint8_t* more = static_cast<uint8_t*>(malloc(std::max(n, std::min(2 * size_, kMostBytes))));
    WB_CHECK(more != nullptr);
    if (before_ == 0 && bytes_ == first_) {  // copied: the first one lies in this object
      uint8_t* first = static_cast<uint8_t*>(malloc(std::max<size_t>(used_, 1)));
      WB_CHECK(first != nullptr);
      memcpy(first, first_, used_);
      bytes_ = first;
    }
    closed_.push_back({bytes_, before_, used_});
    before_ += used_;
    size_ = std::max(n, std::min(2 * size_, kMostBytes));
    bytes_ = more;
    used_ = 0;
  }
  // A number is never split between segments.
  uint8_t* at_position(size_t at) {
    if (at >= before_) return bytes_ + (at - before_);
    auto after = std::upper_bound(closed_.begin(), closed_.end(), at,
                                  [](size_t v, const Segment& s) { return v < s.start; });
    return after[-1].bytes + (at - after[-1].start);
  }

  std::vector<Segment> closed_;
  size_t before_ = 0;  // bytes in closed segments
  size_t left_out_ = 0;
  uint8_t* bytes_ = first_;
  size_t used_ = 0, size_ = sizeof first_;
  uint8_t first_[256];
};
constexpr size_t kAtOnce = 4096;  // bytes copied without a look at the budget

class Counter {
 public:
  static constexpr bool kExact = false;
  void byte(uint8_t) { ++used_; }
  void number(uint64_t, unsigned bytes) { used_ += bytes; }
  void byte_pair(uint8_t, uint8_t) { used_ += 2; }
  template <class Number>
  void tagged(uint8_t, Number) {
    used_ += 1 + sizeof(Number);
  }
  void bytes(const void*, size_t n) { used_ += n; }
  size_t position() const { return used_; }
  size_t left_out() const { return 0; }
  void patch32(size_t, uint32_t) {}
  void skip(size_t n) { used_ += n; }

 private:
  size_t used_ = 0;
};

/// Counts cells; *string: proper, and all elements are bytes.
size_t measure_list(Term list, WorkBudget& budget, bool* string) {
  size_t n = 0;
  bool bytes = true;
  for (; is_cons(list) && budget.step(); list = tail(list), ++n) {
    Term e = head(list);
    bytes = bytes && is_small(e) && static_cast<uint64_t>(small_value(e)) <= 255;
  }
  *string = bytes && is_nil(list) && n <= kMaxString;
  return n;
}

template <class Sink>
class Encoder {
 public:
  Encoder(Sink& sink, const EncodeOptions& options, WorkBudget& budget, AtomRefs* refs = nullptr)
      : out_(sink), options_(options), budget_(budget), refs_(refs) {}

  bool run(Term t) {
    put(t);
    while (!work_.empty()) {
      if (too_large_ || !budget_.step()) return false;
      step();
    }
    return !too_large_;
  }
  /// Something in it has more bytes than the format can say.
  bool too_large() const { return too_large_; }

 private:
  enum class Do : uint8_t { terms, list, flatmap, pairs, end_fun };
  struct Work {
    Do what;
    const Term* at;  // terms: next; flatmap: the map
    size_t left;     // terms, list: how many, or more; flatmap: twice that; pairs: how many terms
    Term list;       // list: where we are
  };

  void step() {
    Work& w = work_.top();
    if (w.left == 0) return finish();
    --w.left;
    switch (w.what) {
      case Do::terms:
        return terms_step(w);
      case Do::list:
        return list_step(w);
      case Do::flatmap:
        return flatmap_step(w);
      case Do::pairs:
        return put(pairs_[pairs_.size() - 1 - w.left]);
      case Do::end_fun:
        return;
    }
  }

  /// May step() go on with the same work after an element? There are `works` if nothing came up.
  bool goes_on(Work& w, size_t works) {
    if (work_.size() != works || w.left == 0 || !budget_.step()) return false;
    --w.left;
    return true;
  }
  void terms_step(Work& w) {
    const size_t works = work_.size();
    do put(*w.at++);
    while (goes_on(w, works));
  }
  void flatmap_step(Work& w) {
    const size_t works = work_.size();
    const Term *keys = tuple_elements(w.at[2]), *values = w.at + 3;
    size_t i = 2 * static_cast<size_t>(small_value(w.at[1])) - 1 - w.left;  // counts up from 0
    do {
      put(i & 1 ? values[i / 2] : keys[i / 2]);
      ++i;
    } while (goes_on(w, works));
  }
  void list_step(Work& w) {
    const size_t works = work_.size();
    do {
      Term cell = w.list;
      if (!is_cons(cell)) {  // the tail, last of all
        w.left = 0;
        return put(cell);
      }
      w.list = tail(cell);
      put(head(cell));
    } while (goes_on(w, works));
  }

  void finish() {
    const Work w = work_.pop();
    if (w.what == Do::pairs) pairs_.resize(pairs_.size() - static_cast<size_t>(w.list));
    if (w.what == Do::end_fun) {
      size_t start = static_cast<size_t>(w.list), elsewhere = out_.left_out() - left_out_.back();
      left_out_.pop_back();
      out_.patch32(start, static_cast<uint32_t>(out_.position() - start + elsewhere));
    }
  }

  /// Has nothing that comes later.
  static WB_INLINE bool is_leaf(Term t) {
    if (!is_pointer(t)) return true;
    if (is_cons(t)) return false;
    const Kind kind = header_kind(header_of(t));
    return kind == Kind::flo || kind == Kind::heap_bin;
  }

  /// Those at the beginning that are leaves at once, the rest later.
  void put_terms(const Term* at, size_t n) {
    for (; n && is_leaf(*at) && budget_.step(); ++at, --n) put(*at);
    if (n) work_.push({Do::terms, at, n, 0});
  }

  WB_INLINE void put(Term t) {
    if (is_small(t)) return put_small(small_value(t));
    put_other(t);
  }
  void put_other(Term t) {
    if (is_cons(t)) return put_list(t);
    if (is_boxed(t)) return put_boxed(t);
    if (is_atom(t)) return put_atom(t);
    if (is_nil(t)) return out_.byte(kEmptyList);
    if (is_local_pid(t)) return put_pid(local_node(), pid_slot(t), pid_serial(t));
    WB_CHECK(is_local_port(t));
    put_port(local_node(), port_number(t));
  }

  WB_INLINE void put_small(int64_t v) {
    if (v >= 0 && v <= 255) {
      out_.byte_pair(kSmallInteger, static_cast<uint8_t>(v));
    } else if (v >= INT32_MIN && v <= INT32_MAX) {
      out_.tagged(kInteger, static_cast<uint32_t>(v));
    } else {
      put_limb(v);
    }
  }
  WB_COLD void put_limb(int64_t v) {
    uint64_t limb = static_cast<uint64_t>(v < 0 ? -v : v);
    put_big(v < 0, &limb, 1);
  }

  WB_NOINLINE void put_big(bool negative, const uint64_t* limbs, size_t n) {
    size_t bytes = n * 8 - static_cast<size_t>(__builtin_clzll(limbs[n - 1])) / 8;
    if (bytes <= 255) {
      out_.byte(kSmallBig);
      out_.byte(static_cast<uint8_t>(bytes));
    } else {
      out_.byte(kLargeBig);
      out_.number(bytes, 4);
    }
    out_.byte(negative);
    out_.bytes(limbs, bytes);
  }

  void put_atom(Term t) {
    if constexpr (Sink::kExact) {
      if (const int number = refs_ ? refs_->number_of(t) : -1; number >= 0) {
        out_.byte(kAtomCacheRef);
        return out_.byte(static_cast<uint8_t>(number));
      }
    }
    const AtomFacts a = atom_facts(t);
    if (options_.minor_version < 2 && a.latin1) {
      if constexpr (!Sink::kExact) return out_.skip(3 + a.chars);
      return put_latin1(a);
    }
    if (a.text.size() <= 255)
      out_.byte_pair(kSmallUtf8Atom, static_cast<uint8_t>(a.text.size()));
    else
      out_.tagged(kUtf8Atom, static_cast<uint16_t>(a.text.size()));
    out_.bytes(a.text.data(), a.text.size());
  }
  void put_latin1(const AtomFacts& a) {
    out_.tagged(kAtom, static_cast<uint16_t>(a.chars));
    if (a.chars == a.text.size()) return out_.bytes(a.text.data(), a.chars);  // all ASCII
    for (size_t i = 0; i < a.text.size(); ++i) {
      uint8_t c = static_cast<uint8_t>(a.text[i]);
      if (c >= 0x80) c = static_cast<uint8_t>(c << 6 | (static_cast<uint8_t>(a.text[++i]) & 0x3f));
      out_.byte(c);
    }
  }

  WB_NOINLINE void put_pid(NodeName node, uint32_t id, uint32_t serial) {
    out_.byte(kNewPid);
    put_atom(node.name);
    out_.number(id, 4);
    out_.number(serial, 4);
    out_.number(node.creation, 4);
  }

  WB_NOINLINE void put_port(NodeName node, uint64_t id) {
    bool wide = otp_release() >= 26 || id >> 28;
    out_.byte(wide ? kV4Port : kNewPort);
    put_atom(node.name);
    out_.number(id, wide ? 8 : 4);
    out_.number(node.creation, 4);
  }

  void put_ref(NodeName node, const uint32_t* words, size_t n) {
    out_.byte(kNewerReference);
    out_.number(n, 2);
    put_atom(node.name);
    out_.number(node.creation, 4);
    for (size_t i = 0; i < n; ++i) out_.number(words[i], 4);
  }

  WB_NOINLINE void put_local_ref(const Term* p, Kind kind) {
    if (Sink::kExact && kind == Kind::magic_ref) note_magic(p);
    const Term* numbers = kind == Kind::magic_ref ? p + 3 : p + 1;
    uint32_t w[5] = {static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[0] >> 32),
                     static_cast<uint32_t>(numbers[1])};
    bool alias = kind == Kind::pid_ref && is_local_pid(p[3]);
    if (alias) {
      w[3] = pid_slot(p[3]);
      w[4] = pid_serial(p[3]);
    }
    put_ref(local_node(), w, alias ? 5 : 3);
  }

  void put_list(Term t) {
    bool string;
    size_t n = measure_list(t, budget_, &string);
    if (!string) {
      out_.tagged(kList, static_cast<uint32_t>(n));
      for (; is_cons(t) && is_leaf(head(t)) && budget_.step(); t = tail(t), --n) put(head(t));
      work_.push({Do::list, nullptr, n + 1, t});
      return;
    }
    out_.byte(kString);
    out_.number(n, 2);
    for (; is_cons(t); t = tail(t)) out_.byte(static_cast<uint8_t>(small_value(head(t))));
  }

  void put_bitstring(Term t) {
    Bits b = bits_in(t);
    size_t n = (b.size + 7) / 8;
    if (Sink::kExact && n > UINT32_MAX) return void(too_large_ = true);
    out_.tagged(b.whole_bytes() ? kBinary : kBitBinary, static_cast<uint32_t>(n));
    if (!b.whole_bytes()) out_.byte(b.size & 7);
    if constexpr (Sink::kExact) {
      if (options_.parts && b.whole_bytes() && b.aligned() && n > options_.least_part) {
        options_.parts->push_back({out_.position(), t});
        return out_.leave_out(n);
      }
      uint8_t* to = out_.room(n);
      if (b.whole_bytes() && b.aligned() && n <= kAtOnce) {
        return copy_few_bytes(to, b.bytes, n);
      }
      if (b.size & 7) to[n - 1] = 0;
      in_chunks(b.size / 8, budget_, [&](size_t at, size_t chunk) {
        copy_bits(to + at, 0, b.bytes + at, b.offset, chunk * 8);
      });
      size_t whole = b.size & ~size_t{7};
      copy_bits(to, whole, b.bytes + whole / 8, b.offset, b.size - whole);
    } else {
      out_.skip(n);
    }
  }

  void put_float(double d) {
    if (options_.minor_version > 0) {
      return out_.tagged(kNewFloat, std::bit_cast<uint64_t>(d));
    }
    put_old_float(d);
  }
  WB_COLD void put_old_float(double d) {
    char text[64] = {};
    snprintf(text, sizeof text, "%.20e", d);
    out_.byte(kFloat);
    out_.bytes(text, 31);
  }

  void put_map(Term t) {
    size_t n = map_size(t);
    out_.tagged(kMap, static_cast<uint32_t>(n));
    if (n == 0) return;
    is_flatmap(t) ? put_flatmap(boxed_ptr(t), n) : put_large_map(t);
  }
  WB_NOINLINE void put_large_map(Term t) {
    size_t start = pairs_.size();
    MapLister it(t);
    for (Term k, v; budget_.step() && it.next(&k, &v);) {
      pairs_.push_back(k);
      pairs_.push_back(v);
    }
    if (options_.deterministic) sort_pairs(start);
    const size_t n = pairs_.size() - start;
    work_.push({Do::pairs, nullptr, n, static_cast<Term>(n)});
  }

  void put_flatmap(const Term* p, size_t n) {
    const Term *keys = tuple_elements(p[2]), *values = p + 3;
    size_t i = 0;
    for (; i < n && is_leaf(keys[i]) && is_leaf(values[i]) && budget_.step(); ++i) {
      put(keys[i]);
      put(values[i]);
    }
    if (i < n) work_.push({Do::flatmap, p, 2 * (n - i), 0});
  }

  void sort_pairs(size_t start) {
    struct Pair {
      Term key, value;
    };
    Pair* p = reinterpret_cast<Pair*>(pairs_.data() + start);
    std::sort(p, p + (pairs_.size() - start) / 2,
              [](const Pair& a, const Pair& b) { return compare_keys(a.key, b.key) < 0; });
  }

  WB_NOINLINE void put_record(Term t) {
    const RecordDefinition d = definition_of(t);
    out_.byte(kRecord);
    out_.number(d.size(), 4);
    out_.byte(d.is_exported());
    put_atom(d.module());
    put_atom(d.name());
    for (size_t k = 0; k < d.size(); ++k) put_atom(d.fields()[k]);
    put_terms(record_values(t), d.size());
  }

  WB_NOINLINE void put_fun(const Term* p) {
    FunResolver::FunFacts f = fun_resolver().describe_fun(reinterpret_cast<void*>(p[1]));
    size_t free_count = p[2] >> 32;
    out_.byte(kNewFun);
    size_t start = out_.position();
    out_.number(0, 4);  // the size, known at the end
    out_.byte(static_cast<uint8_t>(p[2]));
    out_.bytes(f.uniq, 16);
    out_.number(f.index, 4);
    out_.number(free_count, 4);
    put_atom(f.module);
    if constexpr (Sink::kExact) {
      put_small(f.old_index);
      put_small(f.old_uniq);
    } else {
      out_.skip(10);
    }
    left_out_.push_back(out_.left_out());
    work_.push({Do::end_fun, nullptr, 0, static_cast<Term>(start)});
    put(p[3]);
    put_terms(p + 4, free_count);
  }

  WB_NOINLINE void put_export(const Term* p) {
    FunResolver::ExportFacts f = fun_resolver().describe_export(reinterpret_cast<void*>(p[1]));
    out_.byte(kExport);
    put_atom(f.module);
    put_atom(f.function);
    put_small(f.arity);
  }

  WB_NOINLINE void put_ext(const Term* p, Kind kind) {
    const NodeName node = owned_node(p).name;
    if (kind == Kind::ext_pid) {
      return put_pid(node, static_cast<uint32_t>(p[3]), static_cast<uint32_t>(p[3] >> 32));
    }
    if (kind == Kind::ext_port) return put_port(node, p[3]);
    uint32_t words[5];
    size_t n = std::min<size_t>(header_extra(p[0]), 5);
    for (size_t i = 0; i < n; ++i) words[i] = static_cast<uint32_t>(p[3 + i / 2] >> (i & 1) * 32);
    put_ref(node, words, n);
  }

  void put_boxed(Term t) {
    const Term* p = boxed_ptr(t);
    Kind kind = header_kind(p[0]);
    switch (kind) {
      case Kind::tuple: {
        size_t n = header_size(p[0]);
        if (n <= 255)
          out_.byte_pair(kSmallTuple, static_cast<uint8_t>(n));
        else
          out_.tagged(kLargeTuple, static_cast<uint32_t>(n));
        return put_terms(p + 1, n);
      }
      case Kind::record:
        return put_record(t);
      case Kind::big_pos:
      case Kind::big_neg:
        return put_big(kind == Kind::big_neg, p + 1, header_size(p[0]));
      case Kind::flo:
        return put_float(float_value(t));
      case Kind::flatmap:
      case Kind::hashmap:
        return put_map(t);
      case Kind::heap_bin:
      case Kind::refc_bin:
      case Kind::sub_bin:
        return put_bitstring(t);
      case Kind::fun:
        return put_fun(p);
      case Kind::export_fun:
        return put_export(p);
      case Kind::ref:
      case Kind::pid_ref:
      case Kind::magic_ref:
        return put_local_ref(p, kind);
      case Kind::ext_pid:
      case Kind::ext_port:
      case Kind::ext_ref:
        return put_ext(p, kind);
      default:
        WB_CHECK(!"a value of this kind is never visible to a program");
    }
  }

  Sink& out_;
  const EncodeOptions& options_;
  WorkBudget& budget_;
  bool too_large_ = false;
  AtomRefs* const refs_;  ///< of a message of the distribution, else null
  Stack<Work, 32> work_;
  std::vector<size_t> left_out_;  // before each fun that is being written
  std::vector<Term> pairs_;
};

/// Counts what an encoding has most of by itself, without a record of what is to come for each
/// part, and leaves the rest to an Encoder.
class SizeOf {
 public:
  SizeOf(const EncodeOptions& options, WorkBudget& budget)
      : options_(options), budget_(budget), steps_(budget) {}

  size_t run(Term root) {
    Range now{&root, &root + 1};
    for (;;) {
      if (now.at == now.end) {
        if (todo_.empty()) return used_;
        now = todo_.pop();
        if (now.end == nullptr) now = elements(*now.at, now.at);
        continue;
      }
      const Term t = *now.at++;
      if (!steps_.step()) return used_;
      if (count_leaf(t)) continue;
      if (now.at != now.end) todo_.push(now);
      now = is_cons(t) ? list(t) : boxed(t);
    }
  }

 private:
  /// Terms one behind the other; without an end: the rest of a list, which is the tail at `at`.
  struct Range {
    const Term* at;
    const Term* end;
  };

  /// All of it if it is a string, else its elements as far as they have no parts.
  Range list(Term t) {
    const Term* link = nullptr;
    size_t n = 0;
    for (; is_cons(t) && is_small(head(t)) && head(t) <= make_small(255); t = *link, ++n) {
      link = cons_ptr(t) + 1;
      if (!steps_.step()) return {};
    }
    if (is_nil(t) && n <= kMaxString) return used_ += 3 + n, Range{};
    used_ += 5 + 2 * n;
    return elements(t, link);
  }
  /// Those of a list that is the tail at `link`. What comes after the first one with parts is left
  /// for later.
  Range elements(Term t, const Term* link) {
    for (; is_cons(t); t = *link) {
      const Term* cell = cons_ptr(t);
      link = cell + 1;
      if (!steps_.step()) return {};
      if (!count_leaf(*cell)) {
        todo_.push({link, nullptr});
        return {cell, cell + 1};
      }
    }
    return {link, link + 1};
  }

  Range boxed(Term t) {
    if (!is_boxed(t)) return encode(t), Range{};  // a pid or port of this node
    const Term* p = boxed_ptr(t);
    const size_t n = header_size(*p);
    switch (header_kind(*p)) {
      case Kind::tuple:
        used_ += n <= 255 ? 2 : 5;
        return {p + 1, p + 1 + n};
      case Kind::flatmap:
        used_ += 5;
        todo_.push({p + 3, p + 1 + n});
        return {tuple_elements(p[2]), tuple_elements(p[2]) + n - 2};
      default:
        encode(t);
        return {};
    }
  }

  /// Counts `t` if it has no parts.
  WB_INLINE bool count_leaf(Term t) {
    if (is_small(t)) {
      const int64_t v = small_value(t);
      if (WB_UNLIKELY(v != static_cast<int32_t>(v))) return encode(t), true;
      return used_ += v >= 0 && v <= 255 ? 2 : 5, true;
    }
    if (is_atom(t)) return count_atom(t), true;
    if (is_nil(t)) return ++used_, true;
    if (!is_boxed(t)) return false;
    const Term* p = boxed_ptr(t);
    if (*p == make_header(Kind::flo, 1)) return used_ += options_.minor_version > 0 ? 9 : 32, true;
    if (header_kind(*p) != Kind::heap_bin) return false;
    return used_ += 5 + p[1], true;
  }
  void count_atom(Term t) {
    const AtomFacts a = atom_facts(t);
    if (options_.minor_version < 2 && a.latin1)
      used_ += 3 + a.chars;
    else
      used_ += (a.text.size() <= 255 ? 2 : 3) + a.text.size();
  }
  WB_NOINLINE void encode(Term t) {
    steps_.pause();
    Counter counter;
    Encoder<Counter>(counter, options_, budget_).run(t);
    used_ += counter.position();
    steps_.resume();
  }

  const EncodeOptions& options_;
  WorkBudget& budget_;
  LocalBudget steps_;
  size_t used_ = 0;
  Stack<Range> todo_;
};

/// The encoding in `plain`, compressed. False: it would not be smaller, or `budget` stopped it.
bool compress(const Buffer& plain, int level, WorkBudget& budget, Buffer* out) {
  size_t size = plain.position() - 1;  // without the 131
  z_stream z = {};
  if (size > UINT32_MAX || deflateInit(&z, level) != Z_OK) return false;
  out->byte(kVersion);
  out->byte(kCompressed);
  out->number(size, 4);
  uint8_t packed[16 << 10];
  bool smaller = true;
  auto deflate_some = [&](const uint8_t* bytes, size_t n, int flush) {
    z.next_in = const_cast<uint8_t*>(bytes);
    z.avail_in = static_cast<uInt>(n);
    do {
      z.next_out = packed;
      z.avail_out = sizeof packed;
      deflate(&z, flush);
      out->bytes(packed, sizeof packed - z.avail_out);
      smaller = out->position() <= size;
    } while (smaller && z.avail_out == 0);
  };
  size_t at = 1;
  bool done = plain.each_segment([&](const uint8_t* bytes, size_t n) {
    constexpr size_t kChunk = 8 << 10;
    for (; at < n && smaller; at += kChunk) {
      size_t chunk = std::min(kChunk, n - at);
      deflate_some(bytes + at, chunk, Z_NO_FLUSH);
      if (!budget.steps(static_cast<int64_t>(8 * chunk))) return false;
    }
    at = 0;
    return smaller;
  });
  if (done) deflate_some(nullptr, 0, Z_FINISH);
  deflateEnd(&z);
  return done && smaller;
}

/// Calls use(buffer) with the whole encoding; false when `budget` stopped it, or it is too large.
template <class Use>
bool encode(Term t, const EncodeOptions& options, WorkBudget& budget, Use use,
            bool* too_large = nullptr) {
  Buffer buffer, packed;
  buffer.byte(kVersion);
  Encoder<Buffer> encoder(buffer, options, budget);
  if (!encoder.run(t)) {
    if (too_large) *too_large = encoder.too_large();
    return false;
  }
  bool smaller = options.compressed > 0 && compress(buffer, options.compressed, budget, &packed);
  return use(smaller ? packed : buffer);
}
}  // namespace

Term encode_term(Term t, const EncodeOptions& options, std::vector<uint8_t>* out,
                 WorkBudget& budget) {
  bool too_large = false;
  const auto append = [&](const Buffer& buffer) {
    return buffer.each_segment([&](const uint8_t* bytes, size_t n) {
      out->insert(out->end(), bytes, bytes + n);
      return true;
    });
  };
  if (encode(t, options, budget, append, &too_large)) return kNone;
  return too_large ? kSystemLimit : kCancelled;
}

static Binary* owner_of(Term large) {
  const Term* p = boxed_ptr(large);
  if (header_kind(p[0]) == Kind::sub_bin) p = boxed_ptr(sub_bin::base(p));
  return refc_bin::object(p);
}

bool encode_dist_term(Term t, AtomRefs* refs, SplicedBytes* out, WorkBudget& budget,
                      bool* too_large) {
  std::vector<EncodeOptions::Part> parts;
  const EncodeOptions options{.minor_version = 2, .parts = &parts, .least_part = 16 << 10};
  Buffer buffer;
  Encoder<Buffer> encoder(buffer, options, budget, refs);
  if (!encoder.run(t)) {
    *too_large = encoder.too_large();
    return false;
  }
  out->own().reserve(out->own().size() + buffer.position());
  const auto append = [&](const uint8_t* bytes, size_t n) {
    return in_chunks(n, budget, [&](size_t at, size_t chunk) {
      out->append({reinterpret_cast<const char*>(bytes + at), chunk});
    });
  };
  size_t position = 0;
  auto part = parts.begin();
  return buffer.each_segment([&](const uint8_t* bytes, size_t n) {
    const uint8_t* const end = bytes + n;
    for (; part != parts.end() && part->at <= position + static_cast<size_t>(end - bytes); ++part) {
      const size_t before = part->at - position;
      if (!append(bytes, before)) return false;
      const Bits b = bits_in(part->binary);
      out->splice(owner_of(part->binary), b.bytes, b.size / 8);
      bytes += before, position += before;
    }
    position += static_cast<size_t>(end - bytes);
    return append(bytes, static_cast<size_t>(end - bytes));
  });
}

Term encode_to_binary(Heap& h, Term t, const EncodeOptions& options, WorkBudget& budget) {
  Term result = kCancelled;
  bool too_large = false;
  const auto copy = [&](const Buffer& buffer) {
    uint8_t* to;
    Term binary = new_bytes(h, buffer.position(), &to);
    if (is_fault(binary)) return result = binary, false;
    bool whole = buffer.each_segment([&](const uint8_t* bytes, size_t n) {
      bool on = in_chunks(n, budget,
                          [&](size_t at, size_t chunk) { memcpy(to + at, bytes + at, chunk); });
      to += n;
      return on;
    });
    if (whole) result = binary;
    return whole;
  };
  encode(t, options, budget, copy, &too_large);
  return too_large ? kSystemLimit : result;
}

size_t external_size(Term t, int minor_version, WorkBudget& budget) {
  EncodeOptions options;
  options.minor_version = minor_version;
  return SizeOf(options, budget).run(t) + 1;
}

}  // namespace wb
