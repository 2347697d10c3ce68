%% What is sent while a file is being sent goes behind it, in its order.
%% skip repeats: files named after the number of the operating system's process
-module(sendfile_order).
-export([main/1]).

main(_) ->
    File = "/tmp/sendfile_order-" ++ os:getpid(),
    ok = file:write_file(File, binary:copy(<<0:8192>>, 20000)),
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}]),
    {ok, Port} = inet:port(L),
    Me = self(),
    spawn_link(fun() -> server(L, Me) end),
    {ok, S} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    ok = gen_tcp:send(S, <<"before">>),
    {ok, F} = file:open(File, [read, raw, binary]),
    receive {server, Reader} -> ok end,
    spawn_link(fun() ->
        timer:sleep(200),                      % it has begun, and nobody reads
        spawn_link(fun() -> timer:sleep(100), Reader ! read end),
        Me ! {sent, gen_tcp:send(S, <<"behind, ">>)},
        Me ! {sent, gen_tcp:send(S, <<"in order">>)}
    end),
    io:format("~p~n", [file:sendfile(F, S, 0, 0, [])]),
    [receive {sent, X} -> io:format("~p~n", [X]) end || _ <- [1, 2]],
    ok = gen_tcp:shutdown(S, write),
    receive {read, Front, Zeros, Back} -> io:format("~p ~p ~p~n", [Front, Zeros, Back]) end,
    file:delete(File).

server(L, Me) ->
    {ok, S} = gen_tcp:accept(L),
    Me ! {server, self()},
    receive read -> ok end,
    <<Front:6/binary, Rest/binary>> = iolist_to_binary(all(S)),
    Zeros = zeros(Rest, 0),
    Me ! {read, Front, Zeros, binary:part(Rest, Zeros, byte_size(Rest) - Zeros)}.

all(S) ->
    case gen_tcp:recv(S, 0) of
        {ok, B} -> [B | all(S)];
        {error, closed} -> []
    end.

zeros(B, N) ->
    case B of
        <<_:N/binary, 0:8192, _/binary>> -> zeros(B, N + 1024);
        <<_:N/binary, 0, _/binary>> -> zeros(B, N + 1);
        _ -> N
    end.
