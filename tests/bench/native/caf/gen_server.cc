// Requests of so many clients as the name says to one server.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

constexpr long kCalls = 80'000;
using add_atom = caf::atom_constant<caf::atom("add")>;
using get_atom = caf::atom_constant<caf::atom("get")>;
int clients = 0;

behavior server(caf::stateful_actor<long>* self) {
  self->state = 0;
  return {[=](add_atom) { return ++self->state; }, [=](get_atom) { return self->state; }};
}

void call(caf::stateful_actor<long>* self, const actor& to, const actor& main) {
  if (self->state-- == 0) {
    self->send(main, done_atom::value);
    self->quit();
  } else {
    self->request(to, caf::infinite, add_atom::value).then([=](long) { call(self, to, main); });
  }
}

behavior client(caf::stateful_actor<long>* self, const actor& to, const actor& main) {
  self->state = kCalls / clients;
  call(self, to, main);
  return {[](done_atom) {}};
}

behavior start(event_based_actor* self, const actor& result) {
  actor to = self->spawn(server);
  for (int i = 0; i < clients; ++i) self->spawn(client, to, actor(self));
  return {[=, left = clients](done_atom) mutable {
    if (--left > 0) return;
    self->request(to, caf::infinite, get_atom::value).then([=](long n) {
      self->send_exit(to, caf::exit_reason::user_shutdown);
      self->send(result, n);
      self->quit();
    });
  }};
}

}  // namespace

int main(int, char** argv) {
  clients = bench::number_in_name(argv);
  return actors::main(argv, start, {"ns/call", 80'000});
}
