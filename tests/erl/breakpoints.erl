%% erts_debug:breakpoint/2, with which a debugger takes over calls: they become the error handler's.
-module(breakpoints).
-export([main/1, breakpoint/3, undefined_function/3, one/1, two/2, loop/1, none/0]).
-include("show.hrl").

main(_) ->
    ?S(calls()),
    ?S(erts_debug:breakpoint({?MODULE, one, 1}, true)),
    ?S(calls()),
    process_flag(error_handler, ?MODULE),
    ?S(calls()),
    ?S(erts_debug:breakpoint({?MODULE, local, '_'}, true)),
    ?S(erts_debug:breakpoint({?MODULE, loop, 1}, true)),
    ?S(calls()),
    ?S(caught()),
    ?S(erts_debug:breakpoint({?MODULE, one, '_'}, false)),
    ?S(calls()),
    %% Others have an error handler of their own.
    process_flag(error_handler, error_handler),
    ?S(erts_debug:breakpoint({?MODULE, loop, 1}, false)),
    ?S(erts_debug:breakpoint({?MODULE, local, 3}, false)),
    ?S(calls()),
    ?S(erts_debug:breakpoint({?MODULE, '_', '_'}, false) > 10),
    %% Beside tracing.
    process_flag(error_handler, ?MODULE),
    1 = erlang:trace_pattern({?MODULE, two, 2}, true, [local]),
    ?S(erts_debug:breakpoint({?MODULE, two, 2}, true)),
    Me = self(),
    P = spawn(fun() -> process_flag(error_handler, ?MODULE), receive go -> Me ! {self(), two(a, "b")} end end),
    1 = erlang:trace(P, true, [call]),
    P ! go,
    ?S(receive {P, Answer} -> Answer end),
    ?S(receive {trace, P, What, MFA} -> {What, MFA} after 5000 -> nothing end),
    1 = erlang:trace_pattern({?MODULE, two, 2}, false, [local]),
    ?S(two(1, 2)),
    ?S(erts_debug:breakpoint({?MODULE, two, 2}, false)),
    ?S(two(1, 2)),
    [?S(erts_debug:breakpoint(X, true)) || X <- [a, {a}, {1, 2, 3}, {?MODULE, '_', 1}, {'_', one, 1}, {?MODULE, one, a}]],
    [?S(erts_debug:breakpoint(X, true)) || X <- [{?MODULE, no_function, 1}, {no_module, f, '_'}, {?MODULE, one, 7}]],
    ?S(erts_debug:breakpoint({?MODULE, one, 1}, perhaps)).

calls() ->
    F = fun ?MODULE:one/1,
    [one(1), ?MODULE:one(2), apply(?MODULE, id(one), [3]), F(4), lists:map(fun one/1, [5, 6]), two(a, b), loop(1000), local(1, "two", {3})].
caught() ->
    try one(throw) catch C:R -> {C, R} end.

breakpoint(?MODULE, one, [throw]) -> throw(taken);
breakpoint(M, F, Args) -> {taken, M, F, Args}.
undefined_function(M, F, Args) -> error_handler:undefined_function(M, F, Args).

one(X) -> {one, X}.
two(X, Y) -> {two, X, Y}.
loop(0) -> done;
loop(N) -> loop(N - 1).
none() -> none.
local(A, B, C) -> {local, [A, B, C]}.
