#include "term/node_table.h"

#include <catch2/catch.hpp>
#include <thread>

#include "term/atom.h"
#include "term/copy.h"
#include "term/external.h"
#include "term/identifiers.h"
#include "term/instance.h"
#include "term/order.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

Term foreign(Heap& h, Kind kind, const char* node, uint32_t creation, Word data) {
  Term* p = h.alloc(4);
  p[0] = make_header(kind, 3, kind == Kind::ext_ref);
  p[3] = data;
  own_node(h, p, {intern(node), creation});
  return make_boxed(p);
}

struct Machine {
  Machine() {
    instance.nodes.use_clock([](void* self) { return static_cast<Machine*>(self)->now; }, this);
  }
  NodeTable& nodes() { return instance.nodes; }
  TermInstance instance;
  InstanceScope scope{instance};
  uint64_t now = 5 * kSecond;
};

}  // namespace

TEST_CASE("a node is one entry, counted by the terms that name it") {
  Machine m;
  TestHeap h;
  Term pid = foreign(h, Kind::ext_pid, "nt_first@x", 1, 5);
  Term port = foreign(h, Kind::ext_port, "nt_first@x", 1, 5);
  Term other = foreign(h, Kind::ext_pid, "nt_first@x", 2, 5);
  CHECK(boxed_ptr(pid)[1] == boxed_ptr(port)[1]);
  CHECK(boxed_ptr(pid)[1] != boxed_ptr(other)[1]);
  CHECK(node_of(other) == NodeName{intern("nt_first@x"), 2});
  CHECK_FALSE(equal_exact(pid, other));
  {
    TestHeap copies;
    Term copy = copy_term(copies, tuple(h, pid, foreign(h, Kind::ext_ref, "nt_second@x", 9, 1)));
    CHECK(equal_exact(tuple_elements(copy)[0], pid));
    auto known = m.nodes().known();
    REQUIRE(known.size() == 3);
    CHECK(known[0].node == NodeName{intern("nt_first@x"), 1});
    CHECK(known[0].references == 3);
    CHECK(known[1].node == NodeName{intern("nt_first@x"), 2});
    CHECK(known[1].references == 1);
    CHECK(known[2].node == NodeName{intern("nt_second@x"), 9});
    CHECK(known[2].references == 2);
  }
  CHECK(m.nodes().known()[0].references == 2);
}

TEST_CASE("a node to which nobody refers stays for the delay") {
  Machine m;
  {
    TestHeap h, unused;
    foreign(h, Kind::ext_pid, "gone@x", 1, 5);
  }
  REQUIRE(m.nodes().known().size() == 1);
  CHECK(m.nodes().known()[0].references == 0);
  m.now += 59 * kSecond;
  CHECK(m.nodes().known().size() == 1);
  SECTION("then it is forgotten") {
    m.now += kSecond;
    CHECK(m.nodes().known().empty());
  }
  SECTION("unless it is referred to again") {
    {
      TestHeap h;
      foreign(h, Kind::ext_pid, "gone@x", 1, 5);
    }
    m.now += kSecond;
    CHECK(m.nodes().known().size() == 1);  // from now on
    m.now += 60 * kSecond;
    CHECK(m.nodes().known().empty());
  }
  SECTION("or nodes stay for ever, or not at all") {
    m.nodes().set_delay(NodeTable::kForEver);
    m.now += 1000 * kSecond;
    CHECK(m.nodes().known().size() == 1);
    m.nodes().set_delay(0);
    CHECK(m.nodes().known().empty());
  }
}

TEST_CASE("a table of nodes that come and go stays small without anybody asking") {
  Machine m;
  m.nodes().set_delay(0);
  TestHeap kept;
  foreign(kept, Kind::ext_pid, "kept@x", 0, 5);
  size_t most = 0;
  for (uint32_t creation = 1; creation <= 1000; ++creation) {
    TestHeap h;
    foreign(h, Kind::ext_pid, "started_again@x", creation, 5);
    if (creation % 100 == 0) most = std::max(most, m.nodes().known().size());
  }
  CHECK(most == 2);  // the last one is in use
  CHECK(m.nodes().known().size() == 1);
}

TEST_CASE("what one machine knows of nodes another does not") {
  Machine a;
  TestHeap of_a;
  Term pid = foreign(of_a, Kind::ext_pid, "n@x", 1, 5);
  {
    Machine b;
    TestHeap of_b;
    CHECK(b.nodes().known().empty());
    Term same = foreign(of_b, Kind::ext_pid, "n@x", 1, 5);
    CHECK(boxed_ptr(same)[1] != boxed_ptr(pid)[1]);
    CHECK(b.nodes().known().size() == 1);
  }
  CHECK(a.nodes().known()[0].references == 1);
}

TEST_CASE("any thread may hold, copy, release and ask") {
  Machine m;
  m.nodes().set_delay(0);
  intern("t@x");
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&m, n] {
      InstanceScope scope(m.instance);
      for (uint32_t i = 0; i < 2000; ++i) {
        TestHeap h, copies;
        Term pid = foreign(h, Kind::ext_pid, "t@x", i % 7, 5);
        Term copy = copy_term(copies, pid);
        if (!equal_exact(copy, pid) || node_of(copy).creation != i % 7) abort();
        if (i % 16 == static_cast<uint32_t>(n)) m.nodes().known();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(m.nodes().known().empty());
}

TEST_CASE("pids, ports and references of other nodes come back as they went") {
  Machine m;
  TestHeap h;
  for (uint16_t n = 1; n <= 5; ++n) {
    std::vector<uint8_t> bytes = {131, 90, 0, static_cast<uint8_t>(n), 100, 0, 3, 'r', '@', 'x'};
    bytes.insert(bytes.end(), {0, 0, 1, 2});  // the creation
    for (uint8_t i = 0; i < 4 * n; ++i) bytes.push_back(i);
    Term ref = decode_term(h, bytes.data(), bytes.size());
    REQUIRE(is_kind(ref, Kind::ext_ref));
    CHECK(ref_numbers(ref).count == n);
    CHECK(node_of(ref) == NodeName{intern("r@x"), 0x102});
    std::vector<uint8_t> again;
    encode_term(ref, {}, &again);
    CHECK(again == bytes);
  }
  CHECK(m.nodes().known()[0].references == 5);
}
