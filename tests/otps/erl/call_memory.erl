%% call_memory: words of heap that calls of traced functions use.
-module(call_memory).
-export([main/0, main/1, a/1, b/1, c/1, t/1, d/2, gcs/1, e/1]).
main() -> main([]).
a(N) -> lists:seq(1, N).
b(N) -> X = {N, N, N}, c(X), X.
c(X) -> [X, X].
t(0) -> done;
t(N) -> [N|N], t(N-1).
d(0, A) -> A;
d(N, A) -> d(N-1, [N|A]).
e(N) -> X = d(N, []), length(X).
gcs(N) -> R = d(N, []), erlang:garbage_collect(), length(R).
info(F,A) -> erlang:trace_info({?MODULE,F,A}, call_memory).
show({call_memory, false}) -> false;
show({call_memory, L}) when is_list(L) -> {call_memory, lists:sort([{C, W} || {_P, C, W} <- L])};
show(O) -> O.
main(_) ->
  Fs = [{a,1},{b,1},{c,1},{d,2},{gcs,1},{e,1}],
  io:format("~p~n", [erlang:trace_pattern({?MODULE,'_','_'}, true, [call_memory])]),
  erlang:trace(self(), true, [call]),
  _ = [?MODULE:a(10) || _ <- [1,2,3]],
  ?MODULE:b(3), ?MODULE:d(100, []), ?MODULE:gcs(5000), ?MODULE:e(2000),
  erlang:trace(self(), false, [call]),
  [io:format("~p ~p~n", [F, show(info(F,A))]) || {F,A} <- Fs],
  io:format("~p~n", [[{K, case V of L when is_list(L), K == call_memory -> length(L); _ -> V end} || {K, V} <- element(2, erlang:trace_info({?MODULE,a,1}, all))]]),
  io:format("~p~n", [element(1, element(2, catch erlang:trace_pattern({?MODULE,a,1}, [{'_',[],[]}], [call_memory])))]),
  io:format("~p~n", [erlang:trace_pattern({?MODULE,a,1}, pause, [call_memory])]),
  erlang:trace(self(), true, [call]), ?MODULE:a(10), erlang:trace(self(), false, [call]),
  io:format("~p ~p~n", [a, show(info(a,1))]),
  erlang:trace_pattern({?MODULE,a,1}, restart, [call_memory]),
  io:format("~p ~p~n", [a, show(info(a,1))]),
  erlang:trace_pattern({?MODULE,a,1}, true, [call_memory, call_time, call_count]),
  erlang:trace(self(), true, [call]), ?MODULE:a(10), erlang:trace(self(), false, [call]),
  io:format("~p ~p~n", [a, show(info(a,1))]),
  erlang:trace_pattern({?MODULE,a,1}, false, [call_memory]),
  io:format("~p ~p~n", [a, show(info(a,1))]),
  io:format("~p~n", [[K || {K, _} <- element(2, erlang:trace_info({?MODULE,a,1}, all))]]),
  io:format("~p~n", [erlang:trace_pattern({lists,seq,2}, true, [call_memory])]),
  io:format("~p~n", [erlang:trace_pattern({lists,reverse,2}, true, [call_memory])]),
  erlang:trace(self(), true, [call]), lists:seq(1,20), lists:reverse([1,2,3],[]), erlang:trace(self(), false, [call]),
  io:format("~p~n", [show(erlang:trace_info({lists,seq,2}, call_memory))]),
  io:format("~p~n", [show(erlang:trace_info({lists,reverse,2}, call_memory))]),
  P = spawn(fun() -> receive {go, X} -> ?MODULE:c(X) end, receive stop -> ok end end),
  erlang:trace_pattern({?MODULE,'_','_'}, true, [call_memory]),
  erlang:trace(P, true, [call]), P ! {go, lists:seq(1,100)}, timer:sleep(50),
  io:format("~p ~p~n", [c, show(info(c,1))]), P ! stop, timer:sleep(50),
  io:format("~p ~p~n", [c, show(info(c,1))]),
  erlang:trace_pattern(on_load, true, [call_memory]),
  io:format("~p~n", [erlang:trace_info(on_load, all)]),
  io:format("~p~n", [erlang:trace_info(on_load, call_memory)]).
