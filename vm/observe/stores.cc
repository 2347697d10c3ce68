// tables, modules, ports, persistent terms, atoms: what the machine keeps beside processes.
#include <algorithm>
#include <cmath>

#include "gc/fragment.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/ets/persistent_terms.h"
#include "vm/ets/tables.h"
#include "vm/observe/json.h"
#include "vm/observe/makers.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/port/ports.h"
#include "vm/process/table.h"
#include "vm/socket/native_sockets.h"

namespace wb {
namespace {

constexpr size_t kMostKept = 20000;

template <class T, class Key>
void keep_largest(std::vector<T>& items, size_t limit, Key key) {
  auto larger = [&](const T& a, const T& b) { return key(a) > key(b); };
  size_t n = std::min(limit, items.size());
  std::partial_sort(items.begin(), items.begin() + static_cast<ptrdiff_t>(n), items.end(), larger);
  items.resize(n);
}

struct TableSeen {
  Term name, owner;
  TableType type;
  Protection protection;
  bool named, compressed;
  uint32_t keypos;
  uint64_t objects, words, searches, searched;
  CallSite searcher;
  const Table* table;
  uint64_t reads, writes, ns;
  RwLock::Waits waits;
};
struct TableList {
  std::vector<TableSeen> tables;
  uint64_t count = 0, words = 0;
};

void see_table(void* list, Table& t) {
  auto& l = *static_cast<TableList*>(list);
  uint64_t words = t.memory_words();
  ++l.count, l.words += words;
  if (l.tables.size() >= 2 * kMostKept) {
    keep_largest(l.tables, kMostKept, [](const TableSeen& s) { return s.words; });
  }
  l.tables.push_back(
      {t.name(),
       t.owner(),
       t.options.type,
       t.protection(),
       t.options.named,
       t.options.compressed,
       t.options.keypos,
       t.size(),
       words,
       t.searches.load(std::memory_order_relaxed),
       t.searched.load(std::memory_order_relaxed),
       {t.searcher.load(std::memory_order_relaxed), t.searched_at.load(std::memory_order_relaxed)},
       &t,
       t.use.reads.load(std::memory_order_relaxed),
       t.use.writes.load(std::memory_order_relaxed),
       t.use.ns.load(std::memory_order_relaxed),
       t.lock_waits()});
}

/// Of an estimate from so many samples.
uint64_t use_margin(uint64_t samples) {
  return static_cast<uint64_t>(Table::kSampledOne * (1 + std::sqrt(static_cast<double>(samples))));
}

const char* type_text(TableType t) {
  static constexpr const char* kTexts[] = {"set", "bag", "duplicate_bag", "ordered_set"};
  return kTexts[static_cast<int>(t)];
}
const char* protection_text(Protection p) {
  static constexpr const char* kTexts[] = {"public", "protected", "private"};
  return kTexts[static_cast<int>(p)];
}

size_t limit_of(RequestContext& a) {
  return static_cast<size_t>(a.request.number("limit", 200, 1, 5000));
}

}  // namespace

std::string answer_tables(RequestContext& a) {
  TableList list;
  a.vm.ets->each(&list, see_table);
  keep_largest(list.tables, limit_of(a), [](const TableSeen& s) { return s.words; });
  JsonWriter& w = a.out;
  w.number("now_ns", a.vm.scheduler->now_ns()).number("total", list.count);
  w.number("bytes", list.words * sizeof(Term)).array("rows");
  for (const TableSeen& t : list.tables) {
    w.open('{').text("id", table_id(t.table)).text("name", atom_text(t.name));
    w.boolean("named", t.named);
    w.text("owner", to_text(t.owner)).text("type", type_text(t.type));
    w.text("protection", protection_text(t.protection)).number("keypos", t.keypos);
    w.boolean("compressed", t.compressed).number("objects", t.objects);
    w.number("bytes", t.words * sizeof(Term));
    w.number("searches", t.searches).number("searched", t.searched);
    if (is_value(t.searcher.pid)) write_maker(w.object("searcher"), a.vm, t.searcher);
    if (is_value(t.searcher.pid)) w.close('}');
    w.number("reads", t.reads * Table::kSampledOne).number("writes", t.writes * Table::kSampledOne);
    w.number("samples", t.reads + t.writes).number("used_ns", t.ns * Table::kSampledOne);
    w.number("margin", use_margin(t.reads + t.writes))
        .number("lock_waits", t.waits.count)
        .number("lock_wait_ns", t.waits.ns);
    w.close('}');
  }
  w.close(']');
  return {};
}

std::string answer_modules(RequestContext& a) {
  struct Row {
    Term name;
    uint64_t code, literals, functions;
    bool from_image;
    std::string path;
  };
  std::vector<Row> rows;
  Vm& vm = a.vm;
  a.vm.code->each_module([&](const Module& m) {
    rows.push_back({m.name, m.code_words * sizeof(Word), m.literals.words() * sizeof(Word),
                    m.functions.size(), m.from_image, m.path});
  });
  size_t total = rows.size();
  uint64_t bytes = 0;
  for (const Row& row : rows) bytes += row.code + row.literals;
  keep_largest(rows, limit_of(a), [](const Row& r) { return r.code + r.literals; });
  JsonWriter& w = a.out;
  w.number("total", total).number("bytes", bytes).array("rows");
  for (const Row& row : rows) {
    w.open('{').text("name", atom_text(row.name)).number("code_bytes", row.code);
    w.number("literal_bytes", row.literals).number("functions", row.functions);
    w.boolean("has_old", vm.code->find_old_module(row.name) != nullptr);
    w.boolean("from_image", row.from_image).text("path", row.path).close('}');
  }
  w.close(']');
  return {};
}

/// A socket of kernel's `socket`, which is no port, among the ports.
static void socket_row(JsonWriter& w, NativeSocket& s) {
  Term owner;
  NativeCounters c;
  {
    NativeSocket::Guard guard(s.lock);
    owner = s.owner, c = s.counters;
  }
  w.open('{').text("id", "socket").text("name", "socket");
  w.text("owner", owner == kNone ? "" : to_text(owner)).text("os_pid", "undefined");
  w.text("bytes_in", std::to_string(c.read_byte));
  w.text("bytes_out", std::to_string(c.write_byte + c.sendfile_byte));
  w.text("queue", "0").text("about", s.about()).close('}');
}

std::string answer_ports(RequestContext& a) {
  std::vector<Term> ids = a.vm.ports->all();
  JsonWriter& w = a.out;
  w.number("total", ids.size() + a.vm.ports->sockets->census().all).array("rows");
  size_t n = 0, limit = limit_of(a);
  for (Term id : ids) {
    std::shared_ptr<Port> port = a.vm.ports->find(id);
    if (!port || n++ == limit) continue;
    FragmentHeap h(64);
    auto number = [&](const char* key, Term item) {
      w.key(key).text(to_text(port->info(h, item)));
    };
    w.open('{').text("id", to_text(id)).text("name", port->name());
    number("owner", am::connected), number("os_pid", am::os_pid);
    number("bytes_in", am::input), number("bytes_out", am::output);
    number("queue", am::queue_size);
    w.text("about", port->about());
    w.close('}');
  }
  for (NativeSocket* s : a.vm.ports->sockets->all()) {
    if (n++ < limit) socket_row(w, *s);
    s->release();
  }
  w.close(']');
  return {};
}

/// What each is: a value may be anything, so its size is not looked for.
std::string answer_persistent_terms(RequestContext& a) {
  constexpr PrintOptions kShort = {true, true, 200};
  constexpr size_t kEntry = 5;  // words in the list
  const PersistentTerms& terms = *a.vm.persistent_terms;
  JsonWriter& w = a.out;
  w.number("total", terms.count()).number("bytes", terms.words() * sizeof(Term)).array("rows");
  size_t limit = limit_of(a);
  ReaderGuard guard(a.vm.scheduler->progress());  // values live as long as this
  FragmentHeap h(terms.count() * kEntry + 64);
  for (Term l = terms.all(h); is_cons(l) && limit; l = tail(l), --limit) {
    const Term* e = tuple_elements(head(l));
    w.open('{').text("name", to_text(e[0], kShort)).text("value", to_text(e[1], kShort)).close('}');
  }
  w.close(']');
  return {};
}

}  // namespace wb
