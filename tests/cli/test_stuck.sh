# A seeded run in which nothing can happen any more says who waits for what, in which line, and ends with an exit
# code of its own; one in which a timer is set, or somebody is alive who will run, goes on.
source "$(dirname "$0")/check.sh"

program stuck <<'P'
-module(stuck).
-behaviour(gen_server).
-export([main/1, circle/1, wait/1, timer/1, worker/1, suspended/1, link/1, init/1, handle_call/3, handle_cast/2]).
main(_) -> io:format("fine~n").
circle(_) ->
    {ok, A} = gen_server:start({local, a}, ?MODULE, [], []),
    {ok, _} = gen_server:start({local, b}, ?MODULE, [], []),
    gen_server:call(A, {ask, b, a}, infinity).
wait(_) ->
    io:format("before~n"),
    self() ! {hello, 1},
    receive {goodbye, _} -> ok end.
timer(_) -> receive x -> ok after 3600000 -> io:format("an hour~n") end.
worker(_) ->
    Self = self(),
    spawn(fun() -> timer:sleep(10000), Self ! done end),
    receive done -> io:format("done~n") end.
suspended(_) ->
    Pid = spawn(fun() -> receive x -> ok end end),
    erlang:suspend_process(Pid),
    Pid ! x,
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, _, _, _} -> ok end.
link(_) -> process_flag(trap_exit, true), receive {'EXIT', _, _} -> ok end.
init(_) -> {ok, []}.
handle_call({ask, B, A}, _, S) ->
    R = gen_server:call(B, {ask, A, B}, infinity),
    {reply, R, S}.
handle_cast(_, S) -> {noreply, S}.
P
run() { "$WHITEBEAM" run --seed 1 "$scratch/stuck.erl" "$@"; }
export -f run
export WHITEBEAM

expect 0 '^fine$' bash -c 'run main'
expect 72 'nothing can happen any more' bash -c 'run circle'
expect 72 'a circle: a waits for b waits for a|a circle: b waits for a waits for b' bash -c 'run circle'
expect 72 'a \(stuck:init/1\) waits for the answer of <[0-9.]+> b .* called by stuck:handle_call/3 \(.*stuck.erl:27\)' bash -c 'run circle'
expect 72 'main \(stuck:wait/1\) waits for a message in stuck:wait/1 \(.*stuck.erl:11\); 1 message in its queue, of which none is wanted: \{hello,1\}' bash -c 'run wait'
expect 72 '^before$' bash -c 'run wait'
expect 0 '^an hour$' bash -c 'run timer'
expect 0 '^done$' bash -c 'run worker'
expect 72 'is suspended in' bash -c 'run suspended'
expect 72 'waits for a message in stuck:link/1' bash -c 'run link'
finish
