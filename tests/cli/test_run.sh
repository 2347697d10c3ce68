# Running: sources and the compile cache, functions, arguments, exit codes, uncaught errors.
source "$(dirname "$0")/check.sh"

program hello <<'P'
-module(hello).
-export([main/1, zero/0, both/0, both/1, fail/1, throws/1, exits/1, normal/1, stop/1, two/2]).
main(Args) -> io:format("main ~p~n", [Args]).
zero() -> io:format("zero~n").
both() -> io:format("arity 0~n").
both(_) -> io:format("arity 1~n").
fail(_) -> error({wrong, [1, 2]}).
throws(_) -> throw(ball).
exits(_) -> exit(leaving).
normal(_) -> exit(normal).
stop([N]) -> halt(list_to_integer(N)).
two(_, _) -> ok.
P
h=$scratch/hello.erl
expect 0 '^main \[\]$' "$WHITEBEAM" run "$h"
expect 0 '^main \["a","b c","-x","--help"\]$' "$WHITEBEAM" run "$h" main a "b c" -x --help
expect 0 '^zero$' "$WHITEBEAM" run "$h" zero
expect 0 '^arity 1$' "$WHITEBEAM" run "$h" both
expect 1 'wrong,\[1,2\]' "$WHITEBEAM" run "$h" fail
expect 1 'hello.*fail' "$WHITEBEAM" run "$h" fail
expect 1 'nocatch.*ball|ball.*nocatch' "$WHITEBEAM" run "$h" throws
expect 1 'leaving' "$WHITEBEAM" run "$h" exits
expect 7 '' "$WHITEBEAM" run "$h" stop 7
expect 0 '' "$WHITEBEAM" run "$h" stop 0
expect 2 'no_function' "$WHITEBEAM" run "$h" no_function
expect 2 'two' "$WHITEBEAM" run "$h" two
expect 0 'main' "$WHITEBEAM" run "${h%.erl}"

# The end of main is that of the machine: who lives on its socket, its table or its name sees none of it.
program owner <<'P'
-module(owner).
-export([main/1]).
main(_) ->
    register(owner, self()),
    ets:new(owner, [named_table, public]),
    {ok, L} = gen_tcp:listen(0, [{active, false}]),
    [spawn(F) || F <- [fun() -> {ok, _} = gen_tcp:accept(L) end, fun reads/0, fun sends/0]],
    spawn_link(fun() -> process_flag(trap_exit, true), Self = self(), owner ! {ready, Self}, receive M -> io:format("told: ~p~n", [M]) end end),
    receive {ready, _} -> io:format("done~n") end.
reads() -> ets:insert(owner, {k, 1}), reads().
sends() -> owner ! hello, sends().
P
for _ in 1 2 3 4 5; do [ "$("$WHITEBEAM" run "$scratch/owner.erl" 2>&1)" = done ] || { echo "FAILED: others outlive main"; failures=$((failures + 1)); }; done

# The cache: made once, made again when the source changes, not used when it does not compile.
beams() { find "$XDG_CACHE_HOME" -name hello.beam | wc -l; }
[ "$(beams)" = 1 ] || { echo "FAILED: $(beams) cached hello.beam"; failures=$((failures + 1)); }
sed -i 's/main ~p/changed ~p/' "$h"
expect 0 '^changed \[\]$' "$WHITEBEAM" run "$h"
echo 'broken(' >>"$h"
expect 2 'hello.erl:.*syntax error' "$WHITEBEAM" run "$h"

# An include file that changes makes the cached module stale.
echo '-define(WORD, "one").' >"$scratch/word.hrl"
program inc <<'P'
-module(inc).
-export([main/1]).
-include("word.hrl").
main(_) -> io:format("~s~n", [?WORD]).
P
expect 0 '^one$' "$WHITEBEAM" run "$scratch/inc.erl"
sleep 0.02
echo '-define(WORD, "two").' >"$scratch/word.hrl"
expect 0 '^two$' "$WHITEBEAM" run "$scratch/inc.erl"

# Modules beside the program and in -pa directories are found, -pa first.
program other <<'P'
-module(other).
-export([f/0]).
f() -> beside.
P
program asks <<'P'
-module(asks).
-export([main/1]).
main(_) -> io:format("~p~n", [other:f()]).
P
(cd "$scratch" && erlc other.erl asks.erl)
expect 0 '^beside$' "$WHITEBEAM" run "$scratch/asks.beam"
mkdir "$scratch/first"
sed 's/beside/first/' "$scratch/other.erl" >"$scratch/first/other.erl"
erlc -o "$scratch/first" "$scratch/first/other.erl"
expect 0 '^first$' "$WHITEBEAM" run -pa "$scratch/first" "$scratch/asks.beam"
expect 0 '^first$' "$WHITEBEAM" run -pa "$scratch" -pa "$scratch/first" asks
expect 0 '^beside$' "$WHITEBEAM" run -pa "$scratch/first" -pa "$scratch" asks

# So are applications in ERL_LIBS, each in its newest version, and directories of -pz.
mkdir -p "$scratch"/libs/app-1.{2,10}/ebin "$scratch/alone" "$scratch/last"
cp "$scratch/other.beam" "$scratch/libs/app-1.2/ebin"
cp "$scratch/first/other.beam" "$scratch/libs/app-1.10/ebin"
cp "$scratch/other.beam" "$scratch/last"
cp "$scratch/asks.beam" "$scratch/alone"
expect 1 'undef' "$WHITEBEAM" run "$scratch/alone/asks.beam"
expect 0 '^beside$' "$WHITEBEAM" run -pz "$scratch/last" "$scratch/alone/asks.beam"
expect 0 '^first$' env ERL_LIBS="/nowhere:$scratch/libs" "$WHITEBEAM" run -pz "$scratch/last" "$scratch/alone/asks.beam"
# What is not there is passed over, as erl does it.
expect 0 '^beside$' "$WHITEBEAM" run -pz /nowhere -pa /nowhere "$scratch/asks.beam"
program flags <<'EOF'
-module(flags).
-export([main/1]).
main(_) ->
    [put(N, init:get_argument(N)) || N <- [progname, nostick, nowhere]],
    io:format("~p~n", [{get(progname), get(nostick), get(nowhere), code:is_sticky(lists), code:is_sticky(erlang)}]).
EOF
expect 0 '^.{ok,\[\["erl"\]\]},error,error,true,true}$' "$WHITEBEAM" run "$scratch/flags.erl"
expect 0 '^.{ok,\[\["erl"\]\]},{ok,\[\[\]\]},error,false,true}$' "$WHITEBEAM" run -nostick "$scratch/flags.erl"

# Reports go to standard error, every one before the program ends, and are silenced as on erl.
program reports <<'EOF'
-module(reports).
-export([main/1]).
main(How) ->
    [error_logger:tty(false) || "silent" <- How],
    Pid = proc_lib:spawn(fun() -> exit(boom) end),
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    [logger:error("report ~p of ~p", [K, How]) || K <- lists:seq(1, 100)],
    io:format("done~n").
EOF
reports() { echo "$("$WHITEBEAM" run "$@" 2>"$scratch/err") $(grep -c "REPORT\|^report 100 of" "$scratch/err")"; }
export -f reports
export WHITEBEAM
expect 0 '^done 102$' bash -c 'reports "$@"' - "$scratch/reports.erl" main loud
expect 0 '^done 102$' bash -c 'reports "$@"' - --seed 3 "$scratch/reports.erl" main loud
expect 0 '^done 0$' bash -c 'reports "$@"' - "$scratch/reports.erl" main silent

# The first word after the program is a function.
expect 2 'reports has no function loud/1 or loud/0' "$WHITEBEAM" run "$scratch/reports.erl" loud
expect 2 'PROGRAM main loud$' "$WHITEBEAM" run "$scratch/reports.erl" loud

# Options work together.
expect 0 '^beside$' "$WHITEBEAM" run --schedulers 1 --stats "$scratch/asks.beam"
expect 0 '^beside$' "$WHITEBEAM" run --seed 5 "$scratch/asks.beam"
expect 0 '^beside$' "$WHITEBEAM" run --gc-stress "$scratch/asks.beam"
rm "$scratch/other.beam"
expect 1 'undef' "$WHITEBEAM" run "$scratch/asks.beam"
finish
