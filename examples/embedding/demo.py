"""Python and Erlang, each calling the other: python3 demo.py (WHITEBEAM_LIBRARY names the library)."""
from whitebeam import Atom, Error, ErlangError, Vm

with Vm(schedulers=1) as vm:
    print(vm.call("lists", "sum", [1, 2, 3]))
    print(vm.call("erlang", "list_to_tuple", [1, "two", 3.5, Atom("four"), {"five": [True]}]))
    print(vm.call("erlang", "bsl", 1, 100))
    try:
        vm.call("erlang", "binary_to_integer", "no number")
    except ErlangError as e:
        print(e)
    vm.function("python", "title", 1, lambda text: text.decode().title())
    vm.function("python", "fails", 0, lambda: 1 // 0)
    print(vm.call("python", "title", "called by erlang"))
    try:
        vm.call("python", "fails")
    except ErlangError as e:
        print(e.reason)
    try:
        vm.load(b"no module")
    except Error as e:
        print("refused:", str(e).split(":")[0])
    try:
        vm.call("timer", "sleep", Atom("infinity"), timeout=0.05)
    except Error as e:
        print(e)

with Vm(stepped=True) as vm:
    print(vm.call("lists", "seq", 1, 5))
