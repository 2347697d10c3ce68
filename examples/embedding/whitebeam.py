"""Whitebeam in Python: the C interface through ctypes, with Python's own values for terms.

An integer, float, bool, bytes, str (a binary), list, tuple, dict and Atom are what one expects; pids,
references and everything else are Term. A Python function can be called by Erlang (Vm.function); an
exception in it becomes the Erlang error {python_exception, <<"Text">>}.
"""
import ctypes as c
import os


class Settings(c.Structure):
    _fields_ = [("size", c.c_size_t), ("flags", c.c_uint32), ("schedulers", c.c_uint32),
                ("max_memory", c.c_uint64), ("max_processes", c.c_uint32), ("jit", c.c_char_p),
                ("otp_root", c.c_char_p), ("code_paths", c.POINTER(c.c_char_p))]


TERM = c.c_size_t
NATIVE = c.CFUNCTYPE(TERM, c.c_void_p, c.c_void_p, c.c_size_t, c.POINTER(TERM))
FOREVER = 2**64 - 1
OK, TIMEOUT, EXCEPTION = 0, 1, 2
STEPPED = 1


def open_library():
    lib = c.CDLL(os.environ.get("WHITEBEAM_LIBRARY", "libwhitebeam.so.1"))
    pointers = {"env": c.c_void_p, "vm": c.c_void_p}
    terms = ["integer", "float", "atom", "boolean", "binary", "tuple", "list", "map"]
    arguments = {"integer": [c.c_int64], "float": [c.c_double], "atom": [c.c_char_p], "boolean": [c.c_int],
                 "binary": [c.c_char_p, c.c_size_t], "tuple": [c.c_size_t, c.POINTER(TERM)],
                 "list": [c.c_size_t, c.POINTER(TERM)], "map": [c.c_size_t, c.POINTER(TERM)]}
    for name in terms:
        function = getattr(lib, "wb_make_" + name)
        function.restype, function.argtypes = TERM, [pointers["env"]] + arguments[name]
    for name, types in {
            "wb_get_integer": [TERM, c.c_void_p], "wb_get_float": [TERM, c.c_void_p],
            "wb_get_atom": [TERM, c.c_void_p, c.c_void_p], "wb_get_binary": [TERM, c.c_void_p, c.c_void_p],
            "wb_get_size": [TERM, c.c_void_p], "wb_get_element": [TERM, c.c_size_t, c.c_void_p],
            "wb_get_cons": [TERM, c.c_void_p, c.c_void_p], "wb_map_get": [TERM, TERM, c.c_void_p],
            "wb_map_keys": [TERM, c.c_void_p], "wb_print": [TERM, c.c_char_p, c.c_size_t, c.c_void_p],
            "wb_kind_of": [TERM], "wb_env_clear": [], "wb_env_free": [], "wb_vm_destroy": [],
            "wb_env_new": [c.c_void_p], "wb_load": [c.c_char_p, c.c_size_t, c.c_void_p],
            "wb_call": [c.c_char_p, c.c_char_p, TERM, c.c_uint64, c.c_void_p],
            "wb_vm_create": [c.c_void_p], "wb_vm_step": [c.c_uint64],
            "wb_native_function": [c.c_char_p, c.c_char_p, c.c_size_t, NATIVE, c.c_void_p, c.c_uint32]}.items():
        getattr(lib, name).argtypes = [c.c_void_p] + types
    lib.wb_raise.restype, lib.wb_raise.argtypes = TERM, [c.c_void_p, c.c_char_p, TERM]
    lib.wb_error.restype = lib.wb_result_text.restype = c.c_char_p
    return lib


lib = open_library()


class Error(Exception):
    pass


class ErlangError(Error):
    def __init__(self, error_class, reason):
        super().__init__(f"{error_class}: {reason!r}")
        self.error_class, self.reason = error_class, reason


class Atom(str):
    def __repr__(self):
        return f"Atom({str(self)!r})"


class Term:
    """Of a kind that Python has no value for; shown as Erlang shows it."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def check(result):
    if result != OK:
        raise Error(f"{lib.wb_result_text(result).decode()}: {lib.wb_error().decode()}")


def made(term):
    if not term:
        raise Error(lib.wb_error().decode())
    return term


def to_term(env, value):
    """The term of a Python value, in an environment."""
    def array(values):
        return (TERM * len(values))(*[to_term(env, v) for v in values])
    if isinstance(value, bool):
        return made(lib.wb_make_boolean(env, value))
    if isinstance(value, int):
        if not -2**63 <= value < 2**63:
            raise Error("an integer of more than 64 bits")
        return made(lib.wb_make_integer(env, value))
    if isinstance(value, float):
        return made(lib.wb_make_float(env, value))
    if isinstance(value, Atom):
        return made(lib.wb_make_atom(env, value.encode()))
    if isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        return made(lib.wb_make_binary(env, data, len(data)))
    if isinstance(value, tuple):
        return made(lib.wb_make_tuple(env, len(value), array(value)))
    if isinstance(value, list):
        return made(lib.wb_make_list(env, len(value), array(value)))
    if isinstance(value, dict):
        pairs = [x for pair in value.items() for x in pair]
        return made(lib.wb_make_map(env, len(value), array(pairs)))
    raise Error(f"no term for a {type(value).__name__}")


def from_term(env, term):
    """The Python value of a term."""
    kind = lib.wb_kind_of(env, term)
    if kind == 1:
        number = c.c_int64()
        if lib.wb_get_integer(env, term, c.byref(number)) == OK:
            return number.value
        return int(show(env, term))
    if kind == 2:
        number = c.c_double()
        check(lib.wb_get_float(env, term, c.byref(number)))
        return number.value
    if kind in (3, 5):
        text, size = c.c_void_p(), c.c_size_t()
        get = lib.wb_get_atom if kind == 3 else lib.wb_get_binary
        check(get(env, term, c.byref(text), c.byref(size)))
        data = c.string_at(text, size.value) if size.value else b""
        if kind == 5:
            return data
        name = data.decode()
        return {"true": True, "false": False}.get(name, Atom(name))
    if kind in (6, 7):
        values, head, tail = [], TERM(), TERM(term)
        while lib.wb_kind_of(env, tail) == 7:
            check(lib.wb_get_cons(env, tail, c.byref(head), c.byref(tail)))
            values.append(from_term(env, head.value))
        return values
    if kind == 8:
        size, element, values = c.c_size_t(), TERM(), []
        check(lib.wb_get_size(env, term, c.byref(size)))
        for index in range(size.value):
            check(lib.wb_get_element(env, term, index, c.byref(element)))
            values.append(from_term(env, element.value))
        return tuple(values)
    if kind == 9:
        keys, key, value, values = TERM(), TERM(), TERM(), {}
        check(lib.wb_map_keys(env, term, c.byref(keys)))
        while lib.wb_kind_of(env, keys) == 7:
            check(lib.wb_get_cons(env, keys, c.byref(key), c.byref(keys)))
            check(lib.wb_map_get(env, term, key, c.byref(value)))
            values[from_term(env, key.value)] = from_term(env, value.value)
        return values
    return Term(show(env, term))


def show(env, term):
    needed = c.c_size_t()
    check(lib.wb_print(env, term, None, 0, c.byref(needed)))
    text = c.create_string_buffer(needed.value)
    check(lib.wb_print(env, term, text, needed, None))
    return text.value.decode()


class Vm:
    def __init__(self, schedulers=0, stepped=False, jit=None):
        settings = Settings(size=c.sizeof(Settings), flags=STEPPED if stepped else 0, schedulers=schedulers,
                            jit=jit.encode() if jit else None)
        self.vm, self.env, self.functions = c.c_void_p(), c.c_void_p(), []
        check(lib.wb_vm_create(c.byref(settings), c.byref(self.vm)))
        check(lib.wb_env_new(self.vm, c.byref(self.env)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.wb_env_free(self.env)
        check(lib.wb_vm_destroy(self.vm))

    def load(self, beam):
        check(lib.wb_load(self.env, beam, len(beam), None))

    def call(self, module, function, *arguments, timeout=None):
        env, value = self.env, TERM()
        time = FOREVER if timeout is None else int(timeout * 1e6)
        try:
            result = lib.wb_call(env, module.encode(), function.encode(), to_term(env, list(arguments)), time,
                                 c.byref(value))
            if result == EXCEPTION:
                error_class, reason, _ = from_term(env, value.value)
                raise ErlangError(error_class, reason)
            check(result)
            return from_term(env, value.value)
        finally:
            lib.wb_env_clear(env)

    def step(self, seconds):
        check(lib.wb_vm_step(self.vm, int(seconds * 1e6)))

    def function(self, module, name, arity, body):
        """From now on module:name/arity is `body`, called by a thread of the machine."""
        def native(env, _data, count, arguments):
            try:
                return to_term(env, body(*[from_term(env, arguments[k]) for k in range(count)]))
            except Exception as e:
                return lib.wb_raise(env, b"error", to_term(env, (Atom("python_exception"), str(e))))
        kept = NATIVE(native)
        self.functions.append(kept)  # as long as the machine may call it
        check(lib.wb_native_function(self.vm, module.encode(), name.encode(), arity, kept, None, 0))
