%% One who computes among 200 others: the policy `dedicated` (docs/policies-and-groups.md).
%%
%%     whitebeam run examples/policies/soloist.erl [main MILLISECONDS]
%%
%% Look at how many rounds it gets done. By default it has its turn as everybody has, one of 201; with a thread of its own it has
%% what the operating system gives a thread, however many processes the others are.
-module(soloist).
-export([main/1]).

main([]) -> main(["500"]);
main([Text]) ->
    Milliseconds = list_to_integer(Text),
    Others = [spawn(fun compute/0) || _ <- lists:seq(1, 200)],
    [io:format("~-9s ~b rounds~n", [Policy, rounds(Policy, Milliseconds)]) || Policy <- [default, dedicated]],
    [exit(P, kill) || P <- Others],
    ok.

compute() -> round(), compute().

round() -> lists:sum(lists:seq(1, 100)).

rounds(Policy, Milliseconds) ->
    {Soloist, Ref} = spawn_opt(fun() -> exit({done, until(erlang:monotonic_time(millisecond) + Milliseconds, 0)}) end,
                               [monitor, {whitebeam, [{policy, Policy}]}]),
    receive {'DOWN', Ref, process, Soloist, {done, Rounds}} -> Rounds end.

until(End, N) ->
    case erlang:monotonic_time(millisecond) < End of
        true -> round(), until(End, N + 1);
        false -> N
    end.
