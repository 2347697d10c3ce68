// table: the contents of one ETS table, page by page, as far as a match specification wants them.
//
// It is read as a search of a program would read it, but for the fixation, which is a change that
// programs see: a table that changes between two pages may show an object twice, or not at all. A
// page ends after so many rows, objects or milliseconds, whatever comes first; its end is told as a
// text that the next request brings back, and is not believed.
#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "gc/fragment.h"
#include "scheduler/scheduler.h"
#include "term/copy.h"
#include "term/external.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/ets/hash_table.h"
#include "vm/ets/search.h"
#include "vm/ets/tables.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/observe/term_text.h"

namespace wb {
namespace {

using Now = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLongest{50};
constexpr uint64_t kMostObjects = 200'000, kMostRows = 1000;
constexpr size_t kLargestPlace = 30'000;  // of a text, in a request
constexpr PrintOptions kRow = {true, true, 2000};

/// Counted by the caller; null if there is none.
Table* find_table(Vm& vm, std::string_view wanted) {
  struct Search {
    std::string_view wanted;
    Table* found = nullptr;
  } search{wanted};
  vm.ets->each(&search, [](void* context, Table& t) {
    auto& s = *static_cast<Search*>(context);
    const bool is_it =
        (t.options.named && atom_text(t.name()) == s.wanted) || table_id(&t) == s.wanted;
    if (s.found || !is_it || !t.alive()) return;
    t.retain();
    s.found = &t;
  });
  return search.found;
}

class Page final : public Visitor {
 public:
  Page(JsonWriter& w, const Table& t, const MatchSpec& spec, uint64_t limit, Heap& h)
      : w_(w), table_(t), matcher_(spec, context()), limit_(limit), heap_(h), begun_(Now::now()) {}

  Verdict visit(const TableObject& o) override {
    const auto spent = looked_at % 64 ? std::chrono::nanoseconds(0) : Now::now() - begun_;
    late_ |= spent > 4 * kLongest;
    if (full_ && (late_ || rows == kMostRows)) {  // the rest of a long bucket
      ++left_out;
      return Verdict::keep;
    }
    ++looked_at;
    const Term r = matcher_.run(o.tuple(), heap_, false, &o);
    if (r != kNone) ++rows, w_.text(to_text(r, kRow));
    if (full_ || (rows < limit_ && looked_at < kMostObjects && spent <= kLongest)) {
      return Verdict::keep;
    }
    full_ = true;
    if (table_.is_ordered()) last_key = copy_term_deep(heap_, table_.key_of(o));
    return Verdict::keep;
  }
  bool full() override { return full_; }

  uint64_t looked_at = 0, rows = 0, left_out = 0;
  Term last_key = kNone;

 private:
  static match::Context context() {
    match::Context c;
    c.self = am::undefined, c.node = am::nonode_at_nohost;
    return c;
  }
  JsonWriter& w_;
  const Table& table_;
  Matcher matcher_;
  const uint64_t limit_;
  Heap& heap_;
  const Now::time_point begun_;
  bool full_ = false, late_ = false;
};

/// A match specification, or a pattern alone; empty: everything.
Term to_spec(Heap& h, std::string_view text, std::string* error) {
  const bool all = text.find_first_not_of(" \t") == text.npos;
  const Term t = all ? am::underscore : read_term(h, text, error);
  if (t == kNone || is_cons(t)) return t;
  const Term body = cons(h, intern("$_"), kNil);
  return cons(h, tuple(h, t, kNil, body), kNil);
}

std::string place_text(const Table& t, const Cursor& at, Term key) {
  if (!t.is_ordered()) return std::to_string(at.bucket);
  std::vector<uint8_t> bytes;
  if (!encode_term(key, {}, &bytes) || bytes.size() * 2 > kLargestPlace) return {};
  std::string text;
  for (uint8_t b : bytes) text += fmt::format("{:02x}", b);
  return text;
}
bool parse_place(const Table& t, std::string_view text, Heap& h, Cursor* at) {
  if (text.empty()) return true;
  auto digits = [](std::string_view s, auto* out, int base) {
    return std::from_chars(s.data(), s.data() + s.size(), *out, base).ptr == s.data() + s.size();
  };
  if (!t.is_ordered()) {
    const auto& hashed = static_cast<const HashTable&>(t);
    return text.size() < 18 && digits(text, &at->bucket, 10) && at->bucket < hashed.buckets();
  }
  std::vector<uint8_t> bytes(text.size() / 2);
  if (text.size() % 2) return false;
  for (size_t k = 0; k < bytes.size(); ++k) {
    if (!digits(text.substr(2 * k, 2), &bytes[k], 16)) return false;
  }
  size_t used = 0;
  at->after = decode_term(h, bytes.data(), bytes.size(), {.safe = true}, &used);
  return is_value(at->after) && used == bytes.size();
}

std::string read_page(RequestContext& a, Table& t) {
  FragmentHeap h(256);
  std::string error;
  const Term text = to_spec(h, a.request.text("match"), &error);
  if (text == kNone) return "no match specification: " + error;
  std::vector<std::string> errors;
  MatchSpec* spec = MatchSpec::compile(text, MatchDialect::table, &errors);
  if (!spec) {
    return "no match specification" + (errors.empty() ? std::string() : ": " + errors.front());
  }
  Cursor at;
  std::string fault;
  if (parse_place(t, a.request.text("from"), h, &at)) {
    const auto limit = static_cast<uint64_t>(a.request.number("limit", 50, 1, 500));
    JsonWriter& w = a.out;
    w.text("name", atom_text(t.name())).number("objects", t.size()).array("rows");
    Page page(w, t, *spec, limit, h);
    bool more;
    {
      ReaderGuard guard(a.vm.scheduler->progress());  // funs are shown by their module's names
      more = search(t, SearchPlan(*spec, t), at, page, false);
    }
    w.close(']').number("looked_at", page.looked_at);
    w.number("left_out", page.left_out);
    if (more) {
      const std::string next = place_text(t, at, page.last_key);
      next.empty() ? w.boolean("cut", true) : w.text("next", next);
    }
  } else {
    fault = "`from` is no place in that table";
  }
  spec->release();
  return fault;
}

}  // namespace

std::string table_id(const Table* t) { return fmt::format("{:x}", reinterpret_cast<uintptr_t>(t)); }

/// {"table": id or name, "match": "", "limit": 50, "from": ""}
std::string answer_table(RequestContext& a) {
  Table* t = find_table(a.vm, a.request.text("table"));
  if (!t) return "no such table";
  std::string error = read_page(a, *t);
  if (error.empty() && !t->alive()) error = "the table has been deleted meanwhile";
  t->release();
  return error;
}

}  // namespace wb
