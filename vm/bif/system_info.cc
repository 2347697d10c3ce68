// erlang:system_info/1: facts of the machine. What a program cannot tell from OTP 25 is answered as
// OTP 25 answers it; what is ours, as it is.
#include <sys/utsname.h>

#include <cstdio>

#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/process/table.h"
#include "vm/vm.h"

namespace wb {

static Term text(Heap& h, std::string_view s) {
  return bytes_to_list(h, reinterpret_cast<const uint8_t*>(s.data()), s.size());
}

static Term os_version(Heap& h) {
  utsname u;
  unsigned v[3] = {0, 0, 0};
  if (uname(&u) == 0) sscanf(u.release, "%u.%u.%u", &v[0], &v[1], &v[2]);
  return tuple(h, make_small(v[0]), make_small(v[1]), make_small(v[2]));
}

/// Keys that are numbers.
static bool number_key(Vm& vm, Term key, uint64_t* n) {
  uint64_t workers = vm.scheduler->worker_count();
  switch (key) {
    case am::schedulers:
    case am::logical_processors:
    case am::logical_processors_online:
    case am::logical_processors_available:
    case am::dirty_cpu_schedulers:
    case am::dirty_cpu_schedulers_online:
      *n = workers;
      return true;
    case am::schedulers_online:
      *n = vm.scheduler->online();
      return true;
    case am::dirty_io_schedulers:
      *n = vm.scheduler->dirty(DirtyKind::io).limit();
      return true;
    case am::process_limit:
      *n = vm.processes->limit();
      return true;
    case am::process_count:
      *n = vm.processes->count();
      return true;
    case am::port_limit:
      *n = 65536;
      return true;
    case am::port_count:
      *n = 0;
      return true;
    case am::atom_limit:
      *n = 1048576;
      return true;
    case am::ets_limit:
      *n = 8192;
      return true;
    case am::wordsize:
      *n = 8;
      return true;
    case am::thread_pool_size:
      *n = 1;
      return true;
    case am::compat_rel:
      *n = 25;
      return true;
    case am::creation:
    case am::trace_control_word:
      *n = 0;
      return true;
    case am::fullsweep_after:
      *n = 65535;
      return true;
    default:
      return false;
  }
}

static Term atom_key(Term key) {
  switch (key) {
    case am::smp_support:
    case am::threads:
    case am::kernel_poll:
    case am::time_correction:
      return am::true_;
    case am::debug_compiled:
    case am::dynamic_trace_probes:
    case am::lock_counting:
    case am::eager_check_io:
      return am::false_;
    case am::multi_scheduling:
    case am::tolerant_timeofday:
      return am::enabled;
    case am::heap_type:
      return am::private_;
    case am::endian:
      return am::little;
    case am::dynamic_trace:
      return am::none;
    case am::build_type:
      return am::opt;
    case am::emu_type:
      return am::opt;
    case am::emu_flavor:
      return am::emu;
    case am::scheduler_bind_type:
      return am::unbound;
    case am::cpu_topology:
      return am::undefined;
    case am::time_offset:
      return am::final;
    case am::time_warp_mode:
      return am::no_time_warp;
    case am::message_queue_data:
      return am::on_heap;
    case am::start_type:
      return am::normal;
    default:
      return kNone;
  }
}

static Term text_key(Heap& h, Term key) {
  switch (key) {
    case am::otp_release:
      return text(h, "25");
    case am::version:
      return text(h, "13.1.5");
    case am::machine:
      return text(h, "BEAM");
    case am::nif_version:
      return text(h, "2.16");
    case am::driver_version:
      return text(h, "3.3");
    case am::system_version:
      return text(h, "Erlang/OTP 25 [erts-13.1.5] [source] [64-bit] [whitebeam]\n");
    case am::system_architecture: {
      utsname u;
      return text(h, uname(&u) == 0 ? std::string(u.machine) + "-pc-linux-gnu" : "unknown");
    }
    default:
      return kNone;
  }
}

/// {wordsize, internal | external} and such.
static Term pair_key(const Term* e) {
  if (e[0] == am::wordsize && (e[1] == am::internal || e[1] == am::external)) return make_small(8);
  return kNone;
}

BIF(erlang, system_info, 1)
{
  Vm& vm = p.vm();
  Heap& h = p.heap;
  Term key = a[0];
  if (is_tuple_of(key, 2)) {
    Term r = pair_key(tuple_elements(key));
    return is_value(r) ? r : kBadarg;
  }
  if (!is_atom(key)) return kBadarg;
  uint64_t n;
  if (number_key(vm, key, &n)) return make_unsigned(h, n);
  if (Term r = atom_key(key); is_value(r)) return r;
  if (Term r = text_key(h, key); is_value(r)) return r;
  if (key == am::os_type) return tuple(h, am::unix_, am::linux_);
  if (key == am::os_version) return os_version(h);
  if (key == am::min_heap_size) return tuple(h, key, make_small(233));
  if (key == am::min_bin_vheap_size) return tuple(h, key, make_small(46422));
  return kBadarg;
}

}  // namespace wb
