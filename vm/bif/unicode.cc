// unicode:characters_to_list/2, characters_to_binary/2, bin_is_7bit/1.
//
// Chardata is a nested list of code points and binaries. A character of a UTF-8 binary may go on in
// the next binary: its first bytes wait in `split_`. Where conversion stops, the result tells what
// was not converted: the rest of the innermost list, consed to the rest of each list around it,
// and if bytes were waiting, [WaitingBytes, Rest].
//
// The whole argument is checked for types first, so that chardata with an impossible element is
// badarg even if an earlier one is wrong in a milder way.
#include <algorithm>

#include "base/out_of_memory.h"
#include "base/work_budget.h"
#include "term/binary.h"
#include "term/bits.h"
#include "term/external.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"

namespace wb {

namespace {
constexpr int64_t kConverted = 20;  // steps a reduction: characters, list elements (seen twice)

/// Bytes that `e` becomes at most, in UTF-8.
size_t utf8_bytes(Term e, bool latin1) {
  if (!is_binary(e)) return 4;
  return bit_size(e) / 8 * (latin1 ? 2 : 1);
}

/// *bytes: how many its conversion to UTF-8 may take. False, too, when `budget` stopped it.
bool is_chardata(Term t, bool latin1, size_t* bytes, WorkBudget& budget) {
  *bytes = utf8_bytes(t, latin1);
  if (is_binary(t)) return true;
  if (!is_list(t)) return false;
  std::vector<Term> rests;
  LocalBudget steps(budget);
  for (;;) {
    while (is_cons(t)) {
      Term e = head(t);
      t = tail(t);
      if (!steps.step()) return false;
      if (WB_LIKELY(is_small(e))) {
        *bytes += 4;
        continue;
      }
      *bytes += utf8_bytes(e, latin1);
      if (is_cons(e)) {
        rests.push_back(t);
        t = e;
      } else if (!is_big(e) && !is_nil(e) && !is_binary(e)) {
        return false;
      }
    }
    if (!is_nil(t) && !is_binary(t)) return false;
    *bytes += utf8_bytes(t, latin1);
    if (rests.empty()) break;
    t = rests.back();
    rests.pop_back();
  }
  return true;
}

/// ascii_prefix, with a step for 16 bytes.
size_t budgeted_prefix(const uint8_t* p, size_t n, WorkBudget& budget) {
  constexpr size_t kChunk = 1 << 14;
  for (size_t at = 0;;) {
    size_t chunk = std::min(kChunk, n - at), run = ascii_prefix(p + at, chunk);
    at += run;
    if (!budget.steps(static_cast<int64_t>(run / 16)) || run < chunk || at == n) return at;
  }
}

bool is_ascii(Term t) { return is_small(t) && t < make_small(0x80); }

// --- where the characters go ---------------------------------------------------------------------
class ToList {
 public:
  ToList(Heap& h, size_t) : list_(h) {}
  void add(uint32_t c) { list_.add(make_small(c)); }
  void ascii(const uint8_t* p, size_t n) {
    for (size_t i = 0; i < n; ++i) list_.add(make_small(p[i]));
  }
  /// Those at the beginning of a list; the rest of it.
  Term ascii(Term list, LocalBudget& steps) {
    for (; is_cons(list) && is_ascii(head(list)) && steps.step(); list = tail(list))
      list_.add(head(list));
    return list;
  }
  Term finish(Heap&, WorkBudget&) { return list_.finish(); }

 private:
  ListBuilder list_;
};

class ToBinary {
 public:
  /// `bytes`: the most there can be.
  ToBinary(Heap&, size_t bytes) : text_(bytes <= sizeof few_ ? few_ : allocate(bytes)) {}
  ~ToBinary() {
    if (text_ != few_) free(text_);
  }
  ToBinary(const ToBinary&) = delete;
  WB_INLINE void add(uint32_t c) {
    if (c < 0x80)
      text_[size_++] = static_cast<uint8_t>(c);
    else
      size_ += utf8_encode(c, text_ + size_);
  }
  void ascii(const uint8_t* p, size_t n) {
    copy_few_bytes(text_ + size_, p, n);
    size_ += n;
  }
  Term ascii(Term list, LocalBudget& steps) {
    uint8_t* to = text_ + size_;
    for (; is_cons(list) && is_ascii(head(list)) && steps.step(); list = tail(list))
      *to++ = static_cast<uint8_t>(small_value(head(list)));
    size_ = static_cast<size_t>(to - text_);
    return list;
  }
  Term finish(Heap& h, WorkBudget& budget) {
    uint8_t* to;
    Term t = new_bytes(h, size_, &to);
    if (is_fault(t)) return t;
    in_chunks(size_, budget, [&](size_t at, size_t n) { memcpy(to + at, text_ + at, n); });
    return t;
  }

 private:
  static uint8_t* allocate(size_t n) { return static_cast<uint8_t*>(must_malloc(n, "tmp")); }
  uint8_t few_[512];
  uint8_t* const text_;
  size_t size_ = 0;
};

// --- the walk ------------------------------------------------------------------------------------
template <class Out>
class Converter {
 public:
  Converter(Heap& h, bool latin1, size_t bytes, WorkBudget& budget)
      : heap_(h), budget_(budget), latin1_(latin1), out_(h, bytes) {}

  Term run(Term t) {
    if (is_binary(t)) {
      if (!binary(t, 0)) return stop(am::error, rest_of(t, at_, kNone));
      return end();
    }
    for (;;) {
      while (is_cons(t)) {
        Term e = head(t);
        if (is_ascii(e) && !waiting_) {
          LocalBudget steps(budget_);
          t = out_.ascii(t, steps);
          if (!is_cons(t)) break;
          e = head(t);
        }
        if (!budget_.step()) return kCancelled;
        if (is_cons(e)) {
          rests_.push_back(tail(t));
          t = e;
          continue;
        }
        if (!element(e)) return stop(am::error, is_binary(e) ? rest_of(e, at_, tail(t)) : t);
        t = tail(t);
      }
      if (is_binary(t) && !binary(t, 0)) return stop(am::error, rest_of(t, at_, kNone));
      if (rests_.empty()) return end();
      t = rests_.back();
      rests_.pop_back();
    }
  }

 private:
  WB_INLINE bool element(Term e) {
    if (WB_UNLIKELY(!is_small(e))) {
      if (is_nil(e)) return true;
      return is_binary(e) && binary(e, 0);
    }
    if (waiting_ || small_value(e) < 0) return false;
    int64_t c = small_value(e);
    if (c > (latin1_ ? 255 : 0x10ffff) || !is_code_point(static_cast<uint32_t>(c))) return false;
    out_.add(static_cast<uint32_t>(c));
    return true;
  }

  /// False if the bytes are wrong at at_.
  bool binary(Term t, size_t from) {
    ByteView v(t);
    const uint8_t* p = v.data();
    size_t n = v.size();
    at_ = from;
    if (latin1_) {
      for (size_t i = 0; i < n && budget_.step(); ++i) out_.add(p[i]);
      return true;
    }
    if (waiting_ && !continue_split(p, n)) return false;
    while (at_ < n && !waiting_) {
      size_t run = ascii_prefix(p + at_, std::min(n - at_, kRun));
      out_.ascii(p + at_, run);
      at_ += run;
      if (!budget_.steps(static_cast<int64_t>(run) + 1)) return true;
      if (at_ == n || run == kRun) continue;
      uint32_t c;
      int step = utf8_decode(p + at_, n - at_, &c);
      if (step == kUtf8Invalid) return false;
      if (step == kUtf8Incomplete) {
        waiting_ = n - at_;
        memcpy(split_, p + at_, waiting_);
        break;
      }
      out_.add(c);
      at_ += static_cast<size_t>(step);
    }
    return true;
  }

  // Takes what the waiting character still needs. Wrong bytes are noticed when all are there; then
  // the binary counts as not begun.
  bool continue_split(const uint8_t* p, size_t n) {
    size_t missing = utf8_need(split_[0]) - waiting_, take = n < missing ? n : missing;
    memcpy(split_ + waiting_, p, take);
    if (take < missing) {
      waiting_ += take;
      at_ = n;
      return true;
    }
    uint32_t c;
    if (utf8_decode(split_, waiting_ + take, &c) <= 0) return false;
    out_.add(c);
    waiting_ = 0;
    at_ = take;
    return true;
  }

  // `after` kNone: the binary was the end of a list or everything.
  Term rest_of(Term bin, size_t from, Term after) {
    Term rest = sub_bitstring(heap_, bin, from * 8, bit_size(bin) - from * 8);
    return after == kNone ? rest : cons(heap_, rest, after);
  }

  Term stop(Term what, Term rest) {
    for (; !rests_.empty(); rests_.pop_back()) rest = cons(heap_, rest, rests_.back());
    if (waiting_) {
      rest = cons(heap_, make_binary(heap_, split_, waiting_), cons(heap_, rest, kNil));
    }
    return finish(tuple(heap_, what, out_.finish(heap_, budget_), rest));
  }

  Term finish(Term result) { return budget_.stopped() ? kCancelled : result; }

  Term end() {
    if (!waiting_) return finish(out_.finish(heap_, budget_));
    uint32_t c;
    Term what = utf8_decode(split_, waiting_, &c) == kUtf8Incomplete ? am::incomplete : am::error;
    Term rest = make_binary(heap_, split_, waiting_);
    return finish(tuple(heap_, what, out_.finish(heap_, budget_), rest));
  }

  static constexpr size_t kRun = 4096;

  Heap& heap_;
  WorkBudget& budget_;
  bool latin1_;
  Out out_;
  std::vector<Term> rests_;
  uint8_t split_[4];
  size_t waiting_ = 0;  // bytes of a character begun in an earlier binary
  size_t at_ = 0;       // in the binary being read
};

// characters_to_binary takes a list of nothing but one binary as that binary: it shows in what is
// left of it.
Term unwrap(Term t) { return is_cons(t) && is_nil(tail(t)) && is_binary(head(t)) ? head(t) : t; }

/// How many bytes a short flat list of characters has in UTF-8; 0: it is something else.
size_t flat_length(Term t, bool latin1) {
  constexpr size_t kShort = 2000;
  const Term last = make_small(latin1 ? 0xff : 0x10ffff);
  size_t n = 0, more = 0;
  for (; is_cons(t); t = tail(t)) {
    const Term c = head(t);
    if (!is_small(c) || c > last || ++n > kShort) return 0;
    if (c < make_small(0x80)) continue;
    if (!is_character(c)) return 0;
    more += 1 + (c >= make_small(0x800)) + (c >= make_small(0x10000));
  }
  return is_nil(t) ? n + more : 0;
}
/// Such a list.
Term flat_to_binary(Heap& h, Term list, size_t bytes) {
  uint8_t* to;
  Term binary = new_bytes(h, bytes, &to);
  if (is_fault(binary)) return binary;
  for (; is_cons(list); list = tail(list)) {
    const auto c = static_cast<uint32_t>(small_value(head(list)));
    if (WB_LIKELY(c < 0x80)) {
      *to++ = static_cast<uint8_t>(c);
    } else if (c < 0x800) {
      *to++ = static_cast<uint8_t>(0xc0 | c >> 6);
      *to++ = static_cast<uint8_t>(0x80 | (c & 0x3f));
    } else {
      to += utf8_encode(c, to);
    }
  }
  return binary;
}

/// True if `t` is a binary that is its own conversion.
bool converted_already(Term t, bool latin1, WorkBudget& budget) {
  if (!is_binary(t)) return false;
  ByteView v(t);
  const uint8_t* p = v.data();
  size_t n = v.size(), at = budgeted_prefix(p, n, budget);
  while (at < n && !latin1 && budget.step()) {
    uint32_t c;
    int step = utf8_decode(p + at, n - at, &c);
    if (step <= 0) return false;
    at += static_cast<size_t>(step);
    at += budgeted_prefix(p + at, n - at, budget);
  }
  return at == n;
}

Term trap_to(Process& p, Term function, const Term* a) {
  void* target = fun_resolver().export_entry(am::unicode, function, 2);
  return target ? p.trap(static_cast<Export*>(target), {a[0], a[1]}) : kUndef;
}
}  // namespace

BIF(unicode, characters_to_list, 2)
{
  bool latin1 = a[1] == am::latin1;
  if (!latin1 && a[1] != am::unicode && a[1] != am::utf8) {
    return trap_to(p, am::characters_to_list_int, a);
  }
  size_t bytes;
  BifBudget budget(p, kConverted);
  if (!is_chardata(a[0], latin1, &bytes, budget)) return budget.stopped() ? kCancelled : kBadarg;
  return Converter<ToList>(p.heap, latin1, bytes, budget).run(a[0]);
}

BIF(unicode, characters_to_binary, 2)
{
  bool latin1 = a[1] == am::latin1;
  if (!latin1 && a[1] != am::unicode && a[1] != am::utf8) {
    return trap_to(p, am::characters_to_binary_int, a);
  }
  if (size_t n = flat_length(a[0], latin1)) return flat_to_binary(p.heap, a[0], n);
  Term t = unwrap(a[0]);
  size_t bytes;
  BifBudget budget(p, kConverted);
  if (!is_chardata(t, latin1, &bytes, budget)) return budget.stopped() ? kCancelled : kBadarg;
  if (converted_already(t, latin1, budget)) return t;
  return Converter<ToBinary>(p.heap, latin1, bytes, budget).run(t);
}

BIF(unicode, bin_is_7bit, 1)
{
  if (!is_binary(a[0])) return am::false_;
  ByteView v(a[0]);
  BifBudget budget(p, kConverted);
  bool all = budgeted_prefix(v.data(), v.size(), budget) == v.size();
  return budget.stopped() ? kCancelled : make_bool(all);
}

}  // namespace wb
