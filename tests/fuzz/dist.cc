// libFuzzer: any bytes, taken for the packets of another node whose handshake is done. The first
// says whether the two nodes keep a cache of atoms; each packet follows its length, in two bytes.
// Packets reach processes that never run, and a connection goes on as long as they make sense. What
// comes of it must be freed.
#include <memory>
#include <vector>

#include "term/dist_atoms.h"
#include "vm/core/settings.h"
#include "vm/dist/distribution.h"
#include "vm/machine/machine.h"
#include "vm/port/ports.h"
#include "vm/process/route.h"
#include "vm/process/table.h"
#include "vm/process/visit.h"

using namespace wb;

namespace {
/// Processes that are in the table and never run; the last one's pid is that of the seeds.
class Receivers {
 public:
  explicit Receivers(Vm& vm) {
    for (int k = 0; k <= 50; ++k) {
      auto* p = new Process;  // as long as the machine
      p->vm_ = &vm;
      WB_CHECK(vm.processes->add(*p));
      all_.push_back(p);
    }
    vm.processes->register_name(intern("rex"), all_.back()->id);
  }
  void empty() {
    for (Process* p : all_) {
      for (Signal *s = p->inbox.exchange(nullptr), *next; s; s = next) {
        next = s->next;
        if (s->kind == SignalKind::visit) Visit::of(*s).drop();
        free_signal(s);
      }
    }
  }

 private:
  std::vector<Process*> all_;
};

VmOptions small_machine() {
  VmOptions options;
  options.max_processes = 1024;  // children that are asked for stay, too
  return options;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Machine& vm = *new Machine(small_machine());  // it outlives its receivers
  static InstanceScope scope(vm.instance);
  static Receivers& receivers = *new Receivers(vm);
  static const Term node = intern("far@away");
  if (size == 0) return 0;
  vm.settings->system_logger.store(data[0] & 2 ? am::undefined : am::logger);
  const uint64_t flags = dist_flag::kOffered & ~(data[0] & 1 ? dist_flag::atom_cache : 0);
  Distribution& d = *vm.ports->distribution;
  auto connection = d.begin_connection(node);
  WB_CHECK(connection->begin(make_pid(1000, 1), nullptr, flags, 7));
  for (size_t at = 1; size - at >= 2;) {
    const size_t n = std::min<size_t>(data[at] << 8 | data[at + 1], size - at - 2);
    const std::unique_ptr<uint8_t[]> packet(new uint8_t[n]);  // so that nothing is read behind it
    memcpy(packet.get(), data + at + 2, n);
    at += 2 + n;
    if (connection->put_data(packet.get(), n)) continue;
    connection->break_off();
    break;
  }
  (void)connection->statistics();
  connection->end(am::connection_closed);
  std::string out;
  WB_CHECK(!connection->take_packet(&out));
  receivers.empty();
  return 0;
}
