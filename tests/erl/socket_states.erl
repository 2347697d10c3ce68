%% What inet:info/1 says of the states of sockets; options that came beside packets (pktoptions).
%% skip seeds: in a run's own network TCP keeps nothing of what came beside packets
-module(socket_states).
-export([main/1]).
i(W, S) -> I = inet:info(S), io:format("~p ~p~n", [W, lists:sort(maps:to_list(maps:with([states, rstates, wstates, num_acceptors, num_writers, num_readers, type], I)))]).
%% Once it is in that state, or has left it.
i(W, S, State) -> until(200, fun() -> lists:member(State, states(S)) end), i(W, S).
left(W, S, State) -> until(200, fun() -> not lists:member(State, states(S)) end), i(W, S).
states(S) -> lists:append([maps:get(K, inet:info(S), []) || K <- [states, rstates, wstates]]).
until(0, _) -> ok;
until(N, F) -> case F() of true -> ok; false -> timer:sleep(25), until(N - 1, F) end.
main(_) ->
  {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {delay_send, true}]), {ok, P} = inet:port(L),
  i(listening, L),
  A = spawn(fun() -> gen_tcp:accept(L) end), i(accepting, L, accepting),
  exit(A, kill), left(killed, L, accepting),
  As = [spawn(fun() -> gen_tcp:accept(L) end) || _ <- [1,2,3]], i(three, L, accepting),
  exit(hd(As), kill), timer:sleep(100), i(two, L),
  [exit(X, kill) || X <- As], left(none, L, accepting),
  Me = self(),
  spawn(fun() -> {ok, S} = gen_tcp:accept(L), gen_tcp:controlling_process(S, Me), Me ! {s, S} end),
  {ok, C} = gen_tcp:connect({127,0,0,1}, P, [binary, {active, false}, {high_watermark, 1000}, {low_watermark, 100},{sndbuf,4096},{recbuf,4096}]), S = receive {s, X1} -> X1 end,
  i(client, C), i(server, S),
  R = spawn(fun() -> gen_tcp:recv(C, 0) end), timer:sleep(100), i(receiving, C), exit(R, kill), timer:sleep(50), i(received, C),
  inet:setopts(C, [{active, once}]), i(once, C), inet:setopts(C, [{active, false}]),
  W = spawn(fun() -> [gen_tcp:send(C, <<0:(8*20000)>>) || _ <- lists:seq(1, 1000)] end), i(busy, C, busy), exit(W, kill),
  ok = gen_tcp:close(S), timer:sleep(50), i(peer_closed, C),
  gen_tcp:close(C), io:format("~p~n", [inet:info(C)]), i(again, L), gen_tcp:close(L),
  {ok, U} = gen_udp:open(0, [{active, false}]), i(udp, U), R2 = spawn(fun() -> gen_udp:recv(U, 0) end), timer:sleep(50), i(udp_receiving, U), exit(R2, kill), timer:sleep(50), i(udp, U),
  beside().

beside() ->
  On = [inet, binary, {active, false}, {recvtos, true}, {recvttl, true}],
  {ok, L} = gen_tcp:listen(0, On), {ok, P} = inet:port(L),
  {ok, C} = gen_tcp:connect({127,0,0,1}, P, [{tos, 96}, {ttl, 33} | On]),
  {ok, S} = gen_tcp:accept(L),
  Show = fun(X) -> io:format("~p~n", [inet:getopts(X, [pktoptions])]) end,
  Show(S), Show(C), Show(L),
  gen_tcp:send(C, <<"hello">>), io:format("~p~n", [gen_tcp:recv(S, 0)]),
  Show(S), Show(C).
