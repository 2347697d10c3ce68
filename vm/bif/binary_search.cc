// binary:match, matches, split and compile_pattern. A compiled pattern is {bm | ac, Ref} with a
// magic reference to a ByteSearch.
#include <optional>

#include "term/binary.h"
#include "term/instance.h"
#include "vm/bif/bif.h"
#include "vm/bif/binary_part.h"
#include "vm/bif/byte_search.h"
#include "vm/core/vm.h"

namespace wb {

namespace {
constexpr int64_t kSearched = 6;  // times 16 bytes, or matches, a reduction

struct CompiledPattern final : OffHeapObject {
  std::unique_ptr<ByteSearch> search;
};

void destroy_pattern(OffHeapObject* o) { delete static_cast<CompiledPattern*>(o); }

/// The search inside {bm, Ref} or {ac, Ref}; nullptr if it is none.
const ByteSearch* compiled(Term t) {
  if (!is_tuple_of(t, 2)) return nullptr;
  Term ref = tuple_elements(t)[1], tag = tuple_elements(t)[0];
  if (!is_kind(ref, Kind::magic_ref) || magic_object(ref)->destroy != destroy_pattern) {
    return nullptr;
  }
  const ByteSearch* s = static_cast<CompiledPattern*>(magic_object(ref))->search.get();
  return tag == (s->single() ? am::bm : am::ac) ? s : nullptr;
}

bool add_needle(Term t, std::vector<std::string>* needles) {
  if (!is_binary(t) || bit_size(t) == 0) return false;
  ByteView v(t);
  needles->emplace_back(reinterpret_cast<const char*>(v.data()), v.size());
  return true;
}

/// From a binary or a non-empty list of non-empty binaries. nullptr and *why otherwise.
std::unique_ptr<ByteSearch> make_search(Term t, Term* why) {
  std::vector<std::string> needles;
  *why = kBadarg;
  if (is_cons(t)) {
    for (; is_cons(t); t = tail(t)) {
      if (!add_needle(head(t), &needles)) return nullptr;
    }
    if (!is_nil(t)) return nullptr;
  } else if (!add_needle(t, &needles)) {
    return nullptr;
  }
  *why = kSystemLimit;
  return ByteSearch::make(needles);
}

/// A pattern argument: one needle as it is, or compiled before or for this call.
class Pattern {
 public:
  explicit Pattern(Term t) {
    if (is_binary(t)) {
      bytes_.emplace(t);
      one_ = {reinterpret_cast<const char*>(bytes_->data()), bytes_->size()};
      if (!one_.empty()) return;
    }
    search_ = compiled(t);
    if (search_) return;
    made_ = make_search(t, &why_);
    search_ = made_.get();
  }
  bool find(const uint8_t* bytes, size_t from, size_t end, ByteMatch* match,
            WorkBudget& budget) const {
    return !one_.empty() ? find_needle(one_, bytes, from, end, match, budget)
                         : search_->find(bytes, from, end, match, budget);
  }
  bool ok() const { return search_ || !one_.empty(); }
  Term why() const { return why_; }

 private:
  Term why_ = kBadarg;
  std::optional<ByteView> bytes_;
  std::string_view one_;  ///< empty: none, or not by itself
  std::unique_ptr<ByteSearch> made_;
  const ByteSearch* search_ = nullptr;
};

struct Options {
  size_t from, end;
  bool global = false, trim = false, trim_all = false;
};

bool scope_option(Term t, size_t size, Options* o) {
  if (!is_tuple_of(t, 2) || tuple_elements(t)[0] != am::scope) return false;
  Term range = tuple_elements(t)[1];
  size_t n;
  if (!is_tuple_of(range, 2)) return false;
  if (!part_range(tuple_elements(range)[0], tuple_elements(range)[1], size, &o->from, &n)) {
    return false;
  }
  o->end = o->from + n;
  return true;
}

bool parse_options(Term list, size_t size, bool split, Options* o) {
  o->from = 0;
  o->end = size;
  if (!is_list(list)) return false;
  for (; is_cons(list); list = tail(list)) {  // an improper end is let pass, as OTP does
    Term t = head(list);
    if (split && t == am::global)
      o->global = true;
    else if (split && t == am::trim)
      o->trim = true;
    else if (split && t == am::trim_all)
      o->trim = o->trim_all = true;
    else if (!scope_option(t, size, o))
      return false;
  }
  return true;
}

Term match_tuple(Heap& h, const ByteMatch& m) {
  return tuple(h, make_small(static_cast<int64_t>(m.at)),
               make_small(static_cast<int64_t>(m.length)));
}

/// OTP of old does not even look at the pattern when there is nothing to search.
bool looks_late() { return otp_release() < 27; }

Term run_match(Process& p, Term subject, Term pattern, Term options, bool all) {
  if (!is_binary(subject)) return kBadarg;
  ByteView v(subject);
  Options o;
  if (!parse_options(options, v.size(), false, &o)) return kBadarg;
  const bool is_empty = o.from == o.end;
  if (is_empty && looks_late()) return all ? kNil : am::nomatch;
  Pattern search(pattern);
  if (!search.ok()) return search.why();
  if (is_empty) return all ? kNil : am::nomatch;
  BifBudget budget(p, kSearched);
  ByteMatch m;
  if (!all) {
    if (search.find(v.data(), o.from, o.end, &m, budget)) return match_tuple(p.heap, m);
    return budget.stopped() ? kCancelled : am::nomatch;
  }
  ListBuilder found(p.heap);
  for (size_t at = o.from; search.find(v.data(), at, o.end, &m, budget); at = m.at + m.length) {
    found.add(match_tuple(p.heap, m));
    if (!budget.step()) break;
  }
  return budget.stopped() ? kCancelled : found.finish();
}

Term run_split(Process& p, Term subject, Term pattern, Term options) {
  if (!is_binary(subject)) return kBadarg;
  ByteView v(subject);
  Options o;
  if (!parse_options(options, v.size(), true, &o)) return kBadarg;
  Pattern search(pattern);
  if (!search.ok()) {
    if (o.from != o.end || !looks_late()) return search.why();
    return o.trim && v.size() == 0 ? kNil : cons(p.heap, subject, kNil);
  }

  BifBudget budget(p, kSearched);
  ListBuilder list(p.heap);
  size_t held = 0;  // empty parts, which go if there is nothing behind them
  auto add = [&](size_t at, size_t n) {
    if (o.trim && n == 0) {
      held += !o.trim_all;
      return true;
    }
    bool on = true;
    for (; held > 0 && on; --held, on = budget.step()) {
      list.add(sub_bitstring(p.heap, subject, at * 8, 0));
    }
    list.add(sub_bitstring(p.heap, subject, at * 8, n * 8));
    return on && budget.steps(2);
  };
  size_t start = 0, at = o.from;
  for (ByteMatch m; search.find(v.data(), at, o.end, &m, budget);) {
    if (!add(start, m.at - start)) break;
    at = start = m.at + m.length;
    if (!o.global) break;
  }
  if (!budget.stopped()) add(start, v.size() - start);
  return budget.stopped() ? kCancelled : list.finish();
}
}  // namespace

BIF(binary, compile_pattern, 1)
{
  Term why;
  std::unique_ptr<ByteSearch> search = make_search(a[0], &why);
  if (!search) return why;
  auto* pattern = new CompiledPattern;
  pattern->destroy = destroy_pattern;
  pattern->search = std::move(search);
  Term tag = pattern->search->single() ? am::bm : am::ac;
  return tuple(p.heap, tag, p.vm().new_magic_ref(p.heap, pattern, pattern->search->memory()));
}

BIF(binary, match, 2)
{
  return run_match(p, a[0], a[1], kNil, false);
}
BIF(binary, match, 3)
{
  return run_match(p, a[0], a[1], a[2], false);
}
BIF(binary, matches, 2)
{
  return run_match(p, a[0], a[1], kNil, true);
}
BIF(binary, matches, 3)
{
  return run_match(p, a[0], a[1], a[2], true);
}
BIF(binary, split, 2)
{
  return run_split(p, a[0], a[1], kNil);
}
BIF(binary, split, 3)
{
  return run_split(p, a[0], a[1], a[2]);
}

}  // namespace wb
