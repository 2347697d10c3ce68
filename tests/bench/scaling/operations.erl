%% One operation N times, and nothing else: what `locked_instructions` counts. main([Operation, N]).
-module(operations).
-behaviour(gen_server).
-export([main/1, names/0, init/1, handle_call/3, handle_cast/2]).

names() -> [message, flood, call, named, spawn, timer, ets, binary, ref, unique, error, apply, persistent, counter].

main(["none", _]) -> ok;
main([Name, N]) ->
    run(list_to_atom(Name), list_to_integer(N)).

run(message, N) ->  % there and back
    Self = self(),
    Peer = spawn_link(fun() -> echo(Self) end),
    repeat(N, fun() -> Peer ! x, receive x -> ok end end);
run(flood, N) ->
    Self = self(),
    Sink = spawn_link(fun() -> sink(N), Self ! done end),
    repeat(N, fun() -> Sink ! x end),
    receive done -> ok end;
run(call, N) ->
    {ok, Server} = gen_server:start_link(?MODULE, [], []),
    repeat(N, fun() -> x = gen_server:call(Server, x) end);
run(named, N) ->
    {ok, _} = gen_server:start_link({local, ?MODULE}, ?MODULE, [], []),
    repeat(N, fun() -> x = gen_server:call(?MODULE, x) end);
run(spawn, N) ->  % its end is waited for
    repeat(N, fun() -> {_, Ref} = spawn_monitor(fun() -> ok end), receive {'DOWN', Ref, _, _, _} -> ok end end);
run(timer, N) ->
    Self = self(),
    repeat(N, fun() -> erlang:cancel_timer(erlang:send_after(100000, Self, x)) end);
run(ets, N) ->  % a row is written and read
    Table = ets:new(t, [public, {write_concurrency, true}, {read_concurrency, true}]),
    ets:insert(Table, {x, 1}),
    repeat(N, fun() -> ets:insert(Table, {x, 2}), ets:lookup(Table, x) end);
run(binary, N) ->  % one that is kept outside of heaps, there and back
    Self = self(),
    Binary = binary:copy(<<1>>, 1000),
    Peer = spawn_link(fun() -> echo(Self) end),
    repeat(N, fun() -> Peer ! Binary, receive Binary -> ok end end);
run(ref, N) -> repeat(N, fun() -> make_ref() end);
run(unique, N) -> repeat(N, fun() -> erlang:unique_integer() end);
run(error, N) -> repeat(N, fun() -> try error(x) catch error:x:S -> hd(S) end end);
run(apply, N) ->
    Modules = {?MODULE, lists},
    repeat(N, fun() -> apply(element(1, Modules), names, []) end);
run(persistent, N) ->
    persistent_term:put(x, {1, 2}),
    repeat(N, fun() -> persistent_term:get(x) end);
run(counter, N) ->  % each core its own
    Counters = counters:new(1, [write_concurrency]),
    repeat(N, fun() -> counters:add(Counters, 1, 1) end).

repeat(0, _) -> ok;
repeat(N, Fun) -> Fun(), repeat(N - 1, Fun).

echo(To) -> receive X -> To ! X, echo(To) end.
sink(0) -> ok;
sink(N) -> receive x -> sink(N - 1) end.

init(State) -> {ok, State}.
handle_call(X, _, State) -> {reply, X, State}.
handle_cast(_, State) -> {noreply, State}.
