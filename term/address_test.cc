#include "term/address.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "term/atom.h"
#include "term/identifiers.h"
#include "term/instance.h"
#include "term/order.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

Term foreign(Heap& h, Kind kind, const char* node, uint32_t creation, Word data) {
  Term* p = h.alloc(4);
  p[0] = make_header(kind, 3);
  p[3] = data;
  own_node(h, p, {intern(node), creation});
  return make_boxed(p);
}

struct Machine {
  Machine() { instance.nodes.set_delay(0); }
  TermInstance instance;
  InstanceScope scope{instance};
};

}  // namespace

TEST_CASE("the address of anybody here is the term's own word") {
  Machine m;
  TestHeap h;
  for (Term t : {make_pid(5, 7), make_pid(0xfffffff, UINT32_MAX), make_port(0), make_port(9),
                 am::code_server, am::true_}) {
    HeldAddress a = address_of(t);
    CHECK(a);
    CHECK_FALSE(a->is_remote());
    CHECK(a->word() == t);
    CHECK(term_of(a, h) == t);
    CHECK(node_of(a) == local_node());
    CHECK(a->is_local_pid() == is_local_pid(t));
    CHECK(a->is_local_port() == is_local_port(t));
    CHECK(a->is_name() == is_atom(t));
  }
  for (Term t : {make_small(1), kNil, make_float(h, 1.5), tuple(h, am::ok, make_small(1)),
                 tuple(h, am::ok, am::ok, am::ok)}) {
    CHECK_FALSE(address_of(t));
  }
  CHECK(term_of(Address(), h) == kNone);
  CHECK(m.instance.remotes.size() == 0);
}

TEST_CASE("an address on another node is one word while anybody counts") {
  Machine m;
  TestHeap h;
  const Word number = 5 | Word{UINT32_MAX} << 32;
  Term pid = foreign(h, Kind::ext_pid, "far@x", 1, number);
  {
    HeldAddress a = address_of(pid),
                again = address_of(foreign(h, Kind::ext_pid, "far@x", 1, number));
    CHECK(a->is_remote());
    CHECK(a == again);
    CHECK_FALSE((a->is_local_pid() || a->is_local_port() || a->is_name()));
    CHECK(equal_exact(term_of(a, h), pid));
    CHECK(node_of(a) == NodeName{intern("far@x"), 1});
    CHECK(m.instance.remotes.size() == 1);
    std::vector<HeldAddress> others;
    others.push_back(address_of(foreign(h, Kind::ext_pid, "far@x", 2, number)));
    others.push_back(address_of(foreign(h, Kind::ext_pid, "farther@x", 1, number)));
    others.push_back(address_of(foreign(h, Kind::ext_pid, "far@x", 1, number + 1)));
    others.push_back(address_of(foreign(h, Kind::ext_port, "far@x", 1, number)));
    others.push_back(address_of(tuple(h, am::code_server, intern("far@x"))));
    for (const HeldAddress& other : others) CHECK_FALSE(a == other);
    CHECK(is_kind(term_of(others[3], h), Kind::ext_port));
    CHECK(port_data(term_of(others[3], h)) == number);
    Term name = term_of(others[4], h);
    CHECK(equal_exact(name, tuple(h, am::code_server, intern("far@x"))));
    CHECK(m.instance.remotes.size() == 6);
    others.resize(1);
    CHECK(m.instance.remotes.size() == 2);
    HeldAddress copy = a;
    again = HeldAddress();
    a = HeldAddress();
    CHECK(m.instance.remotes.size() == 2);
  }
  CHECK(m.instance.remotes.size() == 0);
  // A name at this node is one here.
  CHECK(address_of(tuple(h, am::code_server, local_node().name))->word() == am::code_server);
}

TEST_CASE("an address keeps its node known") {
  Machine m;
  HeldAddress a;
  {
    TestHeap h;
    a = address_of(foreign(h, Kind::ext_pid, "held@x", 1, 5));
  }
  REQUIRE(m.instance.nodes.known().size() == 1);
  CHECK(m.instance.nodes.known()[0].references == 1);
  a = HeldAddress();
  CHECK(m.instance.nodes.known().empty());
}

TEST_CASE("our own addresses stay the same when the node gets a name") {
  Machine m;
  TestHeap h;
  Term pid = make_pid(5, 7);
  HeldAddress before = address_of(pid);
  set_local_node({intern("named@x"), 4});
  CHECK(before == address_of(pid));
  CHECK(node_of(before) == NodeName{intern("named@x"), 4});
  CHECK(address_of(tuple(h, am::ok, am::nonode_at_nohost))->is_remote());
}

TEST_CASE("any thread may hold and release the same address") {
  Machine m;
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&m] {
      InstanceScope scope(m.instance);
      TestHeap h;
      Term pids[] = {foreign(h, Kind::ext_pid, "t@x", 1, 5),
                     foreign(h, Kind::ext_pid, "t@x", 1, 6)};
      for (int i = 0; i < 5000; ++i) {
        HeldAddress a = address_of(pids[i % 2]), b = a;
        if (!equal_exact(term_of(b, h), pids[i % 2])) abort();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(m.instance.remotes.size() == 0);
  CHECK(m.instance.nodes.known().empty());
}
