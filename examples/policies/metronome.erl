%% A beat every 10 milliseconds among many who compute: the policy `dedicated` (docs/policies-and-groups.md).
%%
%%     whitebeam run examples/policies/metronome.erl [main BEATS]
%%
%% Look at how late the beats come. By default the process that beats stands in a queue with the others, and waits for a slice of
%% each; with a thread of its own it waits for nobody.
-module(metronome).
-export([main/1]).

main([]) -> main(["50"]);
main([Text]) ->
    Beats = list_to_integer(Text),
    Others = [spawn(fun compute/0) || _ <- lists:seq(1, 200)],
    [io:format("~-9s ~b beats, half of them at most ~b us late, the latest ~b us~n", [Policy | lateness(Policy, Beats)])
     || Policy <- [default, dedicated]],
    [exit(P, kill) || P <- Others],
    ok.

compute() -> lists:sum(lists:seq(1, 100)), compute().

lateness(Policy, Beats) ->
    Main = self(),
    spawn_opt(fun() -> Main ! {late, beat(Beats, erlang:monotonic_time(microsecond), [])} end,
              [{priority, normal}, {whitebeam, [{policy, Policy}]}]),
    Late = lists:sort(receive {late, L} -> L end),
    [length(Late), lists:nth((Beats + 1) div 2, Late), lists:last(Late)].

beat(0, _, Late) -> Late;
beat(N, Last, Late) ->
    Due = Last + 10000,
    receive after max(0, (Due - erlang:monotonic_time(microsecond)) div 1000) -> ok end,
    Now = erlang:monotonic_time(microsecond),
    beat(N - 1, Now, [max(0, Now - Due) | Late]).
