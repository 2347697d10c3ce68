// The C and C++ interfaces of libwhitebeam.so, as a program sees them.
#include <poll.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <cstring>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

#include <whitebeam.hpp>

using namespace whitebeam;
using namespace std::chrono_literals;

namespace {

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}
std::string version(int n) {
  return file(std::string(WB_BEAMS "/v") + std::to_string(n) + "/embedded.beam");
}

wb_settings settings(uint32_t flags = 0, uint32_t schedulers = 1) {
  wb_settings s = WB_SETTINGS_INIT;
  s.flags = flags;
  s.schedulers = flags & WB_STEPPED ? 0 : schedulers;
  return s;
}

/// A machine with our module, and an environment.
struct Machine {
  explicit Machine(uint32_t flags = 0, uint32_t schedulers = 1)
      : vm(settings(flags, schedulers)), env(vm) {
    vm.load(version(1));
  }
  Term call(const char* function, const std::vector<Term>& arguments = {},
            Microseconds timeout = forever) {
    return env.call("embedded", function, arguments, timeout);
  }
  Vm vm;
  Env env;
};

wb_result code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.code;
  }
  return WB_OK;
}
/// On threads of a test's own, where the test's macros must not be used.
void must(wb_result r) {
  if (r != WB_OK) throw Error(r);
}
bool error_has(const char* text) { return strstr(wb_error(), text) != nullptr; }

}  // namespace

// --- settings ------------------------------------------------------------------------------------
/// Destroyed when main is over, after whatever its machine has made.
static std::unique_ptr<Machine> until_the_end;

TEST_CASE("a static object's machine ends with the program") {
  until_the_end = std::make_unique<Machine>();
  CHECK(until_the_end->env.call("lists", "max", {until_the_end->env.list({1, 3, 2})}).integer() == 3);
}

TEST_CASE("settings: what is unknown or cannot be is said") {
  wb_vm* vm = nullptr;
  auto refused = [&](wb_settings s, const char* why) {
    return wb_vm_create(&s, &vm) == WB_BAD_SETTING && error_has(why);
  };
  wb_settings s = WB_SETTINGS_INIT;
  s.flags = 1 << 20;
  CHECK(refused(s, "flags"));
  s = WB_SETTINGS_INIT;
  s.schedulers = 5000;
  CHECK(refused(s, "schedulers"));
  s = WB_SETTINGS_INIT;
  s.jit = "fast";
  CHECK(refused(s, "\"fast\""));
  s = WB_SETTINGS_INIT;
  s.otp_root = "/nowhere";
  CHECK(refused(s, "/nowhere"));
  s = WB_SETTINGS_INIT;
  s.max_processes = 3;
  CHECK(refused(s, "max_processes"));
  s = WB_SETTINGS_INIT;
  s.flags = WB_STEPPED;
  s.schedulers = 2;
  CHECK(refused(s, "stepped"));
  s = WB_SETTINGS_INIT;
  s.size = 4;
  CHECK(refused(s, "size"));
  CHECK(wb_vm_create(nullptr, nullptr) == WB_BAD_ARGUMENT);
}

TEST_CASE("settings: those of other versions") {
  struct Newer {
    wb_settings known;
    uint64_t unknown;
  } newer = {WB_SETTINGS_INIT, 1};
  newer.known.size = sizeof newer;
  wb_vm* vm = nullptr;
  CHECK(wb_vm_create(&newer.known, &vm) == WB_BAD_SETTING);
  CHECK(error_has("does not know"));
  newer.unknown = 0;
  newer.known.schedulers = 1;
  REQUIRE(wb_vm_create(&newer.known, &vm) == WB_OK);
  CHECK(wb_vm_destroy(vm) == WB_OK);
  wb_settings shorter = settings();
  shorter.size = offsetof(wb_settings, max_memory);
  shorter.jit = "not looked at";
  REQUIRE(wb_vm_create(&shorter, &vm) == WB_OK);
  CHECK(wb_vm_destroy(vm) == WB_OK);
  CHECK(wb_version() == 1000);
}

TEST_CASE("settings: by name") {
  wb_settings s = WB_SETTINGS_INIT;
  CHECK(wb_settings_set(&s, "schedulers", "2") == WB_OK);
  CHECK(s.schedulers == 2);
  CHECK(wb_settings_set(&s, "stepped", "1") == WB_OK);
  CHECK(s.flags == WB_STEPPED);
  CHECK(wb_settings_set(&s, "jit", "baseline") == WB_OK);
  CHECK(wb_settings_set(&s, "schedulers", "two") == WB_BAD_SETTING);
  CHECK(wb_settings_set(&s, "schedulers", "-1") == WB_BAD_SETTING);
  CHECK(wb_settings_set(&s, "colour", "red") == WB_BAD_SETTING);
  CHECK(error_has("\"colour\""));
  CHECK(wb_settings_set(&s, nullptr, "2") == WB_BAD_ARGUMENT);
}

// --- terms ---------------------------------------------------------------------------------------
TEST_CASE("terms: made, read, compared, printed") {
  Machine m;
  Env& e = m.env;
  CHECK(e.make(INT64_MIN).integer() == INT64_MIN);
  CHECK(e.make(UINT64_MAX).natural() == UINT64_MAX);
  CHECK(code_of([&] { e.make(UINT64_MAX).integer(); }) == WB_LIMIT);
  CHECK(e.make(-2.5).number() == -2.5);
  CHECK(e.make(3).number() == 3.0);
  CHECK(code_of([&] { e.make(0.0 / 0.0); }) == WB_BAD_ARGUMENT);
  CHECK(e.atom("grün").atom() == "grün");
  CHECK(code_of([&] { e.atom("\xff"); }) == WB_BAD_ARGUMENT);
  CHECK(code_of([&] { e.atom(std::string(256, 'a')); }) == WB_BAD_ARGUMENT);
  const std::string large(100'000, 'x');
  CHECK(e.make(large).bytes() == large);
  CHECK(e.make("").bytes() == "");
  CHECK(e.string("äb").elements()[0].integer() == 228);
  const Term t = e.tuple(e.atom("a"), 1, "b", std::vector<int>{1, 2}, true);
  CHECK(t.text() == "{a,1,<<\"b\">>,[1,2],true}");
  CHECK(t.size() == 5);
  CHECK(t[1].integer() == 1);
  CHECK(code_of([&] { t[5]; }) == WB_BAD_ARGUMENT);
  CHECK(code_of([&] { t.integer(); }) == WB_BAD_ARGUMENT);
  Term map = e.map({{e.atom("k"), e.make(1)}, {e.make(2), e.make("two")}});
  CHECK(map.size() == 2);
  CHECK(map.find(e.make(2))->bytes() == "two");
  CHECK(!map.find(e.make(2.0)));
  map = e.put(map, e.atom("new"), e.list());
  CHECK(map.size() == 3);
  wb_term keys;
  REQUIRE(wb_map_keys(e.handle(), map.handle(), &keys) == WB_OK);
  CHECK(Term(e.handle(), keys).elements().size() == 3);
  CHECK(e.make(1) < e.make(2.5));
  CHECK(!(e.make(1) == e.make(1.0)));
  CHECK(e.ref().kind() == WB_KIND_REF);
  CHECK(!(e.ref() == e.ref()));
  CHECK(e.decode(map.encoded()) == map);
  CHECK(code_of([&] { e.decode("\x83\x68"); }) == WB_BAD_ARGUMENT);
  CHECK(code_of([&] { e.decode(std::string("\x83\x61\x01\x02", 4)); }) == WB_BAD_ARGUMENT);
  Env other(m.vm);
  const Term copy = other.copy(t);
  e.clear();
  CHECK(copy.text() == "{a,1,<<\"b\">>,[1,2],true}");
}

TEST_CASE("terms: of Erlang's own, and a binary within bits") {
  Machine m;
  const Term self = m.env.call("erlang", "self");
  CHECK(self.kind() == WB_KIND_PID);
  CHECK(
      m.env.call("erlang", "make_fun", {m.env.atom("a"), m.env.atom("b"), m.env.make(1)}).kind() ==
      WB_KIND_FUN);
  const Term parts = m.env.call("binary", "split", {m.env.make("left;right"), m.env.make(";")});
  CHECK(parts.elements().at(1).bytes() == "right");
  const Term big = m.env.call("math", "pow", {m.env.make(2), m.env.make(100)});
  CHECK(big.kind() == WB_KIND_FLOAT);
  CHECK(m.env.call("erlang", "bsl", {m.env.make(1), m.env.make(100)}).kind() == WB_KIND_INTEGER);
}

TEST_CASE("terms: handles that are none") {
  Machine m;
  wb_env* e = m.env.handle();
  CHECK(wb_make_integer(nullptr, 1) == WB_NONE);
  CHECK(error_has("environment"));
  CHECK(wb_make_integer(reinterpret_cast<wb_env*>(m.vm.handle()), 1) == WB_NONE);
  const wb_term none[] = {WB_NONE, wb_make_integer(e, 1)};
  CHECK(wb_make_tuple(e, 2, none) == WB_NONE);
  CHECK(wb_make_list(e, 2, none) == WB_NONE);
  CHECK(wb_make_tuple(e, 2, nullptr) == WB_NONE);
  CHECK(wb_make_atom(e, nullptr) == WB_NONE);
  int64_t n;
  CHECK(wb_get_integer(e, WB_NONE, &n) == WB_BAD_ARGUMENT);
  CHECK(wb_get_integer(e, none[1], nullptr) == WB_BAD_ARGUMENT);
  CHECK(wb_vm_status(nullptr, nullptr) == WB_BAD_ARGUMENT);
  CHECK(wb_vm_status(reinterpret_cast<wb_vm*>(e), nullptr) == WB_BAD_ARGUMENT);
  CHECK(wb_vm_destroy(nullptr) == WB_BAD_ARGUMENT);
  CHECK(wb_detach(nullptr, nullptr, WB_NONE) == WB_BAD_ARGUMENT);
  wb_term value;
  CHECK(wb_call(e, "lists", "sum", WB_NONE, 0, &value) == WB_BAD_ARGUMENT);
  CHECK(wb_call(e, "lists", "sum", wb_make_cons(e, none[1], none[1]), 0, &value) ==
        WB_BAD_ARGUMENT);
  CHECK(wb_env_new(nullptr, nullptr) == WB_BAD_ARGUMENT);
  wb_env_free(nullptr);
}

// --- calls ---------------------------------------------------------------------------------------
TEST_CASE("calls: values, exceptions, time-outs", "[calls]") {
  const uint32_t flags = GENERATE(0u, uint32_t{WB_STEPPED});
  Machine m(flags);
  Env& e = m.env;
  CHECK(e.call("lists", "sum", {e.list({1, 2, 3})}).integer() == 6);
  CHECK(m.call("sleep", {e.make(30)}).is("slept"));
  CHECK(m.call("sort", {e.make(200'000)}).integer() == 200'000ll * 200'001);
  auto failure = [&](const char* module, const char* function, const std::vector<Term>& arguments) {
    try {
      return e.call(module, function, arguments).text();
    } catch (const Exception& x) {
      return x.error_class + ":" + x.reason_text;
    }
  };
  CHECK(failure("erlang", "error", {e.atom("oops")}) == "error:oops");
  CHECK(failure("erlang", "throw", {e.atom("ball")}) == "throw:ball");
  CHECK(failure("erlang", "exit", {e.atom("bye")}) == "exit:bye");
  CHECK(failure("no_such", "thing", {}) == "error:undef");
  CHECK(failure("embedded", "killed", {}) == "exit:killed");
  CHECK(failure("erlang", "spawn_link", {e.atom("erlang"), e.atom("exit"), e.list({e.atom("x")})})
            .find("<") == 0);
  try {
    Env inner(m.vm);
    inner.call("erlang", "error", {inner.tuple(inner.atom("bad"), 1)});
  } catch (const Exception& x) {  // the environment of the call is gone
    CHECK(x.reason(e) == e.tuple(e.atom("bad"), 1));
    CHECK(x.trace_text.find("whitebeam_host") != std::string::npos);
    CHECK(std::string(x.what()).find("{bad,1}") != std::string::npos);
  }
  CHECK(code_of([&] { m.call("wait_forever", {}, 20ms); }) == WB_TIMEOUT);
  CHECK(code_of([&] { m.call("loop", {}, 20ms); }) == WB_TIMEOUT);
  CHECK(e.call("lists", "sum", {e.list({1})}).integer() == 1);
}

TEST_CASE("calls: by many threads at once") {
  Machine m(0, 2);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Env e(m.vm);
      for (int k = 0; k < 100; ++k) {
        right += e.call("lists", "sum", {e.list({t, k})}).integer() == t + k;
        e.clear();
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK(right == 400);
}

TEST_CASE("messages: to pids and names, from nobody") {
  Machine m;
  Env& e = m.env;
  const Term pid = e.spawn("embedded", "counter", {e.make(1)});
  e.call("erlang", "register", {e.atom("the_counter"), pid});
  e.send(pid, e.tuple(e.atom("add"), 2));
  e.send(e.atom("the_counter"), e.tuple(e.atom("add"), 3));
  CHECK(*e.whereis("the_counter") == pid);
  CHECK(!e.whereis("nobody_here"));
  CHECK(code_of([&] { e.send(e.atom("nobody_here"), pid); }) == WB_NOT_FOUND);
  CHECK(code_of([&] { e.send(e.make(1), pid); }) == WB_BAD_ARGUMENT);
  Thread me(m.vm);
  me.send(pid, e.tuple(e.atom("get"), me.self(e)));
  CHECK(me.receive(e)->text() == "{count,6}");
}

// --- code ----------------------------------------------------------------------------------------
TEST_CASE("code: loaded from memory, upgraded while it runs, refused") {
  const uint32_t flags = GENERATE(0u, uint32_t{WB_STEPPED});
  Machine m(flags);
  Env& e = m.env;
  CHECK(m.call("version").integer() == 1);
  const Term server = e.spawn("embedded", "server");
  CHECK(m.call("ask", {server}).integer() == 1);
  CHECK(m.vm.load(version(2)) == "embedded");
  CHECK(m.call("version").integer() == 2);
  CHECK(m.call("ask", {server}).integer() == 1);
  e.send(server, e.atom("upgrade"));
  CHECK(m.call("ask", {server}).integer() == 2);
  m.vm.load(version(1));
  m.vm.load(version(2));
  CHECK(!e.call("erlang", "is_process_alive", {server}).is("true"));  // it was in one too old
  CHECK(code_of([&] { m.vm.load("no beam file"); }) == WB_BAD_MODULE);
  CHECK(code_of([&] { m.vm.load(""); }) == WB_BAD_MODULE);
  const std::string whole = version(1);
  CHECK(code_of([&] { m.vm.load(whole.substr(0, whole.size() / 2)); }) == WB_BAD_MODULE);
  for (size_t at = 20; at < whole.size(); at += 97) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x55);
    const wb_result r = code_of([&] { m.vm.load(broken); });
    CHECK((r == WB_OK || r == WB_BAD_MODULE));
    if (r != WB_OK) CHECK(strlen(wb_error()) > 5);
  }
  m.vm.load(whole);
  CHECK(m.call("version").integer() == 1);
}

// --- threads that are processes ------------------------------------------------------------------
TEST_CASE("threads: order, matching, time-outs", "[threads]") {
  const uint32_t flags = GENERATE(0u, uint32_t{WB_STEPPED});
  Machine m(flags);
  Env& e = m.env;
  Thread me(m.vm);
  const Term self = me.self(e), echo = e.spawn("embedded", "echo");
  for (int k = 0; k < 100; ++k) me.send(echo, e.tuple(self, k));
  CHECK((*me.receive(e, forever, [](Term t) { return t[1].integer() == 50; }))[1].integer() == 50);
  for (int k = 0; k < 100; ++k) {
    if (k != 50) CHECK((*me.receive(e))[1].integer() == k);
  }
  CHECK(!me.receive(e, 10ms));
  CHECK(!me.receive(e, 0ms, [](Term) { return true; }));
  me.name("the_host");
  CHECK(code_of([&] { me.name("the_host"); }) == WB_BAD_ARGUMENT);
  e.send(e.atom("the_host"), e.atom("hello"));
  CHECK(me.receive(e, 5s)->is("hello"));
  me.send(e.atom("the_host"), e.atom("myself"));
  CHECK(me.receive(e, 5s)->is("myself"));
  me.send(e.tuple(e.atom("the_host"), e.call("erlang", "node")), e.atom("by_node"));
  CHECK(me.receive(e, 5s)->is("by_node"));
  CHECK(code_of([&] { me.send(e.atom("nobody_here"), self); }) == WB_NOT_FOUND);
  me.send(echo, e.tuple(self, "x"));
  struct Odd {};
  CHECK_THROWS_AS(me.receive(e, 5s, [](Term) -> bool { throw Odd(); }), Odd);
  CHECK(wb_unregister(me.handle(), "the_host") == WB_OK);
  CHECK(!e.whereis("the_host"));
}

TEST_CASE("threads: links and monitors", "[threads]") {
  Machine m;
  Env& e = m.env;
  Thread me(m.vm);
  const Term self = me.self(e);
  const Term one = e.spawn("embedded", "wait_forever");
  const Term ref = me.monitor(one);
  e.call("erlang", "exit", {one, e.atom("kill")});
  const Term down = *me.receive(e);
  CHECK(down[0].is("DOWN"));
  CHECK(down[1] == ref);
  CHECK(down[4].is("killed"));
  me.monitor(one);
  CHECK((*me.receive(e))[4].is("noproc"));
  const Term two = e.spawn("embedded", "wait_forever"), third = me.monitor(two);
  me.demonitor(third);
  e.call("erlang", "exit", {two, e.atom("kill")});
  CHECK(!me.receive(e, 20ms));
  const Term four = me.monitor(one);
  std::this_thread::sleep_for(20ms);
  me.demonitor(four);  // its message has come already
  CHECK(!me.receive(e, 20ms));
  e.spawn("embedded", "link_and_exit", {self});
  CHECK((*me.receive(e))[2].is("crashed"));
  CHECK(code_of([&] { me.link(e.make(1)); }) == WB_BAD_ARGUMENT);
  const Term five = e.spawn("embedded", "wait_forever");
  me.link(five);
  me.unlink(five);
  me.trap_exit(false);
  e.spawn("embedded", "link_and_exit", {self});
  wb_term reason;
  CHECK(wb_receive(me.handle(), e.handle(), nullptr, nullptr, WB_FOREVER, &reason) == WB_EXITED);
  CHECK(Term(e.handle(), reason).is("crashed"));
  CHECK(!e.call("erlang", "is_process_alive", {self}).is("true"));
  CHECK(code_of([&] { me.link(five); }) == WB_EXITED);
}

TEST_CASE("threads: one that is killed, one that detaches, one that dies", "[threads]") {
  const uint32_t flags = GENERATE(0u, uint32_t{WB_STEPPED});
  Machine m(flags);
  Env& e = m.env;
  Thread me(m.vm);
  auto reported = [&](Term pid) {
    e.spawn("embedded", "monitor_for", {pid, me.self(e)});
    const auto message = me.receive(e, 5s);
    return message ? (*message)[1].text() : "nothing";
  };
  {
    Thread victim(m.vm);
    e.call("erlang", "exit", {victim.self(e), e.atom("kill")});
    wb_term reason;
    CHECK(wb_receive(victim.handle(), e.handle(), nullptr, nullptr, WB_FOREVER, &reason) ==
          WB_EXITED);
    CHECK(Term(e.handle(), reason).is("killed"));
  }
  wb_thread* leaving;
  REQUIRE(wb_attach(m.vm.handle(), &leaving) == WB_OK);
  wb_term pid;
  REQUIRE(wb_self(leaving, e.handle(), &pid) == WB_OK);
  me.monitor(Term(e.handle(), pid));
  REQUIRE(wb_detach(leaving, e.handle(), e.tuple(e.atom("gone"), 1).handle()) == WB_OK);
  CHECK((*me.receive(e, 5s))[4].text() == "{gone,1}");
  std::promise<std::string> of_thread;
  std::promise<void> watched;
  std::thread dying([&] {
    Env mine(m.vm);
    wb_thread* t;
    must(wb_attach(m.vm.handle(), &t));
    wb_term self;
    must(wb_self(t, mine.handle(), &self));
    of_thread.set_value(Term(mine.handle(), self).encoded());
    watched.get_future().wait();
  });
  const Term dead = e.decode(of_thread.get_future().get());
  me.monitor(dead);
  watched.set_value();
  dying.join();
  CHECK((*me.receive(e, 5s))[4].is("host_thread_ended"));
  CHECK(reported(dead) == "noproc");
}

TEST_CASE("threads: only by whoever attached", "[threads]") {
  Machine m;
  Thread me(m.vm);
  wb_result asked = WB_OK, detached = WB_OK;
  std::thread([&] {
    Env e(m.vm);
    wb_term pid;
    asked = wb_self(me.handle(), e.handle(), &pid);
    detached = wb_detach(me.handle(), nullptr, WB_NONE);
  }).join();
  CHECK(asked == WB_WRONG_THREAD);
  CHECK(detached == WB_WRONG_THREAD);
  Machine other;
  wb_term pid;
  CHECK(wb_self(me.handle(), other.env.handle(), &pid) == WB_BAD_ARGUMENT);
}

// --- native functions ----------------------------------------------------------------------------
TEST_CASE("natives: results, exceptions of both languages, threads", "[natives]") {
  const uint32_t flags = GENERATE(0u, uint32_t{WB_STEPPED});
  Machine m(flags);
  Env& e = m.env;
  m.vm.function("host", "twice", 1, [](Env& c, auto a) { return c.make(2 * a[0].integer()); });
  m.vm.function("host", "both", 2, [](Env& c, auto a) { return c.tuple(a[1], a[0], c.caller()); });
  m.vm.function("host", "raise", 1, [](Env&, auto a) -> Term { throw Raise{a[0], "throw"}; });
  m.vm.function("host", "throws", 0, [](Env&, auto) -> Term { throw std::runtime_error("burnt"); });
  m.vm.function("host", "odd", 0, [](Env&, auto) -> Term { throw 5; });
  m.vm.function("host", "wrong", 1, [](Env& c, auto a) { return c.make(a[0].integer()); });
  const auto main_thread = std::this_thread::get_id();
  std::atomic<bool> on_caller{false};
  m.vm.function("host", "where", 0, [&](Env& c, auto) {
    on_caller = std::this_thread::get_id() == main_thread;
    return c.make(true);
  });
  m.vm.function(
      "host", "slow", 1,
      [](Env& c, auto a) {
        std::this_thread::sleep_for(20ms);
        return c.tuple(c.atom("slow"), a[0]);
      },
      Native::blocks);
  CHECK(m.call("natives", {e.make(1000)}).integer() == 1001000);
  CHECK(e.call("host", "both", {e.make(1), e.list({2})})[0].text() == "[2]");
  auto failure = [&](const char* function, const std::vector<Term>& arguments = {}) {
    try {
      return e.call("host", function, arguments).text();
    } catch (const Exception& x) {
      return x.error_class + ":" + x.reason_text;
    }
  };
  CHECK(failure("raise", {e.atom("stone")}) == "throw:stone");
  CHECK(failure("throws") == "error:{cpp_exception,<<\"burnt\">>}");
  CHECK(failure("odd") == "error:cpp_exception");
  CHECK(failure("wrong", {e.atom("x")}).find("error:{cpp_exception") == 0);
  CHECK(failure("none") == "error:undef");
  CHECK(failure("slow", {e.make(7)}) == "{slow,7}");
  e.call("host", "where");
  CHECK(on_caller == bool(flags & WB_STEPPED));
  CHECK(wb_native_function(
            m.vm.handle(), "erlang", "self", 0,
            [](wb_env*, void*, size_t, const wb_term*) { return WB_NONE; }, nullptr,
            0) == WB_BAD_ARGUMENT);
  CHECK(wb_native_function(m.vm.handle(), "host", "x", 0, nullptr, nullptr, 0) == WB_BAD_ARGUMENT);
  CHECK(wb_raise(e.handle(), "error", e.make(1).handle()) == WB_NONE);
}

TEST_CASE("natives: in the place of a module's own function; what would wait", "[natives]") {
  Machine m;
  Env& e = m.env;
  m.vm.function("embedded", "version", 0, [](Env& c, auto) { return c.make(99); });
  CHECK(m.call("version").integer() == 99);
  m.vm.load(version(2));
  CHECK(m.call("version").integer() == 99);
  std::vector<wb_result> inside;
  m.vm.function("host", "waits", 0, [&](Env& c, auto) {
    Env own(m.vm);
    inside.push_back(code_of([&] { own.call("erlang", "self"); }));
    inside.push_back(code_of([&] { m.vm.load(version(1)); }));
    inside.push_back(wb_vm_destroy(m.vm.handle()));
    const Term pid = c.spawn("embedded", "wait_forever");
    c.send(pid, c.atom("never"));
    return pid;
  });
  CHECK(e.call("host", "waits").kind() == WB_KIND_PID);
  CHECK(inside == std::vector<wb_result>(3, WB_WOULD_WAIT));
}

TEST_CASE("resources: go when Erlang has let go of them", "[natives]") {
  struct Canary {
    std::atomic<int>& alive;
    explicit Canary(std::atomic<int>& n) : alive(n) { ++alive; }
    ~Canary() { --alive; }
  };
  std::atomic<int> alive{0};
  {
    Machine m;
    Env& e = m.env;
    const Term holder = e.spawn("embedded", "hold", {e.resource(std::make_shared<Canary>(alive))});
    m.vm.function("host", "look", 1, [](Env& c, auto a) {
      return c.make(a[0].template resource<Canary>().alive.load());
    });
    CHECK(e.call("host", "look", {e.resource(std::make_shared<Canary>(alive))}).integer() == 2);
    CHECK(alive == 2);
    CHECK(code_of([&] { e.ref().resource<Canary>(); }) == WB_BAD_ARGUMENT);
    CHECK(code_of([&] { e.resource(std::make_shared<int>(1)).resource<Canary>(); }) ==
          WB_BAD_ARGUMENT);
    Env f(m.vm);
    const Term again = f.copy(holder);
    e.clear();
    f.send(again, f.atom("drop"));
    for (int k = 0; k < 500 && alive; ++k) std::this_thread::sleep_for(10ms);
    CHECK(alive == 0);
    f.spawn("embedded", "hold", {f.resource(std::make_shared<Canary>(alive))});
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

// --- steps ---------------------------------------------------------------------------------------
TEST_CASE("steps: time, timers, what is to be waited for", "[steps]") {
  Machine m(WB_STEPPED);
  Env& e = m.env;
  Thread me(m.vm);
  const Term busy = e.spawn("embedded", "loop");
  for (int k = 0; k < 20; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(m.vm.step(2ms));
    CHECK(std::chrono::steady_clock::now() - begin < 200ms);
    CHECK(m.vm.next() == 0us);
  }
  e.call("erlang", "exit", {busy, e.atom("kill")});
  while (m.vm.next() == 0us) m.vm.step(2ms);
  e.spawn("erlang", "send_after", {e.make(500), me.self(e), e.atom("late")});
  e.spawn("timer", "sleep", {e.make(400)});
  while (m.vm.next() == 0us) m.vm.step(2ms);
  CHECK(m.vm.next() != forever);
  CHECK(m.vm.next() <= 402ms);
  bool came = false;
  for (int k = 0; k < 5000 && !came; ++k) {
    std::this_thread::sleep_for(1ms);
    m.vm.step(1ms);
    came = me.receive(e, 0ms).has_value();
  }
  CHECK(came);
  while (m.vm.next() == 0us) m.vm.step(2ms);
  pollfd fd{m.vm.descriptor(), POLLIN, 0};
  CHECK(poll(&fd, 1, 0) == 0);
  const std::string self = me.self(e).encoded();
  std::thread([&] {
    Env other(m.vm);
    other.send(other.decode(self), other.atom("from_outside"));
  }).join();
  CHECK(poll(&fd, 1, 5000) == 1);
  CHECK(me.receive(e, 5s)->is("from_outside"));
}

TEST_CASE("steps: one thread, not within each other, not of a machine with threads", "[steps]") {
  Machine m(WB_STEPPED), usual;
  CHECK(wb_vm_step(usual.vm.handle(), 1000) == WB_BAD_ARGUMENT);
  CHECK(wb_vm_descriptor(usual.vm.handle()) == -1);
  m.vm.step(1ms);
  wb_result elsewhere = WB_OK, destroyed = WB_OK, within = WB_OK;
  std::thread([&] {
    elsewhere = wb_vm_step(m.vm.handle(), 1000);
    destroyed = wb_vm_destroy(m.vm.handle());
  }).join();
  CHECK(elsewhere == WB_WRONG_THREAD);
  CHECK(destroyed == WB_WRONG_THREAD);
  m.vm.function("host", "steps", 0, [&](Env& c, auto) {
    within = wb_vm_step(m.vm.handle(), 1000);
    return c.make(Machine(WB_STEPPED).call("version").integer());  // another one is no matter
  });
  CHECK(m.env.call("host", "steps").integer() == 1);
  CHECK(within == WB_WOULD_WAIT);
}

// --- several; ends -------------------------------------------------------------------------------
TEST_CASE("several machines: each has its own", "[ends]") {
  Machine a, b(WB_STEPPED), c;
  b.vm.load(version(2));
  CHECK(a.call("version").integer() == 1);
  CHECK(b.call("version").integer() == 2);
  CHECK(c.call("version").integer() == 1);
  Thread in_a(a.vm), in_b(b.vm);
  const std::string pid = in_a.self(a.env).encoded();
  in_a.send(in_a.self(a.env), a.env.atom("a"));
  in_b.send(in_b.self(b.env), b.env.atom("b"));
  CHECK(in_b.receive(b.env, 5s)->is("b"));
  CHECK(in_a.receive(a.env, 5s)->is("a"));
}

TEST_CASE("ends: destroyed while others wait in it and processes run", "[ends]") {
  const int round = GENERATE(range(0, 3));
  wb_vm* vm;
  const wb_settings s = settings(0, 2);
  REQUIRE(wb_vm_create(&s, &vm) == WB_OK);
  const std::string beam = version(1);
  wb_env* own;
  REQUIRE(wb_env_new(vm, &own) == WB_OK);
  REQUIRE(wb_load(own, beam.data(), beam.size(), nullptr) == WB_OK);
  std::vector<std::thread> threads;
  std::atomic<int> waiting{0}, ended{0}, freed{0};
  for (int k = 0; k < 6; ++k) {
    threads.emplace_back([&, k] {
      wb_env* e;
      wb_thread* t;
      wb_term value;
      must(wb_env_new(vm, &e));
      must(wb_attach(vm, &t));
      for (int n = 0; n < 50; ++n)
        wb_spawn(e, "embedded", n % 2 ? "loop" : "wait_forever", wb_make_list(e, 0, nullptr),
                 nullptr);
      ++waiting;
      wb_result r = k % 2 ? wb_receive(t, e, nullptr, nullptr, WB_FOREVER, &value)
                          : wb_call(e, "embedded", "wait_forever", wb_make_list(e, 0, nullptr),
                                    WB_FOREVER, &value);
      ended += r == WB_ENDED;
      ended += wb_self(t, e, &value) == WB_ENDED;
      ended += wb_make_integer(e, 1) == WB_NONE;
      freed += wb_detach(t, nullptr, WB_NONE) == WB_OK;
      wb_env_free(e);
    });
  }
  while (waiting < 6) std::this_thread::yield();
  if (round) std::this_thread::sleep_for(std::chrono::milliseconds(20 * round));
  CHECK(wb_vm_destroy(vm) == WB_OK);
  for (auto& t : threads) t.join();
  wb_env_free(own);
  CHECK(ended == 18);
  CHECK(freed == 6);
}

TEST_CASE("ends: halt", "[ends]") {
  const uint32_t flags = GENERATE(0u, uint32_t{WB_STEPPED});
  Machine m(flags);
  int code = 0;
  CHECK(wb_vm_status(m.vm.handle(), &code) == WB_OK);
  CHECK(code_of([&] { m.env.call("erlang", "halt", {m.env.make(7)}); }) == WB_ENDED);
  CHECK(error_has("halt(7)"));
  CHECK(wb_vm_status(m.vm.handle(), &code) == WB_ENDED);
  CHECK(code == 7);
  CHECK(code_of([&] { m.env.spawn("erlang", "self"); }) == WB_ENDED);
  CHECK(m.env.make(5).integer() == 5);  // terms stay
  if (flags) CHECK(!m.vm.step(1ms));
}

TEST_CASE("ends: out of memory, and the others go on", "[ends]") {
  const uint32_t flags = GENERATE(0u, uint32_t{WB_STEPPED});
  Machine other;
  wb_settings s = settings(flags);
  s.max_memory = 200 << 20;
  wb_vm* vm;
  REQUIRE(wb_vm_create(&s, &vm) == WB_OK);
  const std::string beam = version(1);
  wb_env* e;
  REQUIRE(wb_env_new(vm, &e) == WB_OK);
  REQUIRE(wb_load(e, beam.data(), beam.size(), nullptr) == WB_OK);
  wb_term value;
  CHECK(wb_call(e, "embedded", "eat", wb_make_list(e, 0, nullptr), WB_FOREVER, &value) ==
        WB_FAILED);
  CHECK(error_has("Cannot allocate"));
  CHECK(wb_vm_status(vm, nullptr) == WB_FAILED);
  CHECK(wb_make_integer(e, 1) == WB_NONE);
  wb_env_free(e);
  CHECK(wb_vm_destroy(vm) == WB_OK);
  CHECK(other.call("version").integer() == 1);
}

TEST_CASE("ends: out of memory on a thread of the program", "[ends]") {
  const uint32_t flags = GENERATE(0u, uint32_t{WB_STEPPED});
  wb_settings s = settings(flags);
  s.max_memory = 200 << 20;
  wb_vm* vm;
  wb_env* e;
  REQUIRE(wb_vm_create(&s, &vm) == WB_OK);
  REQUIRE(wb_env_new(vm, &e) == WB_OK);
  const std::vector<wb_term> all(1'000'000, wb_make_integer(e, 1));
  wb_term t = all[0];
  for (int k = 0; t != WB_NONE && k < 1000; ++k) t = wb_make_list(e, all.size(), all.data());
  CHECK(t == WB_NONE);
  CHECK(error_has("Cannot allocate"));
  CHECK(wb_vm_status(vm, nullptr) == WB_FAILED);
  wb_env_free(e);
  CHECK(wb_vm_destroy(vm) == WB_OK);
}

TEST_CASE("ends: a thread dies after its machine", "[ends]") {
  auto m = std::make_unique<Machine>();
  std::promise<void> attached, destroyed;
  std::thread t([&] {
    wb_thread* me;
    must(wb_attach(m->vm.handle(), &me));
    attached.set_value();
    destroyed.get_future().wait();
  });
  attached.get_future().wait();
  m.reset();
  destroyed.set_value();
  t.join();
}

TEST_CASE("ends: made and destroyed many times", "[ends]") {
  for (int k = 0; k < 10; ++k) {
    Machine m(k % 2 ? WB_STEPPED : 0);
    CHECK(m.call("version").integer() == 1);
    m.env.spawn("embedded", "loop");
  }
}
