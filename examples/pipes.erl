%% Pairs of processes, each with a connection between them; who has sent a block receives next (*Scala Actors*, where
%% 10,000 pairs exchange their roles over pipes).
%%
%%     whitebeam run examples/pipes.erl [main PAIRS ROUNDS BYTES]
%%
%% Look at side/6: each process waits for its own socket only, and no thread waits for any: all of them are in one
%% poller. A pair takes two descriptors: for 10,000 pairs `ulimit -n` must be above 20,000.
%% args: 50 6 1000
%% skip seeds: a seeded run opens no sockets
%% skip repeats: a seeded run opens no sockets
-module(pipes).
-export([main/1]).

main([]) -> pipes(1_000, 10, 10_000);
main(Numbers) ->
    [Pairs, Rounds, Bytes] = [list_to_integer(N) || N <- Numbers],
    pipes(Pairs, Rounds, Bytes).

pipes(Pairs, Rounds, Bytes) ->
    Main = self(),
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}, {backlog, 1024}, {nodelay, true}]),
    {ok, Port} = inet:port(Listener),
    Sides = lists:append([pair(Listener, Port, Rounds, Bytes, Main) || _ <- lists:seq(1, Pairs)]),
    gen_tcp:close(Listener),
    [Side ! go || Side <- Sides],
    Moved = lists:sum([receive {moved, N} -> N end || _ <- Sides]),
    io:format("~b pairs, ~b rounds: ~b bytes received~n", [Pairs, Rounds, Moved]).

pair(Listener, Port, Rounds, Bytes, Main) ->
    {ok, A} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}, {nodelay, true}]),
    {ok, B} = gen_tcp:accept(Listener),
    [owner(A, writer, Rounds, Bytes, Main), owner(B, reader, Rounds, Bytes, Main)].

owner(Socket, Role, Rounds, Bytes, Main) ->
    Pid = spawn_link(fun() -> receive go -> side(Role, Socket, Rounds, Bytes, Main) end end),
    ok = gen_tcp:controlling_process(Socket, Pid),
    Pid.

side(Role, Socket, Rounds, Bytes, Main) -> Main ! {moved, side(Role, Socket, Rounds, Bytes, <<7:Bytes/unit:8>>, 0)}.

side(_, Socket, 0, _, _, Moved) -> gen_tcp:close(Socket), Moved;
side(writer, Socket, Rounds, Bytes, Block, Moved) ->
    ok = gen_tcp:send(Socket, Block),
    side(reader, Socket, Rounds - 1, Bytes, Block, Moved);
side(reader, Socket, Rounds, Bytes, Block, Moved) ->
    side(writer, Socket, Rounds - 1, Bytes, Block, Moved + receive_all(Socket, Bytes)).

receive_all(_, 0) -> 0;
receive_all(Socket, Bytes) ->
    ok = inet:setopts(Socket, [{active, once}]),
    receive {tcp, Socket, Data} -> byte_size(Data) + receive_all(Socket, Bytes - byte_size(Data)) end.
