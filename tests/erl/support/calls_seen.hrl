%% A tracer: what functions are called with and return, for who asks.
collect(To, L) ->
    receive
        {trace, _, call, {_, F, A}} -> collect(To, [{F, A} | L]);
        {trace, _, return_from, {_, F, A}, R} -> collect(To, [{F, A, R} | L]);
        give -> To ! {seen, lists:reverse(L)}
    end.
