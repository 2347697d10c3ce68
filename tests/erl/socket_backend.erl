%% gen_tcp and gen_udp over kernel's `socket`: {inet_backend, socket}.
-module(socket_backend).
-export([main/0, main/1]).

main([_ | _] = Names) -> run([list_to_atom(N) || N <- Names]);
main(_) -> main().

main() ->
    run([passive, active, packets, timeouts, closing, options, echo, udp, errors]).

run(Tests) ->
    [begin io:format("~n== ~w~n", [T]), test(T) end || T <- Tests],
    ok.

say(Text, F) -> io:format("~s: ~0p~n", [Text, try F() catch C:R -> {raised, C, R} end]).

-define(BACKEND, {inet_backend, socket}).

pair(Options) ->
    {ok, L} = gen_tcp:listen(0, [?BACKEND, {ip, {127, 0, 0, 1}} | Options]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [?BACKEND | Options]),
    {ok, S} = gen_tcp:accept(L),
    gen_tcp:close(L),
    {C, S}.

test(passive) ->
    {C, S} = pair([binary, {active, false}]),
    say("send", fun() -> gen_tcp:send(C, ["hello", <<" ">>, "world"]) end),
    say("recv", fun() -> gen_tcp:recv(S, 5) end),
    say("recv", fun() -> gen_tcp:recv(S, 0) end),
    say("list", fun() -> ok = inet:setopts(S, [list]), ok = gen_tcp:send(C, "abc"), gen_tcp:recv(S, 3) end),
    say("much", fun() -> Data = binary:copy(<<"0123456789">>, 200000), ok = inet:setopts(S, [binary]), spawn(fun() -> gen_tcp:send(C, Data) end),
                         {ok, B} = gen_tcp:recv(S, byte_size(Data)), B =:= Data end),
    say("names", fun() -> {inet:sockname(C) =:= inet:peername(S), inet:peername(C) =:= inet:sockname(S)} end),
    gen_tcp:close(C), gen_tcp:close(S);

test(active) ->
    {C, S} = pair([binary, {active, true}]),
    say("data", fun() -> ok = gen_tcp:send(C, "abc"), receive {tcp, S, D} -> D after 2000 -> nothing end end),
    say("once", fun() -> ok = inet:setopts(S, [{active, once}]), ok = gen_tcp:send(C, "x"), receive {tcp, S, D} -> D after 2000 -> nothing end end),
    say("no more", fun() -> ok = gen_tcp:send(C, "y"), receive {tcp, S, D} -> D after 50 -> inet:getopts(S, [active]) end end),
    say("n", fun() -> ok = inet:setopts(S, [{active, 1}]), [receive {tcp, S, D} -> D; {tcp_passive, S} -> passive after 2000 -> nothing end || _ <- [1, 2]] end),
    say("closed", fun() -> ok = inet:setopts(S, [{active, true}]), gen_tcp:close(C), receive {tcp_closed, S} -> closed after 2000 -> nothing end end),
    gen_tcp:close(S);

test(packets) ->
    {C, S} = pair([binary, {active, false}, {packet, 2}]),
    say("two", fun() -> ok = gen_tcp:send(C, "one"), ok = gen_tcp:send(C, "two"), {gen_tcp:recv(S, 0), gen_tcp:recv(S, 0)} end),
    say("line", fun() -> ok = inet:setopts(C, [{packet, raw}]), ok = inet:setopts(S, [{packet, line}]), ok = gen_tcp:send(C, "a\nb\nc"),
                         {gen_tcp:recv(S, 0), gen_tcp:recv(S, 0)} end),
    gen_tcp:close(C), gen_tcp:close(S);

test(timeouts) ->
    {C, S} = pair([binary, {active, false}]),
    say("recv", fun() -> gen_tcp:recv(S, 0, 30) end),
    say("part", fun() -> ok = gen_tcp:send(C, "ab"), gen_tcp:recv(S, 5, 50) end),
    say("then", fun() -> gen_tcp:recv(S, 0, 50) end),
    {ok, L} = gen_tcp:listen(0, [?BACKEND]),
    say("accept", fun() -> gen_tcp:accept(L, 30) end),
    [gen_tcp:close(X) || X <- [C, S, L]];

test(closing) ->
    {C, S} = pair([binary, {active, false}]),
    say("shutdown", fun() -> gen_tcp:shutdown(C, write) end),
    say("end", fun() -> gen_tcp:recv(S, 0) end),
    say("back", fun() -> ok = gen_tcp:send(S, "back"), gen_tcp:recv(C, 0) end),
    say("close", fun() -> {gen_tcp:close(C), gen_tcp:close(C)} end),
    say("closed", fun() -> {gen_tcp:send(C, "x"), gen_tcp:recv(C, 0)} end),
    gen_tcp:close(S),
    {C2, S2} = pair([binary, {active, false}]),
    Me = self(),
    Waits = spawn(fun() -> Me ! {self(), gen_tcp:recv(S2, 0)} end),
    receive after 30 -> ok end,
    say("while another reads", fun() -> gen_tcp:close(S2) end),
    say("told", fun() -> receive {Waits, R} -> R after 2000 -> nothing end end),
    gen_tcp:close(C2);

test(options) ->
    {C, S} = pair([binary, {active, false}]),
    say("get", fun() -> inet:getopts(C, [mode, packet, active, nodelay, keepalive, reuseaddr, exit_on_close, send_timeout, header, deliver]) end),
    say("set", fun() -> [inet:setopts(C, [O]) || O <- [{nodelay, true}, {keepalive, true}, {linger, {true, 1}}, {foo, 1}, {active, foo}, {packet, 3}]] end),
    say("get", fun() -> inet:getopts(C, [nodelay, keepalive, linger]) end),
    say("statistics", fun() -> ok = gen_tcp:send(C, "12345"), {ok, _} = gen_tcp:recv(S, 5), {inet:getstat(C, [send_oct, send_cnt]), inet:getstat(S, [recv_oct])} end),
    gen_tcp:close(C), gen_tcp:close(S);

test(echo) ->
    {ok, L} = gen_tcp:listen(0, [?BACKEND, binary, {active, false}, {backlog, 100}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    Me = self(),
    N = 20,
    spawn_link(fun() -> accept_all(L, N), receive stop -> ok end end),
    [spawn_link(fun() ->
                        {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [?BACKEND, binary, {active, false}]),
                        R = [begin ok = gen_tcp:send(C, <<I:32>>), {ok, <<J:32>>} = gen_tcp:recv(C, 4), J end || I <- lists:seq(1, 20)],
                        gen_tcp:close(C),
                        Me ! {sum, lists:sum(R)}
                end) || _ <- lists:seq(1, N)],
    say("sum", fun() -> lists:sum([receive {sum, X} -> X end || _ <- lists:seq(1, N)]) end);

test(udp) ->
    {ok, A} = gen_udp:open(0, [?BACKEND, binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, B} = gen_udp:open(0, [?BACKEND, binary, {active, true}, {ip, {127, 0, 0, 1}}]),
    {ok, AP} = inet:port(A), {ok, BP} = inet:port(B),
    say("active", fun() -> ok = gen_udp:send(A, {127, 0, 0, 1}, BP, "hello"), receive {udp, B, Ip, P, D} -> {Ip, P =:= AP, D} after 2000 -> nothing end end),
    say("passive", fun() -> ok = gen_udp:send(B, {127, 0, 0, 1}, AP, "back"), {ok, {Ip, P, D}} = gen_udp:recv(A, 0, 2000), {Ip, P =:= BP, D} end),
    say("timeout", fun() -> gen_udp:recv(A, 0, 20) end),
    say("close", fun() -> {gen_udp:close(A), gen_udp:close(B)} end);

test(errors) ->
    {ok, L} = gen_tcp:listen(0, [?BACKEND, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    say("in use", fun() -> gen_tcp:listen(Port, [?BACKEND, {ip, {127, 0, 0, 1}}]) end),
    gen_tcp:close(L),
    say("refused", fun() -> gen_tcp:connect({127, 0, 0, 1}, Port, [?BACKEND]) end),
    say("bad option", fun() -> gen_tcp:connect({127, 0, 0, 1}, Port, [?BACKEND, {foo, bar}]) end).

accept_all(_, 0) -> ok;
accept_all(L, N) ->
    {ok, S} = gen_tcp:accept(L),
    Pid = spawn(fun() -> receive go -> echo(S) end end),
    ok = gen_tcp:controlling_process(S, Pid),
    Pid ! go,
    accept_all(L, N - 1).

echo(S) ->
    case gen_tcp:recv(S, 4) of
        {ok, D} -> ok = gen_tcp:send(S, D), echo(S);
        {error, closed} -> gen_tcp:close(S)
    end.
