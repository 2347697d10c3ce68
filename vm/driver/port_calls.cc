// Functions of erl_driver.h about a port: called within one of its driver's callbacks, or another
// port's of the same driver. What is said of a port that has gone does nothing and fails.
#include <algorithm>
#include <cstring>

#include "term/lists.h"
#include "vm/core/vm.h"
#include "vm/driver/drivers.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/nif/environment.h"
#include "vm/port/ports.h"

using namespace wb;

// --- output --------------------------------------------------------------------------------------
namespace {
/// What a port tells its owner: {Port, {data, Header ++ Bytes}}, Bytes being a binary if the port
/// was opened so. `bytes(h)` makes the binary.
template <class MakeBinary>
int output(LinkedPort* p, const char* header, size_t header_size, const char* bytes, size_t n,
           MakeBinary make) {
  if (!p) return -1;
  Port& port = p->port();
  if (!p->is_stopping()) {
    if (port.is_gone()) return -1;
    if (port.is_closing()) return 0;
  }
  port.count_in(header_size + n);
  const bool binary = port.options().binary && p->has_started();
  FragmentHeap h(2 * header_size + (binary ? 16 + kMaxHeapBinBytes / 8 : 2 * n) + 16);
  Term data;
  if (binary) {
    data = make(h);
    if (!is_value(data)) return -1;
  } else {
    data = bytes_to_list(h, reinterpret_cast<const uint8_t*>(bytes), n);
  }
  data = bytes_to_list(h, reinterpret_cast<const uint8_t*>(header), header_size, data);
  port.post_to(port.owner(), h, tuple(h, port.id, tuple(h, am::data, data)));
  return 0;
}
}  // namespace

int driver_output2(ErlDrvPort ix, char* header, ErlDrvSizeT header_size, char* bytes,
                   ErlDrvSizeT n) {
  LinkedPort* p = linked_port(ix);
  if (p && p->frames_lines()) {
    p->port().count_in(header_size + n);
    p->port().deliver({header, header_size}, reinterpret_cast<uint8_t*>(bytes), n);
    return 0;
  }
  return output(p, header, header_size, bytes, n,
                [&](FragmentHeap& h) { return make_binary(h, bytes, n); });
}
int driver_output(ErlDrvPort ix, char* bytes, ErlDrvSizeT n) {
  return driver_output2(ix, nullptr, 0, bytes, n);
}
int driver_output_binary(ErlDrvPort ix, char* header, ErlDrvSizeT header_size, ErlDrvBinary* b,
                         ErlDrvSizeT offset, ErlDrvSizeT n) {
  if (offset > binary_of(b)->size || n > binary_of(b)->size - offset) return -1;
  return output(linked_port(ix), header, header_size, b->orig_bytes + offset, n,
                [&](FragmentHeap& h) { return term_of_binary(h, b, offset, n); });
}
/// Never in lines.
int driver_outputv(ErlDrvPort ix, char* header, ErlDrvSizeT header_size, ErlIOVec* v,
                   ErlDrvSizeT skip) {
  if (v->size < skip) return -1;
  std::vector<char> all(v->size + 1);
  driver_vec_to_buf(v, all.data(), v->size);
  const char* bytes = all.data() + skip;
  const size_t n = v->size - skip;
  return output(linked_port(ix), header, header_size, bytes, n,
                [&](FragmentHeap& h) { return make_binary(h, bytes, n); });
}

// --- its end -------------------------------------------------------------------------------------
static int fail(ErlDrvPort ix, Term reason, bool without_owner = false) {
  LinkedPort* p = linked_port(ix);
  if (!p || p->port().is_gone()) return -1;
  if (without_owner) {
    p->port().end(reason);
  } else {
    p->port().terminate(reason);
  }
  return 0;
}
int driver_failure_atom(ErlDrvPort ix, char* reason) { return fail(ix, driver_mk_atom(reason)); }
int driver_failure_posix(ErlDrvPort ix, int error) { return fail(ix, posix_atom(error)); }
int driver_failure(ErlDrvPort ix, int code) {
  return fail(ix, code ? make_small(code) : am::normal);
}
int driver_failure_eof(ErlDrvPort ix) {
  LinkedPort* p = linked_port(ix);
  if (!p || !p->port().options().eof) return fail(ix, am::normal);
  p->port().post_eof();
  return 0;
}
int driver_exit(ErlDrvPort ix, int error) {
  return fail(ix, error ? posix_atom(error) : am::normal, true);
}

// --- what it is ----------------------------------------------------------------------------------
ErlDrvTermData driver_mk_port(ErlDrvPort ix) { return reinterpret_cast<Term>(ix); }
ErlDrvTermData driver_connected(ErlDrvPort ix) {
  LinkedPort* p = linked_port(ix);
  return p ? p->port().owner() : kNil;
}
ErlDrvTermData driver_caller(ErlDrvPort ix) {
  for (LinkedPort::Call* c = LinkedPort::current(); c; c = c->outer) {
    if (c->port.name() == ix && is_value(c->caller)) return c->caller;
  }
  return driver_connected(ix);
}
void set_busy_port(ErlDrvPort ix, int on) {
  if (LinkedPort* p = linked_port(ix)) p->port().set_busy(on);
}
void set_port_control_flags(ErlDrvPort ix, int flags) {
  if (LinkedPort* p = linked_port(ix)) p->control_flags = flags;
}
int get_port_flags(ErlDrvPort ix) {
  LinkedPort* p = linked_port(ix);
  if (!p) return 0;
  const PortOptions& o = p->port().options();
  return (o.binary ? PORT_FLAG_BINARY : 0) |
         (o.framing.mode == Framing::Mode::line ? PORT_FLAG_LINE : 0);
}
void erl_drv_set_os_pid(ErlDrvPort ix, ErlDrvSInt pid) {
  if (LinkedPort* p = linked_port(ix)) p->os_pid_value = pid;
}
void erl_drv_init_ack(ErlDrvPort ix, ErlDrvData data) {
  LinkedPort* p = linked_port(ix);
  if (!p) return;
  if (data == ERL_DRV_ERROR_ERRNO) return p->port().fail(errno);
  if (data == ERL_DRV_ERROR_GENERAL || data == ERL_DRV_ERROR_BADARG) {
    return p->port().terminate(am::einval);
  }
  p->acknowledge(data);
}
void erl_drv_busy_msgq_limits(ErlDrvPort ix, ErlDrvSizeT* low, ErlDrvSizeT* high) {
  LinkedPort* p = linked_port(ix);
  if (!p) return;
  PortFront& front = *p->port().front();
  std::lock_guard guard(front.lock);
  size_t* kept[] = {&front.low, &front.high};
  ErlDrvSizeT* asked[] = {low, high};
  const bool disable =
      (low && *low == ERL_DRV_BUSY_MSGQ_DISABLED) || (high && *high == ERL_DRV_BUSY_MSGQ_DISABLED);
  for (int k = 0; k < 2; ++k) {
    if (!asked[k]) continue;
    if (disable) {
      *kept[k] = ERL_DRV_BUSY_MSGQ_DISABLED;
    } else if (*asked[k] != ERL_DRV_BUSY_MSGQ_READ_ONLY) {
      *kept[k] = *asked[k];
    }
    *asked[k] = *kept[k];
  }
}
int erl_drv_consume_timeslice(ErlDrvPort, int percent) { return percent >= 100; }
int driver_lock_driver(ErlDrvPort ix) {
  LinkedPort* p = linked_port(ix);
  if (!p) return -1;
  p->driver()->table.make_permanent(*p->driver());
  return 0;
}

/// Another port of the same driver.
ErlDrvPort driver_create_port(ErlDrvPort ix, ErlDrvTermData owner, char* name, ErlDrvData data) {
  LinkedPort* p = linked_port(ix);
  const auto failed = reinterpret_cast<ErlDrvPort>(-1L);
  Vm& vm = p ? p->vm() : vm_of_thread();
  if (!p || !is_local_pid(owner) || !vm.is_alive(owner)) return failed;
  const auto& driver = p->driver();
  auto made = vm.ports->make_like(p->port(), owner, name, driver->lock);
  driver->table.port_made(*driver);
  auto linked = std::make_unique<LinkedPort>(*made, driver);
  LinkedPort& second = *linked;
  made->set_driver(std::move(linked));
  second.started(data);
  if (!vm.ports->publish(made)) {
    driver->table.port_gone(driver);
    return failed;
  }
  return second.name();
}
void add_driver_entry(ErlDrvEntry* entry) { drivers_of(vm_of_thread()).add_entry(entry); }
int remove_driver_entry(ErlDrvEntry* entry) {
  return drivers_of(vm_of_thread()).remove_entry(entry);
}

// --- descriptors, timers, monitors ---------------------------------------------------------------
int driver_select(ErlDrvPort ix, ErlDrvEvent event, int mode, int on) {
  const auto fd = static_cast<int>(reinterpret_cast<intptr_t>(event));
  if (LinkedPort* p = linked_port(ix)) return p->select(fd, mode, on);
  return -1;
}
int driver_set_timer(ErlDrvPort ix, unsigned long ms) {
  LinkedPort* p = linked_port(ix);
  if (!p || p->port().is_gone()) return -1;
  p->set_timer(ms);
  return 0;
}
int driver_cancel_timer(ErlDrvPort ix) {
  LinkedPort* p = linked_port(ix);
  if (!p) return -1;
  p->cancel_timer();
  return 0;
}
int driver_read_timer(ErlDrvPort ix, unsigned long* left) {
  LinkedPort* p = linked_port(ix);
  if (!p) return -1;
  const uint64_t ms = p->timer_left_ms();
  *left = ms == ~uint64_t{0} ? 0 : ms;
  return 0;
}

static uint64_t number_of(const ErlDrvMonitor& m) {
  uint64_t number;
  memcpy(&number, m.data, sizeof number);
  return number;
}
int driver_monitor_process(ErlDrvPort ix, ErlDrvTermData pid, ErlDrvMonitor* monitor) {
  LinkedPort* p = linked_port(ix);
  if (!p || p->port().is_gone()) return -1;
  uint64_t number;
  const int failed = p->monitor(pid, &number);
  if (failed) return failed;
  *monitor = {};
  memcpy(monitor->data, &number, sizeof number);
  return 0;
}
int driver_demonitor_process(ErlDrvPort ix, const ErlDrvMonitor* monitor) {
  LinkedPort* p = linked_port(ix);
  return p && p->demonitor(number_of(*monitor)) ? 0 : 1;
}
ErlDrvTermData driver_get_monitored_process(ErlDrvPort ix, const ErlDrvMonitor* monitor) {
  LinkedPort* p = linked_port(ix);
  return p ? p->monitored_pid(number_of(*monitor)) : driver_term_nil;
}
int driver_compare_monitors(const ErlDrvMonitor* a, const ErlDrvMonitor* b) {
  return memcmp(a->data, b->data, sizeof a->data);
}

// --- the queue -----------------------------------------------------------------------------------
namespace {
/// The queue of a port that this thread may use: within a callback, or because it holds the port
/// data lock.
DriverQueue* queue_of(ErlDrvPort ix) {
  if (LinkedPort* p = linked_port(ix)) return &p->queue();
  auto found = vm_of_thread().ports->find(reinterpret_cast<Term>(ix));
  if (!found || found->options().kind != PortOptions::Kind::linked || !found->driver()) {
    return nullptr;
  }
  auto* p = static_cast<LinkedPort*>(found->driver());
  return p->data_lock() ? &p->queue() : nullptr;
}
int added(bool done) { return done ? 0 : -1; }
int add_binary(ErlDrvPort ix, ErlDrvBinary* b, size_t offset, size_t n, bool in_front) {
  DriverQueue* q = queue_of(ix);
  if (!q || offset > binary_of(b)->size || n > binary_of(b)->size - offset) return -1;
  SysIOVec bytes = {b->orig_bytes + offset, n};
  return added(q->add({1, n, &bytes, &b}, 0, in_front));
}
}  // namespace

int driver_enq(ErlDrvPort ix, char* bytes, ErlDrvSizeT n) {
  DriverQueue* q = queue_of(ix);
  return added(q && q->add_copy(bytes, n, false));
}
int driver_pushq(ErlDrvPort ix, char* bytes, ErlDrvSizeT n) {
  DriverQueue* q = queue_of(ix);
  return added(q && q->add_copy(bytes, n, true));
}
int driver_enq_bin(ErlDrvPort ix, ErlDrvBinary* b, ErlDrvSizeT offset, ErlDrvSizeT n) {
  return add_binary(ix, b, offset, n, false);
}
int driver_pushq_bin(ErlDrvPort ix, ErlDrvBinary* b, ErlDrvSizeT offset, ErlDrvSizeT n) {
  return add_binary(ix, b, offset, n, true);
}
int driver_enqv(ErlDrvPort ix, ErlIOVec* v, ErlDrvSizeT skip) {
  DriverQueue* q = queue_of(ix);
  return added(q && q->add(*v, skip, false));
}
int driver_pushqv(ErlDrvPort ix, ErlIOVec* v, ErlDrvSizeT skip) {
  DriverQueue* q = queue_of(ix);
  return added(q && q->add(*v, skip, true));
}
constexpr auto kNoQueue = static_cast<ErlDrvSizeT>(-1);
ErlDrvSizeT driver_deq(ErlDrvPort ix, ErlDrvSizeT n) {
  DriverQueue* q = queue_of(ix);
  return q && q->drop(n) ? q->size() : kNoQueue;
}
ErlDrvSizeT driver_sizeq(ErlDrvPort ix) {
  DriverQueue* q = queue_of(ix);
  return q ? q->size() : kNoQueue;
}
SysIOVec* driver_peekq(ErlDrvPort ix, int* count) {
  DriverQueue* q = queue_of(ix);
  if (!q) {
    *count = -1;
    return nullptr;
  }
  return q->vectors(count);
}
ErlDrvSizeT driver_peekqv(ErlDrvPort ix, ErlIOVec* v) {
  DriverQueue* q = queue_of(ix);
  if (!q) return kNoQueue;
  *v = q->view();
  return v->size;
}

// --- port data locks -----------------------------------------------------------------------------
ErlDrvPDL driver_pdl_create(ErlDrvPort ix) {
  LinkedPort* p = linked_port(ix);
  return p ? p->make_data_lock() : nullptr;
}
void driver_pdl_lock(ErlDrvPDL l) { l->lock.lock(); }
void driver_pdl_unlock(ErlDrvPDL l) { l->lock.unlock(); }
ErlDrvSInt driver_pdl_get_refc(ErlDrvPDL l) { return l->refs.load(); }
ErlDrvSInt driver_pdl_inc_refc(ErlDrvPDL l) { return l->refs.fetch_add(1) + 1; }
ErlDrvSInt driver_pdl_dec_refc(ErlDrvPDL l) {
  const ErlDrvSInt left = l->refs.fetch_sub(1) - 1;
  if (left == 0) delete l;
  return left;
}
