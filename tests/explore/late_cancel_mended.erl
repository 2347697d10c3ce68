%% late_cancel.erl, mended.
-module(late_cancel_mended).
-export([main/1]).

main(_) ->
    Server = spawn_link(fun serve/0),
    Timer = erlang:send_after(20, self(), give_up),
    Server ! {self(), 1},
    receive {Server, 1} -> ok end,
    case erlang:cancel_timer(Timer) of
        false -> receive give_up -> ok end;
        _ -> ok
    end,
    Server ! {self(), 2},
    receive
        {Server, 2} -> ok;
        give_up -> exit(gave_up_too_early)
    end,
    Server ! stop,
    ok.

serve() -> receive {From, N} -> From ! {self(), N}, serve(); stop -> ok end.
