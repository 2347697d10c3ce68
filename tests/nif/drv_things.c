/* A driver that does by itself whatever a driver may do, one operation a byte: tests/erl/drivers.erl. */
#include <erl_driver.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef DRIVER_FLAGS
#define DRIVER_FLAGS (ERL_DRV_FLAG_USE_PORT_LOCKING | ERL_DRV_FLAG_SOFT_BUSY)
#endif
#ifndef DRIVER_NAME
#define DRIVER_NAME "drv_things"
#endif
#define UNUSED __attribute__((unused))

struct port {
  ErlDrvPort ix;
  ErlDrvTermData name, watcher; /* who hears of the end */
  int pipe[2];
  ErlDrvMonitor monitor;
  ErlDrvPDL lock;
  ErlDrvTid thread;
};

/* {Port, Tag, Number} */
static int tell(struct port* p, ErlDrvTermData to, const char* tag, long number) {
  ErlDrvTermData spec[] = {ERL_DRV_PORT, p->name, ERL_DRV_ATOM, driver_mk_atom((char*)tag),
                           ERL_DRV_INT,  (ErlDrvTermData)number, ERL_DRV_TUPLE, 3};
  return erl_drv_send_term(p->name, to, spec, sizeof spec / sizeof *spec);
}
static int tell_owner(struct port* p, const char* tag, long number) {
  return tell(p, driver_connected(p->ix), tag, number);
}

static ErlDrvData start(ErlDrvPort ix, char* command) {
  struct port* p;
  if (strstr(command, "fail_general")) return ERL_DRV_ERROR_GENERAL;
  if (strstr(command, "fail_badarg")) return ERL_DRV_ERROR_BADARG;
  if (strstr(command, "fail_errno")) {
    errno = ENOTDIR;
    return ERL_DRV_ERROR_ERRNO;
  }
  p = driver_alloc(sizeof *p);
  memset(p, 0, sizeof *p);
  p->ix = ix;
  p->name = driver_mk_port(ix);
  p->watcher = driver_connected(ix);
  p->pipe[0] = p->pipe[1] = -1;
  driver_output(ix, command, strlen(command));
  return (ErlDrvData)p;
}
static void stop(ErlDrvData d) {
  struct port* p = (struct port*)d;
  tell(p, p->watcher, "stopped", 0);
  driver_free(p);
}
static void flush(ErlDrvData d) {
  struct port* p = (struct port*)d;
  tell(p, p->watcher, "flush", (long)driver_sizeq(p->ix));
  driver_set_timer(p->ix, 20);
}

static void outputv(ErlDrvData d, ErlIOVec* v) {
  struct port* p = (struct port*)d;
  char op = 0, header[] = "head", few[64];
  int k;
  if (driver_vec_to_buf(v, &op, 1) == 0) {
    driver_output(p->ix, "", 0);
    return;
  }
  switch (op) {
    case 'e':
      driver_outputv(p->ix, header, 4, v, 1);
      break;
    case 'o': {
      ErlDrvSizeT n = driver_vec_to_buf(v, few, sizeof few);
      driver_output2(p->ix, header, 2, few + 1, n - 1);
      break;
    }
    case 'b': /* the last binary, without its first byte */
      for (k = v->vsize - 1; k > 0 && !v->binv[k]; --k) {
      }
      driver_output_binary(p->ix, header, 1, v->binv[k],
                           (ErlDrvSizeT)((char*)v->iov[k].iov_base - v->binv[k]->orig_bytes) + 1, v->iov[k].iov_len - 1);
      break;
    case 'q':
      driver_enqv(p->ix, v, 1);
      break;
    case 'Q':
      driver_pushqv(p->ix, v, 1);
      break;
    case 'w': {
      ErlDrvSizeT n = driver_vec_to_buf(v, few, sizeof few);
      if (write(p->pipe[1], few + 1, n - 1) < 0) driver_failure_posix(p->ix, errno);
      break;
    }
    case 'k': { /* a copy of a binary in the queue */
      ErlDrvBinary* b = driver_alloc_binary(10);
      memcpy(b->orig_bytes, "0123456789", 10);
      driver_enq_bin(p->ix, b, 2, 5);
      driver_pushq_bin(p->ix, b, 9, 1);
      driver_binary_inc_refc(b);
      driver_binary_dec_refc(b);
      driver_free_binary(b);
      driver_enq(p->ix, "end", 3);
      driver_pushq(p->ix, "begin", 5);
      break;
    }
    default:
      tell_owner(p, "size", (long)v->size);
  }
}

/* --- terms --------------------------------------------------------------------------------------- */
static int send_all_terms(struct port* p) {
  static ErlDrvSInt64 least = INT64_MIN;
  static ErlDrvUInt64 most = UINT64_MAX;
  static double half = 0.5;
  static unsigned char external[] = {131, 104, 2, 97, 1, 106};
  ErlDrvBinary* b = driver_alloc_binary(100);
  int sent;
  memset(b->orig_bytes, 'x', 100);
  {
    ErlDrvTermData spec[] = {
        ERL_DRV_NIL, ERL_DRV_ATOM, driver_mk_atom("atom"), ERL_DRV_INT, (ErlDrvTermData)-5L,
        ERL_DRV_UINT, ~(ErlDrvTermData)0, ERL_DRV_INT64, (ErlDrvTermData)&least, ERL_DRV_UINT64, (ErlDrvTermData)&most,
        ERL_DRV_FLOAT, (ErlDrvTermData)&half, ERL_DRV_STRING, (ErlDrvTermData) "text", 4,
        ERL_DRV_NIL, ERL_DRV_STRING_CONS, (ErlDrvTermData) "cons", 4,
        ERL_DRV_BINARY, (ErlDrvTermData)b, 70, 10, ERL_DRV_BINARY, (ErlDrvTermData)b, 3, 0,
        ERL_DRV_BUF2BINARY, (ErlDrvTermData) "buffer", 6, ERL_DRV_BUF2BINARY, 0, 0,
        ERL_DRV_EXT2TERM, (ErlDrvTermData)external, sizeof external,
        ERL_DRV_ATOM, driver_mk_atom("key"), ERL_DRV_INT, 1, ERL_DRV_MAP, 1, ERL_DRV_MAP, 0,
        ERL_DRV_INT, 1, ERL_DRV_INT, 2, ERL_DRV_NIL, ERL_DRV_LIST, 3, ERL_DRV_TUPLE, 0,
        ERL_DRV_PID, driver_caller(p->ix), ERL_DRV_PORT, p->name, ERL_DRV_TUPLE, 20};
    sent = erl_drv_output_term(p->name, spec, sizeof spec / sizeof *spec);
  }
  driver_free_binary(b);
  return sent;
}
static long refused_terms(struct port* p) {
  ErlDrvTermData none[] = {ERL_DRV_NIL, ERL_DRV_NIL}, deep[] = {ERL_DRV_NIL, ERL_DRV_TUPLE, 2}, unknown[] = {99};
  ErlDrvTermData twice[] = {ERL_DRV_INT, 1, ERL_DRV_NIL, ERL_DRV_INT, 1, ERL_DRV_NIL, ERL_DRV_MAP, 2};
  ErlDrvTermData broken[] = {ERL_DRV_EXT2TERM, (ErlDrvTermData) "\x83x", 2};
  ErlDrvTermData good[] = {ERL_DRV_NIL};
  return (erl_drv_output_term(p->name, none, 2) < 0) + 2 * (erl_drv_output_term(p->name, deep, 3) < 0) +
         4 * (erl_drv_output_term(p->name, unknown, 1) < 0) + 8 * (erl_drv_output_term(p->name, twice, 8) < 0) +
         16 * (erl_drv_output_term(p->name, broken, 3) < 0) + 32 * (erl_drv_output_term(p->name, good, 0) < 0);
}

/* --- work elsewhere ------------------------------------------------------------------------------ */
static void work(void* data) { *(int*)data += 100; }
static void free_work(void* data) { driver_free(data); }
static void ready_async(ErlDrvData d, ErlDrvThreadData data) {
  tell_owner((struct port*)d, "async", *(int*)data);
  driver_free(data);
}
static void* thread_main(void* self) {
  struct port* p = self;
  tell(p, p->watcher, "thread", 7);
  return p;
}

static void timeout(ErlDrvData d) {
  struct port* p = (struct port*)d;
  tell(p, p->watcher, "timeout", (long)driver_sizeq(p->ix));
  set_busy_port(p->ix, 0);
  driver_deq(p->ix, driver_sizeq(p->ix));
}
static void ready_input(ErlDrvData d, ErlDrvEvent event) {
  struct port* p = (struct port*)d;
  char bytes[100];
  ssize_t n = read((int)(long)event, bytes, sizeof bytes);
  driver_output(p->ix, bytes, (ErlDrvSizeT)(n > 0 ? n : 0));
}
static void ready_output(ErlDrvData d, ErlDrvEvent event) {
  struct port* p = (struct port*)d;
  driver_select(p->ix, event, ERL_DRV_WRITE, 0);
  tell_owner(p, "writable", 0);
}
static void stop_select(ErlDrvEvent event, void* reserved UNUSED) { close((int)(long)event); }
static void process_exit(ErlDrvData d, ErlDrvMonitor* m) {
  struct port* p = (struct port*)d;
  tell(p, p->watcher, "down", driver_compare_monitors(m, &p->monitor));
}

#define EVENT(fd) ((ErlDrvEvent)(long)(fd))
static ErlDrvSSizeT control(ErlDrvData d, unsigned op, char* in, ErlDrvSizeT n, char** out, ErlDrvSizeT room) {
  struct port* p = (struct port*)d;
  ErlDrvSizeT k;
  long result = 0;
  switch (op) {
    case 'r': /* reversed */
      if (n > room) *out = driver_alloc(n);
      for (k = 0; k < n; ++k) (*out)[k] = in[n - 1 - k];
      return (ErlDrvSSizeT)n;
    case 'B':
      set_port_control_flags(p->ix, n ? PORT_CONTROL_FLAG_BINARY : 0);
      return 0;
    case '0':
      *out = NULL;
      return 0;
    case 'L': {
      ErlDrvBinary* b = driver_alloc_binary(300);
      memset(b->orig_bytes, 'L', 300);
      b = driver_realloc_binary(b, 200);
      *out = (char*)b;
      return 200;
    }
    case 'f':
      return -1;
    case 'p': { /* what is queued */
      int count, i;
      SysIOVec* v = driver_peekq(p->ix, &count);
      ErlIOVec whole;
      if (driver_sizeq(p->ix) > room) *out = driver_alloc(driver_sizeq(p->ix));
      for (i = 0; i < count; ++i) {
        memcpy(*out + result, v[i].iov_base, v[i].iov_len);
        result += (long)v[i].iov_len;
      }
      return driver_peekqv(p->ix, &whole) == (ErlDrvSizeT)result ? result : -1;
    }
    case 'd':
      result = (long)driver_deq(p->ix, (ErlDrvSizeT)in[0]);
      break;
    case 't':
      result = driver_set_timer(p->ix, (unsigned long)in[0]);
      break;
    case 'T': {
      unsigned long left;
      driver_read_timer(p->ix, &left);
      result = left > 0 && left <= 255;
      driver_cancel_timer(p->ix);
      break;
    }
    case 'm':
      result = driver_monitor_process(p->ix, driver_caller(p->ix), &p->monitor);
      if (driver_get_monitored_process(p->ix, &p->monitor) != driver_caller(p->ix)) result = 100;
      break;
    case 'M':
      result = driver_demonitor_process(p->ix, &p->monitor) != 0;
      if (driver_get_monitored_process(p->ix, &p->monitor) != driver_term_nil) result = 100;
      break;
    case 'a': {
      unsigned key = driver_async_port_key(p->ix);
      int i;
      for (i = 0; i < in[0]; ++i) {
        int* data = driver_alloc(sizeof *data);
        *data = i;
        driver_async(p->ix, &key, work, data, free_work);
      }
      break;
    }
    case 'h':
      result = erl_drv_thread_create("test", &p->thread, thread_main, p, NULL);
      if (!result) result = erl_drv_thread_join(p->thread, NULL);
      break;
    case 's':
      if (pipe(p->pipe)) return -1;
      result = driver_select(p->ix, EVENT(p->pipe[0]), ERL_DRV_READ | ERL_DRV_USE, 1);
      break;
    case 'W':
      result = driver_select(p->ix, EVENT(p->pipe[1]), ERL_DRV_WRITE | ERL_DRV_USE, 1);
      break;
    case 'S':
      result = driver_select(p->ix, EVENT(p->pipe[0]), ERL_DRV_READ | ERL_DRV_USE, 0);
      driver_select(p->ix, EVENT(p->pipe[1]), ERL_DRV_WRITE | ERL_DRV_USE, 0);
      break;
    case 'x':
      return driver_failure_eof(p->ix);
    case 'X':
      return driver_failure_atom(p->ix, "given_up");
    case 'P':
      return driver_failure_posix(p->ix, EIO);
    case 'N':
      return driver_failure(p->ix, 17);
    case 'E':
      return driver_exit(p->ix, 0);
    case 'u':
      set_busy_port(p->ix, 1);
      driver_set_timer(p->ix, 50);
      break;
    case 'D':
      result = send_all_terms(p);
      break;
    case 'R':
      result = refused_terms(p);
      break;
    case 'i': {
      ErlDrvSysInfo info;
      driver_system_info(&info, sizeof info);
      result = info.driver_major_version * 10 + info.driver_minor_version + 100 * (get_port_flags(p->ix) & PORT_FLAG_BINARY) +
               1000 * (driver_caller(p->ix) == driver_connected(p->ix));
      break;
    }
    case 'l': { /* a port data lock */
      p->lock = driver_pdl_create(p->ix);
      driver_pdl_lock(p->lock);
      driver_enq(p->ix, "locked", 6);
      driver_pdl_unlock(p->lock);
      result = driver_pdl_get_refc(p->lock) + 10 * driver_pdl_inc_refc(p->lock);
      driver_pdl_dec_refc(p->lock);
      break;
    }
    case 'c': { /* another port */
      struct port* second = driver_alloc(sizeof *second);
      *second = *p;
      second->lock = NULL;
      second->ix = driver_create_port(p->ix, driver_caller(p->ix), "second", (ErlDrvData)second);
      second->name = driver_mk_port(second->ix);
      tell(second, driver_caller(p->ix), "made", driver_connected(second->ix) == driver_caller(p->ix));
      break;
    }
    case 'g': {
      char value[20];
      size_t size = sizeof value;
      erl_drv_putenv("WB_DRIVER_TEST", "value");
      result = erl_drv_getenv("WB_DRIVER_TEST", value, &size) * 100 + (long)size + (strcmp(value, "value") == 0) * 10;
      break;
    }
    case 'K': /* for good */
      result = driver_lock_driver(p->ix);
      break;
    case 'q': {
      ErlDrvSizeT low = ERL_DRV_BUSY_MSGQ_READ_ONLY, high = 100000;
      erl_drv_busy_msgq_limits(p->ix, &low, &high);
      result = (long)high;
      break;
    }
    default:
      return -1;
  }
  return snprintf(*out, room, "%ld", result);
}

/* Gives the term back in a tuple of two. */
static ErlDrvSSizeT call(ErlDrvData d UNUSED, unsigned op, char* in, ErlDrvSizeT n, char** out, ErlDrvSizeT room,
                         unsigned* flags UNUSED) {
  static char kept[1000];
  if (op == 'f') return -1;
  if (op == 'b') {
    (*out)[0] = 'x';
    return 1;
  }
  if (op == 'k') {
    *out = kept;
    *flags = DRIVER_CALL_KEEP_BUFFER;
  } else if (n + 4 > room) {
    *out = driver_alloc(n + 4);
  }
  memcpy(*out, "\x83h\2", 3);
  memcpy(*out + 3, in + 1, n - 1);
  (*out)[n + 2] = 'j';
  return (ErlDrvSSizeT)n + 3;
}

static int init(void) {
#ifdef INIT_FAILS
  return -1;
#endif
  return 0;
}
static void finish(void) {}

static ErlDrvEntry entry = {init, start, stop, NULL, ready_input, ready_output, DRIVER_NAME, finish, NULL, control, timeout, outputv,
                            ready_async, flush, call, NULL, (int)ERL_DRV_EXTENDED_MARKER, ERL_DRV_EXTENDED_MAJOR_VERSION,
#ifdef NEWER
                            ERL_DRV_EXTENDED_MINOR_VERSION + 1,
#else
                            ERL_DRV_EXTENDED_MINOR_VERSION,
#endif
                            DRIVER_FLAGS, NULL, process_exit, stop_select, NULL};

DRIVER_INIT(drv_things) { return &entry; }
