# quick
# Our modules for programs are found on a booted machine, with nothing on the code path; for `erl` they are compiled here.
if [ -z "${WHITEBEAM_FLAGS+ours}" ]; then
  for module in actor chan reactor; do erlc "$WB_CASES/../../../lib/whitebeam_$module.erl"; done
fi
cat >first.erl <<'END'
-module(first).
-export([chan/0, reactor/0, actor/0]).
chan() ->
    C = whitebeam_chan:new(),
    spawn(fun() -> [whitebeam_chan:send(C, N) || N <- [1, 2, 3]], whitebeam_chan:close(C) end),
    whitebeam_chan:to_list(C).
reactor() ->
    Self = self(),
    Main = whitebeam_reactor:spawn(fun({_, Events}) -> whitebeam_reactor:on_event(Events, fun(X) -> Self ! {got, X} end) end),
    whitebeam_reactor:send(Main, event),
    receive {got, X} -> X end.
actor() ->
    Pid = spawn(fun() -> whitebeam_actor:loop(fun(X) -> whitebeam_actor:reply({echo, X}) end) end),
    whitebeam_actor:ask(Pid, hello).
END
erlc first.erl
erl -noshell -pa . -eval '[io:format("~p~n", [first:F()]) || F <- [chan, reactor, actor]],
  io:format("~p~n", [code:ensure_loaded(whitebeam_chan)]),
  io:format("~p~n", [try whitebeam_chan:no_such_function() catch error:Why -> Why end]), halt().'
# By apply, and from a fun that comes before its module.
erl -noshell -eval 'io:format("~p~n", [apply(whitebeam_chan, to_list, [apply(whitebeam_chan, from_list, ["ab"])])]), halt().'
erl -noshell -eval 'F = fun whitebeam_chan:len/1, io:format("~p~n", [F(nil)]), halt().'
erl -noshell -eval 'io:format("~p~n", [catch whitebeam_no_such_module:f()]), halt().' | head -1
