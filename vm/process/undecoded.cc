#include "vm/process/undecoded.h"

#include <utility>
#include <vector>

#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/relations.h"
#include "vm/process/route.h"
#include "vm/process/visit.h"

namespace wb {
namespace {

struct Mark final : OffHeapObject {
  explicit Mark(std::shared_ptr<UndecodedSource> s) : source(std::move(s)) { destroy = destroyed; }
  static void destroyed(OffHeapObject* o) { delete static_cast<Mark*>(o); }
  static Mark* of(Term t) {
    if (!is_kind(t, Kind::magic_ref)) return nullptr;
    OffHeapObject* o = magic_object(t);
    return o->destroy == destroyed ? static_cast<Mark*>(o) : nullptr;
  }
  const std::shared_ptr<UndecodedSource> source;
};

class Arrival final : public Visit {
 public:
  Arrival(uint64_t alias, std::shared_ptr<UndecodedSource> source)
      : alias_(alias), source_(std::move(source)) {}

  void visit(Process& p) override {
    if (!alias_ || take_alias(p, alias_) != Reception::refused) append(p);
    delete this;
  }
  void too_late() override { delete this; }
  void drop() override { delete this; }

 private:
  ~Arrival() = default;
  void append(Process& p) {
    FragmentHeap h(8);
    Signal* s = new_signal(SignalKind::message);
    s->term = p.vm().new_magic_ref(h, new Mark(std::move(source_)), 0);
    s->fragment = h.take_fragments();
    *p.messages_end = s;
    p.messages_end = &s->next;
    ++p.message_count;
    p.message_words += fragment_words(*s);
    p.special |= kUndecoded;
  }

  const uint64_t alias_;
  std::shared_ptr<UndecodedSource> source_;
};

}  // namespace

bool deliver_undecoded(Vm& vm, Address to, uint64_t alias,
                       std::shared_ptr<UndecodedSource> source) {
  auto* arrival = new Arrival(alias, std::move(source));
  if (to.is_local_pid() && route(vm, to, arrival->new_signal_for())) return true;
  arrival->drop();
  return false;
}

void drop_undecoded(Process& p) {
  p.special &= static_cast<uint8_t>(~kUndecoded);
  std::vector<std::shared_ptr<UndecodedSource>> sources;
  for (Signal** link = &p.messages; Signal* s = *link;) {
    if (Mark* mark = Mark::of(s->term)) {
      sources.push_back(mark->source);
      take_out(p, link, s);
      free_signal(s);
    } else {
      link = &s->next;
    }
  }
  for (auto& source : sources) source->break_off();
}

}  // namespace wb
