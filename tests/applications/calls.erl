%% What all cases use.
-module(calls).
-export([try_/1, show/2, everywhere/1, everywhere/3]).

%% The value, or class, reason and the function that failed.
try_(F) ->
    try F()
    catch C:R:Stack -> failed(C, R, Stack)
    end.
failed(C, R, [{M, N, A, _} | _]) -> {C, R, M, N, A};
failed(C, R, []) -> {C, R}.

%% Addresses differ from run to run.
show(What, Value) ->
    Text = io_lib:format("~0tp: ~0tp~n", [What, Value]),
    io:put_chars(re:replace(Text, "(#Ref|#Port|#Fun)?<[0-9A-Za-z_./-]+>", "ADDRESS", [global, unicode, {return, list}])).

%% F(K) for 10,000 K by this process, and as often by a hundred processes at once: a hash of the results.
everywhere(F) -> everywhere(F, 10000, 100).
everywhere(F, Times, Processes) ->
    Results = [try_(fun() -> F(K) end) || K <- lists:seq(1, Times)],
    show(many_times, erlang:phash2(Results)),
    Each = Times div Processes,
    Pids = [spawn_monitor(fun() -> exit({done, [try_(fun() -> F(K) end) || K <- lists:seq(P * Each + 1, (P + 1) * Each)]}) end)
            || P <- lists:seq(0, Processes - 1)],
    Of = [receive {'DOWN', Ref, _, _, {done, R}} -> R; {'DOWN', Ref, _, _, Other} -> {died, Other} end || {_, Ref} <- Pids],
    show(at_once, erlang:phash2(lists:append(Of)) =:= erlang:phash2(Results)),
    [show(died, D) || D = {died, _} <- Of],
    ok.
