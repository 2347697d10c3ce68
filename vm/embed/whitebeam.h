/* Whitebeam in a program: virtual machines for Erlang code, as many as it likes, and threads of the
 * program that are processes of theirs. docs/embedding.md is the guide; this file is the reference.
 *
 * Results. Functions that can fail return a wb_result; wb_error() is what the last one of this
 * thread that failed has to say of it. Nothing ends the program: a machine that cannot go on
 * (memory is out, a limit of the system) has failed for all who use it, WB_FAILED, and stays in
 * memory when it is destroyed; the others go on.
 *
 * Terms. A wb_term is a value of one machine and lives in an environment: until that is cleared or
 * freed; as an argument of a native function, until that returns. WB_NONE is no term: functions
 * that make terms return it when they cannot, and take it for a mistake, so only the last of a
 * nested expression need be looked at. Other machines, and other programs, get terms in the
 * external format.
 *
 * Threads. Any thread may use a machine; an environment is used by one at a time, a wb_thread by
 * the one that attached it, and a stepped machine is stepped by one thread. A native function runs
 * on a thread of the machine: there it may do everything but wait for it (WB_WOULD_WAIT).
 *
 * Structures begin with their size, which the program sets: WB_SETTINGS_INIT. A later version of
 * the library takes a shorter one; a longer one than it knows must have zeros in what it does not
 * know. */
#ifndef WHITEBEAM_H
#define WHITEBEAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WB_API __attribute__((visibility("default")))

/* Of this header. The library of one major version serves programs of the same one, of an older
 * or equal minor version. */
#define WB_VERSION_MAJOR 1
#define WB_VERSION_MINOR 0
/* That of the library: major * 1000 + minor. */
WB_API uint32_t wb_version(void);

typedef enum wb_result {
  WB_OK = 0,
  WB_TIMEOUT = 1,       /* nothing came in time */
  WB_EXCEPTION = 2,     /* the Erlang function has raised */
  WB_BAD_ARGUMENT = 3,  /* no such handle, a term that is none or of another kind, a null pointer */
  WB_BAD_SETTING = 4,   /* a setting that is unknown or cannot be so */
  WB_BAD_MODULE = 5,    /* no module, or one that cannot be loaded */
  WB_NOT_FOUND = 6,     /* no key, name or process like that */
  WB_ENDED = 7,         /* the machine has ended, or is just being destroyed */
  WB_FAILED = 8,        /* the machine cannot go on */
  WB_EXITED = 9,        /* the process that this thread was has ended */
  WB_WRONG_THREAD = 10, /* another thread's */
  WB_WOULD_WAIT = 11,   /* on a thread that the machine needs for what would be waited for */
  WB_LIMIT = 12         /* too many atoms, processes; too large a term */
} wb_result;

/* In a few words what the result means; and what of it in this case (never null). */
WB_API const char* wb_result_text(wb_result result);
WB_API const char* wb_error(void);

typedef struct wb_vm wb_vm;
typedef struct wb_env wb_env;
typedef struct wb_thread wb_thread;
typedef uintptr_t wb_term;
#define WB_NONE ((wb_term)0)

/* Waits as long as it takes. */
#define WB_FOREVER UINT64_MAX

/* --- machines ----------------------------------------------------------------------------------*/

enum {
  WB_STEPPED = 1 /* no scheduler threads: wb_vm_step() runs it */
};

typedef struct wb_settings {
  size_t size;            /* sizeof(wb_settings) */
  uint32_t flags;         /* WB_STEPPED ... */
  uint32_t schedulers;    /* threads that run processes; 0: one a core */
  uint64_t max_memory;    /* bytes; 0: what the computer has */
  uint32_t max_processes; /* 0: 33 million */
  const char* jit;        /* off, baseline, full; null: full */
  const char* otp_root;   /* whose modules there are; null: /usr/lib/erlang, or erl's in PATH */
  const char* const*
      code_paths; /* directories of modules, searched first; ends with null; or null */
} wb_settings;
#define WB_SETTINGS_INIT {sizeof(wb_settings), 0, 0, 0, 0, 0, 0, 0}

/* Sets one by its name, for programs that read them from somewhere. `value` must live until the
 * machine is made. WB_BAD_SETTING: there is none of that name, or it cannot be that. */
WB_API wb_result wb_settings_set(wb_settings* settings, const char* name, const char* value);

/* A machine that runs; null for the settings: the usual ones. */
WB_API wb_result wb_vm_create(const wb_settings* settings, wb_vm** vm);
/* Ends it: its processes stop where they are, whoever waits for it gets WB_ENDED. Environments and
 * attached threads are then empty, and are still to be freed. A stepped one is destroyed by the
 * thread that steps it. */
WB_API wb_result wb_vm_destroy(wb_vm* vm);
/* WB_OK: it runs. WB_ENDED: it has called halt(*exit_code). WB_FAILED: wb_error() says why. */
WB_API wb_result wb_vm_status(wb_vm* vm, int* exit_code);

/* A stepped machine: runs what is to be run, on this thread, for about so long at most; returns
 * earlier when there is nothing left to do. */
WB_API wb_result wb_vm_step(wb_vm* vm, uint64_t microseconds);
/* When it wants to be stepped again, from now: 0: at once; WB_FOREVER: when wb_vm_descriptor() is
 * readable, for which a program that waits must look in any case. */
WB_API wb_result wb_vm_next(wb_vm* vm, uint64_t* microseconds);
/* For poll, select, epoll: readable when something has come from outside. -1: not a stepped one. */
WB_API int wb_vm_descriptor(wb_vm* vm);

/* --- code --------------------------------------------------------------------------------------*/

/* Loads a module of these bytes, the contents of a .beam file. If there is one of that name this
 * becomes the current version: calls with a module name go there, processes that are still in the
 * one before go on there, and those in one before that are killed. `module`, if given, gets the
 * name, an atom. */
WB_API wb_result wb_load(wb_env* env, const void* bytes, size_t size, wb_term* module);

/* --- environments and terms --------------------------------------------------------------------*/

WB_API wb_result wb_env_new(wb_vm* vm, wb_env** env);
WB_API void wb_env_clear(wb_env* env); /* its terms go */
WB_API void wb_env_free(wb_env* env);
/* A copy in another environment of the same machine. */
WB_API wb_term wb_copy(wb_env* env, wb_term term);

WB_API wb_term wb_make_integer(wb_env* env, int64_t value);
WB_API wb_term wb_make_unsigned(wb_env* env, uint64_t value);
WB_API wb_term wb_make_float(wb_env* env, double value);    /* WB_NONE: it is not finite */
WB_API wb_term wb_make_atom(wb_env* env, const char* text); /* UTF-8, at most 255 characters */
WB_API wb_term wb_make_boolean(wb_env* env, int value);
WB_API wb_term wb_make_binary(wb_env* env, const void* bytes, size_t size);
WB_API wb_term wb_make_string(wb_env* env, const char* text); /* UTF-8, as a list of characters */
WB_API wb_term wb_make_tuple(wb_env* env, size_t size, const wb_term* elements);
WB_API wb_term wb_make_list(wb_env* env, size_t size, const wb_term* elements);
WB_API wb_term wb_make_cons(wb_env* env, wb_term head, wb_term tail);
/* Keys and values in turn; of a key that is there twice the later value counts. */
WB_API wb_term wb_make_map(wb_env* env, size_t pairs, const wb_term* keys_and_values);
WB_API wb_term wb_map_put(wb_env* env, wb_term map, wb_term key, wb_term value);
WB_API wb_term wb_make_ref(wb_env* env); /* unlike all others */

typedef enum wb_kind {
  WB_KIND_NONE = 0,
  WB_KIND_INTEGER,
  WB_KIND_FLOAT,
  WB_KIND_ATOM,
  WB_KIND_BITSTRING, /* not of whole bytes */
  WB_KIND_BINARY,
  WB_KIND_NIL, /* [] */
  WB_KIND_LIST,
  WB_KIND_TUPLE,
  WB_KIND_MAP,
  WB_KIND_PID,
  WB_KIND_PORT,
  WB_KIND_REF,
  WB_KIND_FUN,
  WB_KIND_RECORD
} wb_kind;
WB_API wb_kind wb_kind_of(wb_env* env, wb_term term);

/* WB_BAD_ARGUMENT: it is of another kind. WB_LIMIT: an integer that is larger. */
WB_API wb_result wb_get_integer(wb_env* env, wb_term term, int64_t* value);
WB_API wb_result wb_get_unsigned(wb_env* env, wb_term term, uint64_t* value);
WB_API wb_result wb_get_float(wb_env* env, wb_term term, double* value); /* of any number */
/* Text in UTF-8 with a zero behind it, which lives as long as the environment. */
WB_API wb_result wb_get_atom(wb_env* env, wb_term term, const char** text, size_t* size);
/* The bytes live as long as the term. */
WB_API wb_result wb_get_binary(wb_env* env, wb_term term, const void** bytes, size_t* size);
/* Of a tuple, a map, a proper list. */
WB_API wb_result wb_get_size(wb_env* env, wb_term term, size_t* size);
WB_API wb_result wb_get_element(wb_env* env, wb_term tuple, size_t index,
                                wb_term* element); /* from 0 */
WB_API wb_result wb_get_cons(wb_env* env, wb_term list, wb_term* head, wb_term* tail);
/* WB_NOT_FOUND: there is no such key. */
WB_API wb_result wb_map_get(wb_env* env, wb_term map, wb_term key, wb_term* value);
/* All keys, in a list. */
WB_API wb_result wb_map_keys(wb_env* env, wb_term map, wb_term* keys);
/* As `=:=`: 1 or 0. In Erlang's order of terms: less than, equal to or above 0. */
WB_API int wb_equal(wb_env* env, wb_term a, wb_term b);
WB_API int wb_compare(wb_env* env, wb_term a, wb_term b);
/* As erlang:display/1 prints it, into at most `size` bytes with a zero at the end; *needed, if
 * given, is how many it takes. */
WB_API wb_result wb_print(wb_env* env, wb_term term, char* text, size_t size, size_t* needed);

/* The external term format (term_to_binary). Decoding takes any bytes: WB_BAD_ARGUMENT: they are
 * none. Of encoding the bytes live as long as the environment. */
WB_API wb_result wb_decode(wb_env* env, const void* bytes, size_t size, wb_term* term);
WB_API wb_result wb_encode(wb_env* env, wb_term term, const void** bytes, size_t* size);

/* --- processes ---------------------------------------------------------------------------------*/

/* A process that calls module:function(Arguments...); `arguments` is a list. */
WB_API wb_result wb_spawn(wb_env* env, const char* module, const char* function, wb_term arguments,
                          wb_term* pid);
/* The same, and waits for the value. WB_EXCEPTION: *value is {Class, Reason, StackTrace}, with
 * class `exit` also when somebody has ended the process. WB_TIMEOUT: the process has been killed.
 */
WB_API wb_result wb_call(wb_env* env, const char* module, const char* function, wb_term arguments,
                         uint64_t timeout_microseconds, wb_term* value);
/* A message from nobody, to a pid, or to a name of this machine's (an atom). WB_NOT_FOUND: nobody
 * has that name. To a pid whose process has ended: WB_OK. */
WB_API wb_result wb_send(wb_env* env, wb_term to, wb_term message);
/* Who is registered. */
WB_API wb_result wb_whereis(wb_env* env, const char* name, wb_term* pid);

/* --- threads that are processes ----------------------------------------------------------------*/

/* From now on this thread is a process, too: it has a pid and a mailbox. It may attach to several
 * machines, and to one several times. A thread that ends attached is a process that exits with
 * reason `host_thread_ended`. */
WB_API wb_result wb_attach(wb_vm* vm, wb_thread** thread);
/* The process exits with this reason, of any environment; without one: `normal`. */
WB_API wb_result wb_detach(wb_thread* thread, wb_env* env, wb_term reason);
WB_API wb_result wb_self(wb_thread* thread, wb_env* env, wb_term* pid);

/* To a pid, a name, {Name, Node}, an alias or a port, as by `!`: messages of this thread to one
 * process arrive in order. WB_NOT_FOUND: nobody here has that name. */
WB_API wb_result wb_thread_send(wb_thread* thread, wb_env* env, wb_term to, wb_term message);

/* Is this the message? Above 0: it is. Below 0: none is, the caller gets WB_TIMEOUT at once. It may
 * look at terms and make some in `env`, nothing else. */
typedef int (*wb_matcher)(wb_env* env, wb_term message, void* data);
/* The first message that matches (null: the first one) leaves the mailbox and gets into `env`. The
 * others stay, in order. WB_EXITED: the process has ended; *message is the reason. */
WB_API wb_result wb_receive(wb_thread* thread, wb_env* env, wb_matcher matcher, void* data,
                            uint64_t timeout_microseconds, wb_term* message);

/* As erlang:link/1 and so on. The thread traps exits, unless it is said that it shall not: then a
 * linked process' exit ends its process. */
WB_API wb_result wb_link(wb_thread* thread, wb_env* env, wb_term pid);
WB_API wb_result wb_unlink(wb_thread* thread, wb_env* env, wb_term pid);
WB_API wb_result wb_monitor(wb_thread* thread, wb_env* env, wb_term pid_or_name, wb_term* ref);
WB_API wb_result wb_demonitor(wb_thread* thread, wb_env* env,
                              wb_term ref); /* its message goes, too */
WB_API wb_result wb_register(wb_thread* thread, const char* name);
WB_API wb_result wb_unregister(wb_thread* thread, const char* name);
WB_API wb_result wb_trap_exit(wb_thread* thread, int traps);

/* --- native functions --------------------------------------------------------------------------*/

/* Called as module:name(...); `arguments` live until it returns, and so does `env`, where its
 * result must be made. It may be called by several threads at once. It must return: no exception,
 * no longjmp. WB_NONE: the exception that wb_raise() has set, or badarg. */
typedef wb_term (*wb_native)(wb_env* env, void* data, size_t count, const wb_term* arguments);
enum {
  WB_NATIVE_USUAL = 0,    /* takes less than a millisecond: called where the process runs */
  WB_NATIVE_COMPUTES = 1, /* takes longer: called by a thread for such work */
  WB_NATIVE_BLOCKS = 2    /* waits for something: the same, and others */
};
/* No function of the module's code of that name and arity is called from then on. The module need
 * have none. Best before anybody calls it. */
WB_API wb_result wb_native_function(wb_vm* vm, const char* module, const char* name, size_t arity,
                                    wb_native function, void* data, uint32_t kind);
/* Within a native function: `return wb_raise(env, "error", reason)`. */
WB_API wb_term wb_raise(wb_env* env, const char* error_class, wb_term reason);
/* The process that calls it. */
WB_API wb_result wb_caller(wb_env* env, wb_term* pid);

/* A term that stands for `data`, and is a reference to Erlang code. When no term of it is left
 * destroy(data) is called, on any thread, with nothing held; it must not use the machine. `type`
 * is any address that tells kinds of resources apart. */
WB_API wb_term wb_make_resource(wb_env* env, const void* type, void* data,
                                void (*destroy)(void* data));
WB_API wb_result wb_get_resource(wb_env* env, wb_term term, const void* type, void** data);

#ifdef __cplusplus
}
#endif
#endif
