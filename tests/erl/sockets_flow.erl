%% Much data by TCP: large transfers, packets, files, watermarks and what waits at them.
%% skip repeats: files named after the number of the operating system's process
%% skip gc-stress: fifty megabytes, and lists of many thousand bytes
-module(sockets_flow).
-export([main/1]).

-include("tcp.hrl").

main(_) ->
    [test(Name, Fun) || {Name, Fun} <-
        [{echo, fun echo/0}, {large, fun large/0}, {flow, fun flow/0}, {again, fun again/0}]].

echo() ->
    [begin
         {S, C} = pair([{packet, P}, M], [{packet, P}, M]),
         Bytes = [($a + K rem 26) || K <- lists:seq(1, 60000)],
         spawn_link(fun() -> ok = gen_tcp:send(C, Bytes) end),
         {ok, Got} = gen_tcp:recv(S, case P of raw -> 60000; _ -> 0 end),
         show({P, M}, {iolist_to_binary(Got) =:= list_to_binary(Bytes), is_binary(Got)})
     end || P <- [raw, 2, 4], M <- [list, binary]].

large() ->
    Size = 50 * 1024 * 1024,
    {S, C} = pair([binary], [binary]),
    Self = self(),
    spawn_link(fun() ->
                       Chunk = binary:copy(<<"0123456789abcdef">>, 64 * 1024),
                       receive go -> ok end,
                       [ok = gen_tcp:send(C, Chunk) || _ <- lists:seq(1, Size div byte_size(Chunk))],
                       ok = gen_tcp:close(C),
                       Self ! sent
               end) ! go,
    show(read, read_all(S, 0, erlang:adler32(<<>>))),
    receive sent -> ok end,
    {S2, C2} = pair([binary], [binary, {active, once}]),
    spawn_link(fun() -> ok = gen_tcp:send(S2, binary:copy(<<"xyz">>, 1000000)), gen_tcp:close(S2) end),
    show(active, once_all(C2, 0)),
    {S3, C3} = pair([binary, {packet, 4}], [binary, {packet, 4}]),
    spawn_link(fun() -> gen_tcp:send(S3, binary:copy(<<"z">>, 10000000)) end),
    {ok, Whole} = gen_tcp:recv(C3, 0),
    show(packet, {byte_size(Whole), erlang:crc32(Whole)}).

read_all(S, N, Sum) ->
    case gen_tcp:recv(S, 100000) of
        {ok, B} -> read_all(S, N + byte_size(B), erlang:adler32(Sum, B));
        {error, closed} -> {N, Sum}
    end.

once_all(C, N) ->
    receive
        {tcp, C, B} -> inet:setopts(C, [{active, once}]), once_all(C, N + byte_size(B));
        {tcp_closed, C} -> N
    end.

flow() ->
    {S, C} = pair([binary, {recbuf, 4096}], [{sndbuf, 4096}, {high_watermark, 100000}, {low_watermark, 1000},
                                             {send_timeout, 200}]),
    Big = binary:copy(<<"b">>, 1000000),
    show(queued, gen_tcp:send(C, Big)),
    show(pending, [P > 100000 || {send_pend, P} <- element(2, inet:getstat(C, [send_pend]))]),
    show(blocked, gen_tcp:send(C, "more")),
    show(nosuspend, prim_inet:send(C, "x", [nosuspend])),
    Self = self(),
    inet:setopts(C, [{send_timeout, infinity}]),
    Blocked = spawn(fun() -> Self ! {self(), gen_tcp:send(C, "even more")} end),
    show(still, receive {Blocked, _} -> answered after 100 -> blocked end),
    show(read, catch gen_tcp:recv(S, 1000000, 20000)),
    show(went, receive {Blocked, R} -> R after 20000 -> stuck end),
    {S2, C2} = pair([{recbuf, 4096}], [{sndbuf, 4096}]),
    gen_tcp:send(C2, Big),
    spawn_link(fun() -> timer:sleep(100), inet:setopts(S2, [{active, true}]) end),
    ok = gen_tcp:controlling_process(S2, spawn(fun() -> count(0, Self) end)),
    show(closed, gen_tcp:close(C2)),
    show(count, receive {count, N} -> N after 20000 -> stuck end).

count(N, To) ->
    receive
        {tcp, _, L} -> count(N + length(L), To);
        {tcp_closed, _} -> To ! {count, N}
    end.

again() ->
    {S, C} = pair([], []),
    ok = gen_tcp:send(S, "abcdef"),
    show(first, gen_tcp:recv(C, 2)),
    show(unrecv, [gen_tcp:unrecv(C, "xy"), gen_tcp:recv(C, 3), gen_tcp:recv(C, 3)]),
    show(stat, inet:getstat(S, [send_oct, send_cnt, send_max, send_avg])),
    show(stat, inet:getstat(C, [recv_oct, recv_cnt, recv_max, recv_avg])),
    File = "/tmp/sockets_file_" ++ os:getpid(),
    ok = file:write_file(File, lists:duplicate(200000, $f)),
    show(file, file:sendfile(File, S)),
    {ok, All} = gen_tcp:recv(C, 200000),
    show(all, length(All)),
    file:delete(File).
