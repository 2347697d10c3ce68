%% Customers are served in the order in which they came, whatever desk they stand at: the policy `{oldest_first, Bound}`
%% (docs/policies-and-groups.md).
%%
%%     whitebeam run --schedulers 1 examples/policies/fair_desks.erl [main CUSTOMERS]
%%
%% Customers come one after the other, each to one of five desks, most of them to the first. A desk is a process. Look at how many
%% who came later were served before one who had to wait: by default a desk serves all who stand there, and who came first to
%% another waits for that. With a bound of 1 nobody is overtaken, with a larger one by less than that many, and the machine goes
%% from desk to desk less often.
-module(fair_desks).
-export([main/1]).

main([]) -> main(["1000"]);
main([Text]) ->
    N = list_to_integer(Text),
    [io:format("~-18s one was overtaken by ~b of ~b~n", [io_lib:format("~0p", [Policy]), overtaken(serve(Policy, N)), N])
     || Policy <- [default, {oldest_first, 20}, {oldest_first, 1}]],
    ok.

serve(Policy, N) ->
    Main = self(),
    Desks = [spawn_opt(fun() -> desk(Main) end, [{whitebeam, [{policy, Policy}]}]) || _ <- lists:seq(1, 5)],
    timer:sleep(10),
    [lists:nth(desk_of(K), Desks) ! {customer, K} || K <- lists:seq(1, N)],
    Order = [receive {served, K} -> K end || _ <- lists:seq(1, N)],
    [exit(D, kill) || D <- Desks],
    Order.
desk_of(K) when K rem 10 < 6 -> 1;
desk_of(K) -> K rem 10 - 4.

desk(Main) -> receive {customer, K} -> Main ! {served, K}, desk(Main) end.

%% The most who came later and were served before: for each, how many of those before it have a higher number.
overtaken(Order) ->
    {_, Most} = lists:foldl(fun(K, {Before, Most}) -> {[K | Before], max(Most, length([B || B <- Before, B > K]))} end, {[], 0}, Order),
    Most.
